/** Whose a call is: of the agent that asks, in the session that made it or has inherited it. */
import type { CallRow, CallViews } from "./views.ts";

export interface Asker {
  readonly session: string;
  readonly agent: string;
}

/** Undefined reads as unknown: nobody learns of calls that are not theirs. */
export function ownCall(views: Pick<CallViews, "call" | "belongsTo">, id: string, { session, agent }: Asker): CallRow | undefined {
  const row = views.call(id);
  return row?.agent === agent && views.belongsTo(row, session) ? row : undefined;
}
