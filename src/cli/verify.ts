/** `toolcrib verify`: is the log what was written to it? Its exit codes are its own: 0 sound, 1 altered, 2 cut short, 3 unreadable, 64 usage. */
import { existsSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { eventDefinitions } from "../../events/all.ts";
import { type DeepVerification, verifyDeep } from "../audit/deep.ts";
import { type Verification, type VerifyOptions, verify } from "../audit/verify.ts";
import { projections } from "../log/projections/all.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { failure } from "./exit.ts";
import { print, printJson, red } from "./print.ts";
import { reading } from "./reading.ts";

interface VerifyFlags extends DataFlag {
  readonly deep?: true;
  readonly expectHead?: string;
  readonly json?: true;
}

const USAGE = 64;
const KEEP =
  'Keep the folder as it is; compare it with a backup ("toolcrib verify --data BACKUP"), or with a head that was kept elsewhere (--expect-head).';
const CODES = { sound: 0, altered: 1, cut_short: 2, unreadable: 3 } as const;

export function verifyVerb(program: Command): void {
  program
    .command("verify")
    .description(
      "check every event against the chain of hashes and the anchor; ends 0 sound, 1 altered, 2 cut short, 3 unreadable, 64 usage",
    )
    .option("--deep", "also decide every turn of this build again, and compare")
    .option("--expect-head <file>", "a head that was kept elsewhere (`toolcrib head`) must be in the log")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    // 2 means cut short here
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : Object.assign(error, { exitCode: USAGE });
    })
    .action(verifyLog);
}

async function verifyLog({ deep, expectHead, json, ...flags }: VerifyFlags): Promise<void> {
  const options: VerifyOptions = {
    projections,
    definitions: eventDefinitions,
    ...(expectHead !== undefined && { expectHead: headIn(expectHead) }),
  };
  const folder = dataFolderOf(flags);
  const found = await verify(folder, options);
  const result = existsSync(folder)
    ? found
    : { ...found, detail: `there is no folder ${folder}: name the data folder of a toolcrib with --data` };
  const again = deep && result.verdict === "sound" ? await reading(flags, (reader) => verifyDeep(reader)) : undefined;
  const isSound = result.verdict === "sound" && (again?.mismatches.length ?? 0) === 0;
  if (json) printJson({ ...result, ...(again && { deep: again }) });
  else {
    describe(result);
    if (again) describeDeep(again);
  }
  process.exitCode = isSound ? CODES.sound : result.verdict === "sound" ? CODES.altered : CODES[result.verdict];
}

function describe({ verdict, detail, position, events, hash, checked, skipped }: Verification): void {
  if (verdict !== "sound") {
    print(red(`${verdict.replace("_", " ")}${position === undefined ? "" : ` at position ${position}`}: ${detail}`));
    if (verdict !== "unreadable") print(KEEP);
    return;
  }
  print(`sound: ${detail}`);
  print(`head     ${hash} at ${events}`);
  const { projections: compared, ...counts } = checked;
  print(
    `checked  ${Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(", ")}; projections ${compared.join(", ")}`,
  );
  for (const one of skipped) print(`skipped  projection ${one}`);
}

function describeDeep({ turns, redecided, skipped, mismatches }: DeepVerification): void {
  print(
    `deep     ${redecided} of ${turns} turns decided again, ${mismatches.length === 0 ? "all with the same events" : red(`${mismatches.length} with other events`)}`,
  );
  for (const { build, version, turns: those } of skipped) print(`skipped  ${those} turns of build ${build} (${version})`);
  for (const { turn, position, stream, detail } of mismatches)
    print(red(`altered  turn ${turn}, position ${position} of ${stream}: ${detail}`));
}

/** The position and hash of a checkpoint: origin, position and base64 of the hash, a line each. */
function headIn(file: string): { position: number; hash: string } {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw failure(USAGE, `${file} cannot be read: name a file that holds what "toolcrib head" printed`);
  }
  const [origin = "", position = "", root = ""] = text.split("\n");
  const hash = Buffer.from(root, "base64");
  if (!origin.startsWith("toolcrib/") || !/^\d{1,15}$/.test(position) || hash.length !== 32 || hash.toString("base64") !== root)
    throw failure(USAGE, `${file} holds no head of a log: name a file that holds what "toolcrib head" printed`);
  return { position: Number(position), hash: hash.toString("hex") };
}
