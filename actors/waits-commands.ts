/** What a session is asked about calls that wait, or whose request is answered before they end. */
import type { Observed } from "../events/policy.ts";

export type WaitsCommand =
  /** Its server asks, or it goes on in the background. */
  | { readonly type: "suspended"; readonly call: string; readonly question?: string; readonly task?: string }
  /** It goes on as before, and its client follows it as a task. */
  | { readonly type: "offered"; readonly call: string; readonly task: string }
  /** Somebody waits for it again. */
  | { readonly type: "claim"; readonly call: string }
  /** The rules have changed: what its arguments come to now. */
  | { readonly type: "observe"; readonly call: string; readonly observed: Observed }
  /** To be announced: ids of calls and questions. */
  | { readonly type: "note"; readonly ids: readonly string[] }
  /** The agent has looked at them. */
  | { readonly type: "told"; readonly ids: readonly string[]; readonly by: string };
