/** Word of changed lists of prompts and resources, to the sessions whose list it is. */
import { nameOf, sessionAddress } from "../../actors/address.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { ChangedSessions, Surface } from "../mcp/upstream/backend.ts";
import type { Batch } from "../runtime/event-log.ts";
import type { Runtime } from "../runtime/turn.ts";
import { type Visible, visibleTo } from "./native-lists.ts";

type List = keyof Visible["marks"];
const LISTS: readonly List[] = ["prompts", "resources"];

export interface NativeChangePorts {
  readonly runtime: Pick<Runtime, "catalogue" | "stateOf">;
  readonly onPublished: (listener: () => void) => () => void;
  readonly onCommitted: (listener: (batch: Batch) => void) => () => void;
}
export interface NativeChanges {
  /** A list of this profile is read now. */
  seen(profile: string): void;
  readonly onChanged: Surface["onChanged"];
}

export function createNativeChanges({ runtime, onPublished, onCommitted }: NativeChangePorts): NativeChanges {
  const marks = new Map<string, Visible["marks"]>();
  const listeners = new Set<(list: List, sessions: ChangedSessions) => void>();

  const marksNow = (profile: string) => visibleTo(runtime.catalogue(), profile).marks;
  const seen = (profile: string) => {
    if (!marks.has(profile)) marks.set(profile, marksNow(profile));
  };
  const profileOf = (session: string) => (runtime.stateOf(sessionAddress(session)) as SessionState).profile;
  const send = (list: List, sessions: ChangedSessions) => {
    for (const listener of listeners) listener(list, sessions);
  };

  onPublished(() => {
    const before = new Map(marks);
    for (const profile of before.keys()) marks.set(profile, marksNow(profile));
    const hasMoved = (list: List) => (session: string) => {
      const profile = profileOf(session);
      seen(profile);
      return before.get(profile)?.[list] !== marks.get(profile)?.[list]; // nobody knows what one that never asked here has heard before
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
