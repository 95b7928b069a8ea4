/** `toolcrib cancel`: tells a call that goes on in the background to stop. */
import type { Command } from "commander";
import { askDaemon, errorOf } from "./daemon-client.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { inline, print, printJson } from "./print.ts";

export function cancelVerb(program: Command): void {
  program
    .command("cancel")
    .description("tell a call that goes on in the background to stop")
    .argument("<id>", "of its task, as `toolcrib tasks` lists it (t_…)")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(cancel);
}

async function cancel(id: string, { json, ...flags }: DataFlag & { json?: true }): Promise<void> {
  if (!id.startsWith("t_")) throw failure(EXIT.usage, `${id} is no task: ${instead(id)}`);
  const { status, body } = await askDaemon(dataFolderOf(flags), "POST", `/v1/tasks/${encodeURIComponent(id)}/cancel`);
  const error = errorOf(body);
  if (error) throw failure(status === 403 ? EXIT.notPermitted : EXIT.failed, `${error.message} "toolcrib tasks" lists those that run`);
  if (json) return printJson(body);
  const { name, status: now } = body as Readonly<Record<string, string>>;
  print(
    `${id} (${inline(name ?? "")}): ${now === "cancelled" ? "it is cancelled" : `its server is told to stop it, it is ${now} until it has`}`,
  );
}

/** What to do about a thing of another kind. */
function instead(id: string): string {
  if (id.startsWith("q_")) return `a question is declined with "toolcrib answer ${id} --decline"`;
  if (id.startsWith("a_")) return `a call that waits for an approval is denied with "toolcrib deny ${id}"`;
  if (id.startsWith("c_"))
    return `a call is cancelled by whoever made it; where it goes on in the background, "toolcrib tasks" names its task`;
  return `"toolcrib tasks" lists the ids (t_…)`;
}
