/** `toolcrib answer`: answers, or declines, what a server asks in the middle of a call. */
import type { Command } from "commander";
import { askDaemon, errorOf } from "./daemon-client.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { EXIT, failure } from "./exit.ts";
import { inline, print, printJson } from "./print.ts";

interface AnswerFlags extends DataFlag {
  readonly decline?: true;
  readonly json?: true;
}

export function answerVerb(program: Command): void {
  program
    .command("answer")
    .description("answer what a server asks in the middle of a call: the call goes on")
    .argument("<id>", "as `toolcrib questions` lists it (q_…)")
    .argument("[json]", "the values of its fields as a JSON object, or - to read them from standard input")
    .option("--decline", "tell the server that nobody answers")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(answer);
}

async function answer(id: string, given: string | undefined, { decline, json, ...flags }: AnswerFlags): Promise<void> {
  if ((given === undefined) === (decline === undefined))
    throw failure(EXIT.usage, `either the values, as in toolcrib answer ${id} '{"FIELD":"VALUE"}', or --decline`);
  const request = decline ? '{"decline":true}' : `{"answers":${objectOf(given === "-" ? await Bun.stdin.text() : (given ?? ""))}}`;
  const { status, body } = await askDaemon(dataFolderOf(flags), "POST", `/v1/questions/${encodeURIComponent(id)}`, request);
  const error = errorOf(body);
  if (error) throw failure(CODES[status] ?? EXIT.failed, `${error.message} "toolcrib questions" lists the open ones`);
  if (json) return printJson(body);
  const { name, status: now } = body as Readonly<Record<string, string>>;
  print(`${id} (${inline(name ?? "")}) is ${now}: ${now === "declined" ? "its server is told so" : "the call goes on"}`);
}

const CODES: Readonly<Record<number, number>> = { 403: EXIT.notPermitted, 422: EXIT.data };

/** As it was written: parsed and written again, large integers would be others. */
function objectOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return text;
  } catch {
    // said below
  }
  throw failure(EXIT.data, `the answers are not a JSON object: send something like '{"mailbox":"work"}'`);
}
