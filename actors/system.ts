/** The program's own record: starts, stops, defects, erasures, and which secrets are stored. */
import { PayloadErased, ProcessStarted, ProcessStopped, SecretRemoved, SecretSet, type SystemEvent, TurnFailed } from "../events/system.ts";
import { defineActor } from "./define.ts";

export type SystemCommand =
  | { readonly type: "start"; readonly version: string; readonly build: string }
  | { readonly type: "stop"; readonly reason: string }
  | { readonly type: "fail"; readonly to: string; readonly command: string; readonly error: string }
  | {
      readonly type: "erased";
      readonly session: string;
      readonly events: number;
      readonly blobs: number;
      readonly by: string;
      readonly reason: string;
    }
  /** What the secret store holds now. */
  | { readonly type: "secrets"; readonly stored: readonly StoredSecret[]; readonly by: string };

export interface StoredSecret {
  readonly name: string;
  /** Milliseconds since the epoch; another with every change of the value. */
  readonly updatedAt: number;
}

export interface SystemState {
  /** What the secret store held when it was last looked at: `updatedAt` by name. */
  readonly secrets: ReadonlyMap<string, number>;
}

const unchanged = (state: SystemState) => state;

export const System = defineActor<SystemState, SystemCommand, SystemEvent, never>({
  kind: "system",
  shape: 2,
  initialState: { secrets: new Map() },
  decide: {
    start: (_, { version, build }) => [ProcessStarted({ version, build })],
    stop: (_, { reason }) => [ProcessStopped({ reason })],
    fail: (_, { to, command, error }) => [TurnFailed({ to, command, error })],
    erased: (_, { type: _t, ...erased }) => [PayloadErased(erased)],
    secrets: ({ secrets }, { stored, by }) => {
      const names = new Set(stored.map(({ name }) => name));
      return [
        ...[...secrets.keys()].filter((name) => !names.has(name)).map((name) => SecretRemoved({ name, by })),
        ...stored
          .filter(({ name, updatedAt }) => secrets.get(name) !== updatedAt)
          .map(({ name, updatedAt }) => SecretSet({ name, updatedAt, replaced: secrets.has(name), by })),
      ];
    },
  },
  evolve: {
    "process.started": unchanged,
    "process.stopped": unchanged,
    "turn.failed": unchanged,
    "payload.erased": unchanged,
    "secret.set": ({ secrets }, { name, updatedAt }) => ({ secrets: new Map([...secrets, [name, updatedAt]]) }),
    "secret.removed": ({ secrets }, { name }) => ({ secrets: new Map([...secrets].filter(([other]) => other !== name)) }),
  },
  react: {},
  recover: () => [],
  isQuiet: () => true,
});
