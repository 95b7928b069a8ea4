/** The end of a call that is open: told to whoever waits, with what has not been told yet, or kept to be announced. */
import { CallAnswered } from "../events/call.ts";
import { SessionBequeathed } from "../events/session.ts";
import type { SessionState } from "./session-commands.ts";

/** The payload of an end that the policy gave: why, in words that may repeat the agent's. */
export interface Unsent {
  readonly reason: string;
}
type Outcome = Parameters<typeof CallAnswered>[0];
type Ends = (ReturnType<typeof CallAnswered> | ReturnType<typeof SessionBequeathed>)[];

/** Whether the end of a call that nobody waits for is worth telling: it may have acted, or the agent was promised its outcome. */
export const isAnnounced = (open: SessionState["open"][string] | undefined): boolean =>
  open?.unclaimed === true && (open.capability !== "read" || open.waits === true || open.task !== undefined);

export function answer(state: SessionState, outcome: Outcome, told?: Unsent): Ends {
  const open = state.open[outcome.call];
  if (!open) return [];
  const notices = open.native ? [] : state.notices;
  const followed = open.task === undefined ? outcome : { ...outcome, task: open.task };
  if (!open.unclaimed) return [CallAnswered(notices.length > 0 ? { ...followed, notices: [...notices] } : followed, told)];
  const late = state.heir && isAnnounced(open) ? [SessionBequeathed({ to: state.heir, calls: [outcome.call] })] : [];
  return [CallAnswered({ ...followed, unclaimed: true }, told), ...late];
}
