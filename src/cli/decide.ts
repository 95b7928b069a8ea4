/** What `approve`, `deny` and `revise` share: a vote through the running daemon. */
import { askDaemon, errorOf } from "./daemon-client.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { inline, print, printJson } from "./print.ts";

export interface DecideFlags extends DataFlag {
  readonly reason?: string;
  readonly instructions?: string;
  readonly json?: true;
}

export async function decide(
  id: string,
  verdict: "approve" | "deny" | "revise",
  { reason, instructions, json, ...flags }: DecideFlags,
): Promise<void> {
  const said = { verdict, ...(reason !== undefined && { reason }), ...(instructions !== undefined && { instructions }) };
  const path = `/v1/approvals/${encodeURIComponent(id)}`;
  const { status: http, body } = await askDaemon(dataFolderOf(flags), "POST", path, JSON.stringify(said));
  const error = errorOf(body);
  if (error) throw failure(http === 403 ? EXIT.notPermitted : EXIT.failed, `${error.message} "toolcrib approvals" lists the open ones`);
  if (json) return printJson(body);
  const { name, status = "" } = body as Readonly<Record<string, string>>;
  print(`${id} (${inline(name ?? "")}) is ${status}: ${NEXT[status] ?? "nothing more is to be done"}`);
}

/** By what became of the request: what happens now. */
const NEXT: Readonly<Record<string, string>> = {
  approved: "the call is made, once; if nobody waits for it any more, when it is asked for again",
  denied: "the agent is told so",
  revised: "the agent is told what should be different",
  pending: "your vote is recorded, others have to decide too",
};
