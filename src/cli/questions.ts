/** `toolcrib questions`: what servers ask in the middle of calls, and what was answered. */
import type { Command } from "commander";
import { type QuestionView, questionViews } from "../calls/question-views.ts";
import type { DataFlag } from "./data-folder.ts";
import { cut, print, printJson, time } from "./print.ts";
import { reading } from "./reading.ts";
import { table } from "./table.ts";

const SHOWN = 60;

export function questionsVerb(program: Command): void {
  program
    .command("questions")
    .description("list what servers ask in the middle of calls")
    .option("--all", "also those that are settled")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(questions);
}

async function questions({ all = false, json, ...flags }: DataFlag & { all?: boolean; json?: true }): Promise<void> {
  await reading(flags, (reader) => {
    const { position } = reader.head;
    const rows = questionViews(reader).questions(all ? 0 : Number.MAX_SAFE_INTEGER);
    if (json) return printJson({ questions: rows, position });
    if (rows.length === 0) return print("no server waits for an answer");
    print(table(["QUESTION", "ASKED", "UNTIL", "TOOL", "SESSION", "FIELDS", "STATUS", "MESSAGE"], rows.map(cells)));
    if (rows.some(({ status }) => status === "open"))
      process.stderr.write(
        '\nLook at it ("toolcrib show ID"), then: toolcrib answer ID \'{"FIELD":"VALUE"}\', or toolcrib answer ID --decline\n',
      );
  });
}

const cells = ({ id, createdAt, expiresAt, name, session, fields, status, message }: QuestionView) => [
  id,
  time(createdAt),
  time(expiresAt),
  name,
  session,
  fields.map((field) => field.name).join(", "),
  status,
  cut(message, SHOWN),
];
