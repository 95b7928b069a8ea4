/** What hosts have recorded of the conversations that agents serve: one row a turn, and when the user last spoke. Stands after `sessions`, whose fixed columns it reads. */
import type { EventOf } from "../../../events/define.ts";
import type { SessionBequeathed, TurnRecorded } from "../../../events/session.ts";
import type { Apply, Projection } from "../projection.ts";
import type { Statements } from "../statements.ts";
import { sessionId } from "./session-id.ts";

const heard = (tx: Statements, session: string, at: number) =>
  tx.run("insert into user_turns (session, at) values (?, ?) on conflict (session) do update set at = max(at, excluded.at)", session, at);

const recorded: Apply = (tx, { stream, position, at, data }) => {
  const { role } = data as EventOf<typeof TurnRecorded>["data"];
  const session = sessionId(stream);
  tx.run("insert into spoken (session, position, role, at) values (?, ?, ?, ?)", session, position, role, at);
  if (role === "user") heard(tx, session, at);
};

/** What the user said before the heir was there counts for it, too: later the one and the other are two conversations. */
const bequeathed: Apply = (tx, { stream, data }) => {
  const { to } = data as EventOf<typeof SessionBequeathed>["data"];
  const before = "select at from user_turns where session = ? and at <= (select opened_at from sessions where id = ?)";
  const last = tx.get<{ at: number }>(before, sessionId(stream), to);
  if (last) heard(tx, to, last.at);
};

export const conversation: Projection = {
  name: "conversation",
  version: 1,
  tables: `
    create table spoken (
      session text not null, position integer not null, role text not null, at integer not null, primary key (session, position)
    ) strict, without rowid;
    create table user_turns (session text primary key, at integer not null) strict, without rowid;
  `,
  drop: ["spoken", "user_turns"],
  on: { "turn.recorded": recorded, "session.bequeathed": bequeathed },
};
