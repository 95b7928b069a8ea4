/** For crash tests: ends the process by SIGKILL when it passes a named step for the n-th time. Does nothing unless the environment asks for it. */
import type { Batch, EventLog } from "../runtime/event-log.ts";
import type { SealedStore } from "../secrets/sealed.ts";

/** `TOOLCRIB_FAILPOINT=before_commit:25`, `TOOLCRIB_FAILPOINT=after:question.opened` */
export const FAILPOINT_VARIABLE = "TOOLCRIB_FAILPOINT";

/** The steps that can be named beside those of the log (see src/log/log.ts) and those of `endAtEvents`. */
export type Step = "before_append" | "before_send" | "after_answer";

export function createFailpoint(environment: Readonly<Record<string, string | undefined>>): (name: string) => void {
  const [, wanted, count = "1"] = /^(.+?)(?::(\d+))?$/.exec(environment[FAILPOINT_VARIABLE] ?? "") ?? [];
  if (!wanted) return () => undefined;
  let left = Number(count);
  return (name) => {
    if (name === wanted && --left === 0) process.kill(process.pid, "SIGKILL");
  };
}

/** Steps of their own for each event, `before:TYPE` and `after:TYPE` the commit that holds it, and `sealed:KIND` after something was sealed. Costs nothing when nobody asks. */
export function endAtEvents(
  environment: Readonly<Record<string, string | undefined>>,
  log: Pick<EventLog, "append">,
  sealed: Pick<SealedStore, "put">,
  failpoint: (name: string) => void,
): void {
  if (!environment[FAILPOINT_VARIABLE]) return;
  const append = log.append.bind(log);
  const put = sealed.put.bind(sealed);
  log.append = async (batch: Batch) => {
    for (const { type } of batch.events) failpoint(`before:${type}`);
    await append(batch);
    for (const { type } of batch.events) failpoint(`after:${type}`);
  };
  sealed.put = (kind, name, value) => {
    put(kind, name, value);
    failpoint(`sealed:${kind}`);
  };
}
