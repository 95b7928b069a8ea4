/** Word of changed lists of prompts and resources, to the sessions whose list it is. */
import { nameOf, sessionAddress } from "../../actors/address.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { Scope } from "../../events/policy.ts";
import type { ChangedSessions, Surface } from "../mcp/upstream/backend.ts";
import type { Batch } from "../runtime/event-log.ts";
import type { Runtime } from "../runtime/turn.ts";
import { type Visible, visibleTo } from "./native-lists.ts";

type List = keyof Visible["marks"];
const MAX_MARKS = 1_000;
const LISTS: readonly List[] = ["prompts", "resources"];

export interface NativeChangePorts {
  readonly runtime: Pick<Runtime, "catalogue" | "stateOf">;
  readonly onPublished: (listener: () => void) => () => void;
  readonly onCommitted: (listener: (batch: Batch) => void) => () => void;
}
export interface NativeChanges {
  /** A list of this scope is read now. */
  seen(scope: Scope): void;
  readonly onChanged: Surface["onChanged"];
}

export function createNativeChanges({ runtime, onPublished, onCommitted }: NativeChangePorts): NativeChanges {
  /** By profile and client. */
  const marks = new Map<string, { readonly scope: Scope; readonly marks: Visible["marks"] }>();
  const listeners = new Set<(list: List, sessions: ChangedSessions) => void>();

  const keyOf = ({ profile, client }: Scope) => `${profile}\n${client ?? ""}`;
  const marked = (scope: Scope) => ({ scope, marks: visibleTo(runtime.catalogue(), scope).marks });
  const seen = (scope: Scope) => {
    if (marks.has(keyOf(scope))) return;
    if (marks.size >= MAX_MARKS) marks.delete(marks.keys().next().value ?? "");
    marks.set(keyOf(scope), marked(scope));
  };
  const scopeOf = (session: string): Scope => {
    const { profile, client } = runtime.stateOf(sessionAddress(session)) as SessionState;
    return { profile, client };
  };
  const send = (list: List, sessions: ChangedSessions) => {
    for (const listener of listeners) listener(list, sessions);
  };

  onPublished(() => {
    const before = new Map(marks);
    for (const [key, { scope }] of before) marks.set(key, marked(scope));
    const hasMoved = (list: List) => (session: string) => {
      const scope = scopeOf(session);
      seen(scope);
      return before.get(keyOf(scope))?.marks[list] !== marks.get(keyOf(scope))?.marks[list]; // nobody knows what one that never asked here has heard before
    };
    for (const list of LISTS) send(list, { has: hasMoved(list) });
  });
  onCommitted(({ events }) => {
    for (const { type, stream } of events) if (type === "session.profiled") for (const list of LISTS) send(list, new Set([nameOf(stream)]));
  });
  return {
    seen,
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
