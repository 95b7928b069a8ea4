/** `toolcrib approvals`: calls that wait for a person, and what was decided; `reset` forgives what an agent was denied. */
import type { Command } from "commander";
import { type ApprovalView, approvalViews } from "../calls/approval-views.ts";
import { askDaemon, errorOf } from "./daemon-client.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { print, printJson, time } from "./print.ts";
import { reading } from "./reading.ts";
import { table } from "./table.ts";

export function approvalsVerb(program: Command): void {
  const verb = program
    .command("approvals")
    .description("list the calls that wait for an approval")
    .option("--all", "also those that are decided")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(approvals);
  verb
    .command("reset")
    .description("let an agent ask again for what it was denied")
    .requiredOption("--agent <name>", "whose denials are forgiven")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action((_flags: unknown, command: Command) => reset(command.optsWithGlobals<ResetFlags>()));
}

interface ResetFlags extends DataFlag {
  readonly agent: string;
  readonly json?: true;
}

async function approvals({ all = false, json, ...flags }: DataFlag & { all?: boolean; json?: true }): Promise<void> {
  await reading(flags, (reader) => {
    const { position } = reader.head;
    const rows = approvalViews(reader).approvals(all ? 0 : Number.MAX_SAFE_INTEGER);
    if (json) return printJson({ approvals: rows, position });
    if (rows.length === 0) return print("no call waits for an approval");
    print(table(["APPROVAL", "ASKED", "UNTIL", "TOOL", "AGENT", "SESSION", "RISK", "STATUS"], rows.map(cells)));
    if (rows.some(({ status }) => status === "pending"))
      process.stderr.write('\nLook at it ("toolcrib show ID"), then: toolcrib approve ID, deny ID, or revise ID --instructions TEXT\n');
  });
}

const cells = ({ id, createdAt, expiresAt, name, agent, session, risk, status }: ApprovalView) => [
  id,
  time(createdAt),
  time(expiresAt),
  name,
  agent,
  session,
  risk,
  status,
];

async function reset({ agent, json, ...flags }: ResetFlags): Promise<void> {
  const { status, body } = await askDaemon(dataFolderOf(flags), "POST", `/v1/agents/${encodeURIComponent(agent)}/denials/reset`);
  const error = errorOf(body);
  if (error) throw failure(status === 403 ? EXIT.notPermitted : EXIT.failed, error.message);
  if (json) return printJson(body);
  const { tools } = body as { readonly tools: readonly string[] };
  print(tools.length === 0 ? `${agent} was denied nothing that still counts` : `forgiven: ${tools.join(", ")}`);
}
