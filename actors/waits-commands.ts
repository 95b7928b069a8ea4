/** What a session is asked about calls whose request is answered before they end. */
export type WaitsCommand =
  /** Its server asks, or it goes on in the background. */
  | { readonly type: "suspended"; readonly call: string; readonly question?: string; readonly task?: string }
  /** It goes on as before, and its client follows it as a task. */
  | { readonly type: "offered"; readonly call: string; readonly task: string }
  /** Somebody waits for it again. */
  | { readonly type: "claim"; readonly call: string }
  /** To be announced: ids of calls and questions. */
  | { readonly type: "note"; readonly ids: readonly string[] }
  /** The agent has looked at them. */
  | { readonly type: "told"; readonly ids: readonly string[]; readonly by: string };
