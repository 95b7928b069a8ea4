/** Tells hooks of calls that have ended: afterwards and beside everything else, in a bounded queue. What goes wrong is counted, nothing more. */
import type { Hook } from "../../events/policy.ts";
import type { Clock } from "../runtime/timers.ts";
import type { RunHook } from "./hook-reply.ts";

export interface InformPorts {
  readonly clock: Clock;
  readonly run: RunHook;
  readonly count: (hook: string, outcome: string) => void;
}
/** The input is made when its turn comes. */
export type Inform = (hook: Hook, input: () => object, pass: string) => void;

const AT_ONCE = 4;
const MAX_WAITING = 1_000;

export function createInform({ clock, run, count }: InformPorts): Inform {
  const waiting: { readonly hook: Hook; readonly input: () => object; readonly pass: string }[] = [];
  let running = 0;

  async function tell(hook: Hook, input: object, pass: string): Promise<string> {
    const stop = new AbortController();
    const { promise, resolve } = Promise.withResolvers<string>();
    const disarm = clock.after(hook.timeoutMs, () => resolve("timeout"));
    run(hook, input, stop.signal, pass).then(({ kind }) => resolve(kind === "output" ? "told" : "failed"));
    const outcome = await promise;
    disarm();
    stop.abort();
    return outcome;
  }
  const next = () => {
    if (running >= AT_ONCE) return;
    const one = waiting.shift();
    if (!one) return;
    running++;
    void tell(one.hook, one.input(), one.pass)
      .then((outcome) => count(one.hook.name, outcome))
      .finally(() => {
        running--;
        next();
      });
  };
  return (hook, input, pass) => {
    if (waiting.length >= MAX_WAITING) return count(hook.name, "dropped");
    waiting.push({ hook, input, pass });
    clock.after(0, next); // not inside the turn that ends the call
  };
}
