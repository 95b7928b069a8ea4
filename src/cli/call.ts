/** `toolcrib call`: one tool call, as an agent would make it. */

import type { Command } from "commander";
import { showInvisible } from "../../actors/visible-text.ts";
import { didYouMean } from "../config/suggest.ts";
import { askDaemon, errorOf } from "./daemon-client.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { complain, EXIT, failure } from "./exit.ts";
import { print, printJson } from "./print.ts";
import { sessionName } from "./session-name.ts";

interface CallFlags extends DataFlag {
  readonly session?: string;
  readonly idempotencyKey?: string;
  readonly json?: true;
}
interface Block {
  readonly type: string;
  readonly text?: string;
  readonly mimeType?: string;
  readonly data?: string;
  readonly uri?: string;
  readonly resource?: { readonly uri?: string; readonly text?: string };
}
interface Result {
  readonly isError: boolean;
  readonly content: readonly Block[];
  readonly structuredContent?: unknown;
}

export function callVerb(program: Command): void {
  program
    .command("call")
    .description("call a tool as an agent would; ends 1 when the tool, or toolcrib, answers with an error")
    .argument("<name>", "of the tool, as `toolcrib tools` lists it")
    .argument("[json]", "its arguments as a JSON object, or - to read them from standard input", "{}")
    .option("--session <name>", "in this session", sessionName)
    .option("--idempotency-key <key>", "the same key is carried out once")
    .option("--data <dir>", "data folder")
    .option("--json", "print the whole answer as JSON")
    .action(call);
}

async function call(name: string, given: string, { session, idempotencyKey, json, ...flags }: CallFlags): Promise<void> {
  const text = given === "-" ? await Bun.stdin.text() : given;
  if (!isObject(text)) throw failure(EXIT.data, `the arguments are not a JSON object: send something like '{"path":"notes.txt"}'`);
  const rest = JSON.stringify({ ...(session !== undefined && { session }), ...(idempotencyKey !== undefined && { idempotencyKey }) });
  // The text itself goes on: parsed and written again, large integers would be others.
  const body = rest === "{}" ? `{"arguments":${text}}` : `${rest.slice(0, -1)},"arguments":${text}}`;
  const answer = await askDaemon(dataFolderOf(flags), "POST", `/v1/tools/${encodeURIComponent(name)}/call`, body);
  const error = errorOf(answer.body);
  if (json) printJson(answer.body);
  if (error) {
    if (!json) complain(`${error.code}: ${error.message}${error.code === "tool_not_found" ? await nameHint(name, session, flags) : ""}`);
    process.exitCode = EXIT.failed;
    return;
  }
  const result = answer.body as Result;
  if (!json) for (const line of textsOf(result)) print(process.stdout.isTTY ? showInvisible(line) : line);
  if (result.isError) process.exitCode = EXIT.failed;
}

/** What was meant, and where the names are. */
async function nameHint(name: string, session: string | undefined, flags: DataFlag): Promise<string> {
  const query = new URLSearchParams({ ...(session !== undefined && { session }) });
  const { body } = await askDaemon(dataFolderOf(flags), "GET", `/v1/tools?${query}`);
  const { tools = [] } = body as { readonly tools?: readonly { readonly name: string }[] };
  const names = tools.map((tool) => tool.name);
  const withServer = names.find((one) => one.endsWith(`__${name}`)); // only its own name, without that of its server
  const meant = withServer === undefined ? didYouMean(name, names) : `did you mean "${withServer}"?`;
  return ` ("toolcrib tools" does${meant === undefined ? "" : `; ${meant}`})`;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** What the blocks say; media are named, not printed. Without any block the structured content stands in. */
function textsOf({ content, structuredContent }: Result): string[] {
  if (content.length === 0 && structuredContent !== undefined) return [JSON.stringify(structuredContent, null, 2)];
  return content.map((block) => {
    if (block.text !== undefined) return block.text;
    if (block.resource) return block.resource.text ?? `[resource ${block.resource.uri ?? ""}]`;
    const details = [block.mimeType, block.uri, block.data === undefined ? undefined : `${block.data.length} characters of base64`];
    return `[${[block.type, ...details.filter((detail) => detail !== undefined)].join(", ")}]`;
  });
}
