/** Brings configurations and changed secrets into force while the daemon runs: one after the other, never two at once. */
import type { Loaded, LoadResult } from "../config/load.ts";
import { formatProblem } from "../config/problems.ts";
import { changeAgents } from "./agents-change.ts";
import { type Configured, type ConfigurePorts, configure } from "./configure.ts";
import type { Secrets } from "./secrets.ts";

export interface ApplyingPorts {
  readonly configure: ConfigurePorts;
  readonly secrets: Pick<Secrets, "record">;
  /** The first one. */
  readonly loaded: Loaded;
  /** Told of each that came into force, and of each that is broken. */
  readonly onResult: (result: LoadResult) => void;
  readonly say: (line: string) => void;
}
export interface Applying {
  /** Applies the first one; rejects when that fails. */
  start(): Promise<void>;
  /** The files changed. A broken one leaves what is in force, and says so. */
  changed(next: LoadResult): void;
  /** Secrets may have changed: if they did, that is recorded, and the servers that use them are connected anew. */
  secretsChanged(by: string): Promise<void>;
  /** What was begun is done. */
  done(): Promise<void>;
}

export function createApplying({ configure: ports, secrets, loaded, onResult, say }: ApplyingPorts): Applying {
  let current = loaded;
  let last: Promise<void> = Promise.resolve();
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch((error) => say(`the configuration was not applied: ${error instanceof Error ? error.message : "unknown"}`));
    return done;
  };
  const apply = async (next: Loaded) => {
    changeAgents(ports.kernel, current.config.agents, next.config.agents);
    const configured = await configure(next, ports);
    current = next;
    report(configured, say);
    onResult(next);
  };
  return {
    async start() {
      await secrets.record("start");
      await apply(loaded);
    },
    changed(next) {
      if (next.ok)
        void inOrder(() => apply(next)).catch(() => undefined); // it was said
      else {
        onResult(next);
        for (const problem of new Set(next.errors.map(formatProblem))) say(`the configuration was not applied: ${problem}`);
      }
    },
    secretsChanged: (by) =>
      inOrder(async () => {
        if (await secrets.record(by)) await apply(current);
      }),
    done: () => last,
  };
}

function report({ refused, unregistered, off, unusable }: Configured, say: (line: string) => void): void {
  for (const [name, reason] of Object.entries(refused)) say(`the server ${name} cannot be used: ${reason}`);
  for (const [tier, reason] of Object.entries(off)) say(`warning: the models of the tier ${tier} are not asked: ${reason}`);
  for (const [path, reason] of Object.entries(unusable)) say(`warning: ${path} cannot be used: ${reason}`);
  for (const { name, reason } of unregistered) say(`warning: the secret ${name} is not looked for: ${reason}`);
}
