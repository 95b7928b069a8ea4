/** `/debug/api/sessions`, `/debug/api/sessions/{id}`: agents' sessions, with what each still waits for or has not been told. */
import { sessionAddress } from "../../../actors/address.ts";
import type { Reader } from "../../log/reader.ts";
import { answer, notThere, pagingOf, present, textOf, wordOf } from "./answers.ts";
import { callRows } from "./calls.ts";
import type { Positioned } from "./scan.ts";
import type { StateOf } from "./state.ts";

const ROW = `select s.id, s.name as session, s.name, s.agent, s.client, s.era, s.profile, s.opened_at as openedAt,
    (select position from events where stream = (select id from names where name = 'session/' || s.id) and version = 1) as position,
    (select count(*) from connections c where c.session = s.id and c.open = 1) as openConnections,
    case when exists (select 1 from connections c where c.session = s.id)
      and not exists (select 1 from connections c where c.session = s.id and c.open = 1) then 'closed' else 'open' end as status
  from sessions s`;
const LIST = `select * from (${ROW}) where position > ?1 and (?2 is null or status = ?2) and (?3 is null or era = ?3)
  and (?4 is null or agent = ?4) order by position limit ?5`;
/** The id, or the newest session of this name. */
const ONE = `${ROW} where s.id = ?1 or s.name = ?1 order by s.id = ?1 desc, s.opened_at desc limit 1`;
const CONNECTIONS = "select id, open, opened_position as openedPosition from connections where session = ? order by opened_position";

/** `?status=open|closed`, `?type=` the era, `?agent=`. */
export function listSessions(reader: Reader, url: URL): Response {
  const { after, limit } = pagingOf(url);
  const status = wordOf(url, "status", ["open", "closed"]) ?? null;
  const era = wordOf(url, "type", ["legacy", "modern", "rest"]) ?? null;
  const sessions = reader.query<Positioned>(LIST, after, status, era, textOf(url, "agent") ?? null, limit);
  return answer({ sessions, position: reader.head.position });
}

export async function showSession(reader: Reader, stateAt: StateOf, idOrName: string): Promise<Response> {
  const { position } = reader.head;
  const row = reader.query<Positioned & { readonly id: string }>(ONE, idOrName)[0];
  if (!row) throw notThere(`There is no session ${idOrName}.`);
  const connections = reader.query<{ open: number }>(CONNECTIONS, row.id).map(({ open, ...rest }) => ({ ...rest, open: open === 1 }));
  const { state } = await stateAt(sessionAddress(row.id), { position });
  const { open = {}, notices = [], heir } = state as { open?: object; notices?: readonly string[]; heir?: string };
  return answer({
    ...present({ ...row, heir }),
    firstPosition: row.position,
    connections,
    openCalls: callRows(reader, Object.keys(open)),
    notices,
    position,
  });
}
