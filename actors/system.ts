/** The program's own record: starts, stops, defects, erasures. It decides nothing. */
import { PayloadErased, ProcessStarted, ProcessStopped, type SystemEvent, TurnFailed } from "../events/system.ts";
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
    };

const unchanged = (state: Record<string, never>) => state;

export const System = defineActor<Record<string, never>, SystemCommand, SystemEvent, never>({
  kind: "system",
  shape: 1,
  initialState: {},
  decide: {
    start: (_, { version, build }) => [ProcessStarted({ version, build })],
    stop: (_, { reason }) => [ProcessStopped({ reason })],
    fail: (_, { to, command, error }) => [TurnFailed({ to, command, error })],
    erased: (_, { type: _t, ...erased }) => [PayloadErased(erased)],
  },
  evolve: { "process.started": unchanged, "process.stopped": unchanged, "turn.failed": unchanged, "payload.erased": unchanged },
  react: {},
  recover: () => [],
  isQuiet: () => true,
});
