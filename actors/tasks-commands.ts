/** What the ledger of tasks holds, what it is asked, and what it causes. */
import type { TaskEnd } from "../events/task.ts";
import type { Tell } from "./define.ts";

export interface About {
  readonly id: string;
  readonly call: string;
  readonly session: string;
  readonly agent: string;
  readonly server: string;
}
/** One that is open. */
export interface Running extends About {
  readonly serverId: string;
  readonly status: "working" | "input_required";
  readonly failures: number;
  /** Of a server's task; a call that is only followed as one has its own deadline. */
  readonly polled?: { readonly era: "legacy" | "modern"; readonly everyMs: number; readonly deadline: number };
  readonly cancelling?: true;
}
export interface TasksState {
  readonly open: Readonly<Record<string, Running>>;
  /** Ended, and the agent has not heard of it; by call. */
  readonly untold: Readonly<Record<string, About>>;
}

interface New extends About {
  readonly tool: string;
  readonly name: string;
}
export type TaskOrCall = { readonly id: string } | { readonly call: string };
export type TasksCommand =
  | ({ readonly type: "start"; readonly era: "legacy" | "modern"; readonly pollMs?: number } & New)
  | ({ readonly type: "offer" } & New)
  /** What a poll came to: the server's word, or one more failure. */
  | { readonly type: "polled"; readonly id: string; readonly status?: "working" | "input_required" }
  /** A question is open, and is not any more: of a server's task, or of a call that may be followed as one. */
  | { readonly type: "asks"; readonly of: TaskOrCall }
  | { readonly type: "goesOn"; readonly of: TaskOrCall }
  /** Its call has ended. */
  | { readonly type: "ended"; readonly id: string; readonly status: TaskEnd; readonly reason?: string }
  | { readonly type: "cancel"; readonly id: string; readonly by: string }
  | { readonly type: "delivered"; readonly calls: readonly string[]; readonly by: string }
  | { readonly type: "wake"; readonly key: string }
  /** The configuration has changed. */
  | { readonly type: "review" };
export type TasksEffect =
  | Tell
  | { readonly type: "wake"; readonly key: string; readonly at: number }
  | { readonly type: "rest"; readonly key: string }
  /** From now on its server is asked for it. */
  | { readonly type: "watchTask"; readonly id: string }
  | { readonly type: "leaveTask"; readonly id: string }
  /** Its server is told to stop it. */
  | { readonly type: "cancelTask"; readonly id: string; readonly call: string; readonly server: string };
