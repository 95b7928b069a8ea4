/** `toolcrib simulate`: what other rules would have made of the recorded calls. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { REGISTRY } from "../../actors/address.ts";
import { type Simulation, simulate } from "../audit/simulate.ts";
import { type Document, parseDocument } from "../config/jsonc.ts";
import { type Applied, type ConfigChange, readPolicyFile } from "../config/policy-file.ts";
import { formatProblem, type Problem, UNKNOWN_KEY } from "../config/problems.ts";
import type { Reader } from "../log/reader.ts";
import type { DataFlag } from "./data-folder.ts";
import { complain, EXIT, failure } from "./exit.ts";
import { print, printJson } from "./print.ts";
import { reading } from "./reading.ts";
import { table } from "./table.ts";

interface SimulateFlags extends DataFlag {
  readonly policy: string;
  readonly json?: true;
}

export function simulateVerb(program: Command): void {
  program
    .command("simulate")
    .description(
      "decide the recorded calls again under other rules; ends 0 when nothing changes, 1 when something does, 78 for rules that cannot be used",
    )
    .requiredOption(
      "--policy <file>",
      "JSONC with any of policy, profiles, approvals, hooks, limits, mcpServers; each replaces the configuration's key",
    )
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON")
    .action(simulateLog);
}

async function simulateLog({ policy, json, ...flags }: SimulateFlags): Promise<void> {
  const document = documentIn(policy);
  await reading(flags, (reader) => {
    const simulation = again(reader, changeIn(document, reader));
    if (json) printJson(simulation);
    else describe(simulation);
    process.exitCode = simulation.changed.length > 0 ? EXIT.failed : EXIT.ok;
  });
}

/** 1 means that something changes. */
function again(reader: Reader, change: ConfigChange): Simulation {
  try {
    return simulate(reader, change);
  } catch (error) {
    throw error instanceof Error && error.name === "Error" && !("code" in error) ? failure(EXIT.data, error.message) : error;
  }
}

const WHAT_IT_HOLDS =
  "The file holds the rules to try, and is not the whole configuration: copy into it what you would change of policy, profiles, approvals, hooks and limits, and of mcpServers only what judges calls.";
const unusable = (problems: readonly Problem[], advice?: string) =>
  failure(EXIT.config, [...problems.map(formatProblem), ...(advice === undefined ? [] : [advice])].join("\n"));

function documentIn(policy: string): Document {
  const file = resolve(policy);
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch {
    throw failure(EXIT.config, `${file} cannot be read: name a file (JSONC) that holds the rules to try`);
  }
  const parsed = parseDocument(file, bytes);
  if ("problems" in parsed) throw unusable(parsed.problems);
  return parsed.document;
}

function changeIn(document: Document, reader: Reader): ConfigChange {
  const applied = reader.page({ after: 0, limit: 1_000_000, stream: REGISTRY, type: "config.applied" }).at(-1)?.data as Applied | undefined;
  const read = readPolicyFile(document, applied?.naming ?? "prefixed");
  if ("errors" in read) throw unusable(read.errors, read.errors.some(({ message }) => message === UNKNOWN_KEY) ? WHAT_IT_HOLDS : undefined);
  for (const warning of read.warnings) complain(`warning: ${formatProblem(warning)}`);
  return read.change;
}

function describe({ calls, changed, counts }: Simulation): void {
  if (changed.length > 0)
    print(
      `${table(
        ["CALL", "SESSION", "TOOL", "WAS", "NOW", "RULE"],
        changed.map(({ callId, session, tool, was, now, rule }) => [callId, session, tool, was, now, rule]),
      )}\n`,
    );
  const kinds = Map.groupBy(changed, ({ was, now }) => `${was} -> ${now}`);
  for (const [kind, those] of [...kinds].sort()) print(`${kind}: ${those.length}`);
  print(`${calls} calls, ${counts.changed} would change${counts.unknown > 0 ? `, ${counts.unknown} unknown` : ""}`);
  if (counts.unknown > 0) print("unknown: it would depend on what is concealed or erased, or on a hook that would have to be run");
}
