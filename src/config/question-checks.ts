/** What of questions and tasks works, but perhaps not as meant. */
import { ElicitationMode, Responder } from "../../events/elicitation.ts";
import { familyOf } from "../secrets/patterns.ts";
import { problemAt, type ServersIn } from "./checks.ts";
import type { Document } from "./jsonc.ts";
import { isObject } from "./known-keys.ts";
import { judgeName } from "./policy-names.ts";
import type { KeyPath, Problem } from "./problems.ts";
import { type ElicitationEntry, modeOf } from "./question-schema.ts";
import { isConversation, secretDefaults } from "./questions.ts";
import type { MainFile } from "./schema.ts";
import { rulesOf } from "./secrets.ts";
import { didYouMean } from "./suggest.ts";

type Secrets = MainFile["secrets"];

/** `sources` hold the servers of all files. */
export function warnQuestions(document: Document, main: MainFile, sources: readonly ServersIn[]): Problem[] {
  const { elicitation, secrets, bridge } = main;
  const warn = (path: KeyPath, message: string, hint?: string) => problemAt(document, path, message, hint);
  const isHandback = elicitation.mode === "handback";
  return [
    ...warnBlock(document, ["elicitation"], elicitation, secrets),
    ...(isHandback ? [warn(["elicitation", "mode"], "is read as auto: only a server's own block hands questions back to the agent")] : []),
    ...(isConversation(elicitation.responder)
      ? [warn(["elicitation", "responder"], "is not used: only a server's own block may name it. Only defaults are answered")]
      : []),
    ...(bridge.taskPollMinMs > bridge.taskPollMaxMs
      ? [warn(["bridge", "taskPollMaxMs"], `is raised to bridge.taskPollMinMs, ${bridge.taskPollMinMs}`)]
      : []),
    ...warnTools(document, main, sources),
    ...sources.flatMap((source) => warnServers(source, secrets)),
  ];
}

function warnServers({ document, servers }: ServersIn, secrets: Secrets): Problem[] {
  return Object.entries(servers).flatMap(([name, { elicitation, tasks, taskTimeoutMinutes }]) => {
    const path = ["mcpServers", name];
    const warn = (key: string, message: string) => problemAt(document, [...path, key], message);
    return [
      ...(elicitation ? warnBlock(document, [...path, "elicitation"], elicitation, secrets) : []),
      ...(taskTimeoutMinutes !== undefined && taskTimeoutMinutes <= 0
        ? [warn("taskTimeoutMinutes", "is ignored: a task takes longer than 0 minutes")]
        : []),
      ...(taskTimeoutMinutes !== undefined && !tasks
        ? [warn("taskTimeoutMinutes", "has no effect: this server's calls go on in the background only with `tasks`: true")]
        : []),
    ];
  });
}

function warnBlock(document: Document, path: KeyPath, entry: ElicitationEntry, secrets: Secrets): Problem[] {
  const warn = (key: string, message: string, hint?: string) => problemAt(document, [...path, key], message, hint);
  const mode = writtenAt(document.value, [...path, "mode"]);
  const responder = entry.responder?.trim() ?? "";
  const known: readonly string[] = Responder.options;
  const isKnown = known.includes(responder.toLowerCase());
  return [
    ...(mode !== undefined && mode !== null && modeOf(mode) === undefined
      ? [warn("mode", "is no mode, and is read as decline", hintFor(mode, ElicitationMode.options))]
      : []),
    ...(responder !== "" && !isKnown && responder.toLowerCase() !== "none"
      ? [warn("responder", "nobody has this name: only defaults are answered", hintFor(responder, known))]
      : []),
    ...(entry.handbackTtlMinutes <= 0 ? [warn("handbackTtlMinutes", "is read as 30: an answer takes longer than 0 minutes")] : []),
    ...secretDefaults(entry, rulesOf(secrets, { family: familyOf })).map((name) =>
      problemAt(
        document,
        [...path, "defaults", name],
        "looks like a secret: it is not written down, and no question is answered with it",
        "if it is none, name it in secrets.ignore",
      ),
    ),
  ];
}

const hintFor = (written: unknown, known: readonly string[]): string =>
  (typeof written === "string" ? didYouMean(written, known) : undefined) ?? `known: ${known.join(", ")}`;

/** As it stands in the file: keys of an `mcp.json` may be in any case of letters. */
const writtenAt = (value: unknown, path: KeyPath): unknown =>
  path.reduce<unknown>((inside, key) => {
    if (!isObject(inside)) return undefined;
    const same = Object.keys(inside).find((name) => name.toLowerCase() === String(key).toLowerCase());
    return Object.hasOwn(inside, key) ? inside[key] : same === undefined ? undefined : inside[same];
  }, value);

/** Tools that nothing is known of may come later. */
function warnTools(document: Document, { tasks, bridge }: MainFile, sources: readonly ServersIn[]): Problem[] {
  const seeds = Object.keys(bridge.defaultServers).map((name) => [name, undefined] as const);
  const servers = Object.fromEntries([...seeds, ...sources.flatMap((source) => Object.entries(source.servers))]);
  return Object.keys(tasks.perTool).flatMap((name) => {
    const path = ["tasks", "perTool", name];
    if (name.startsWith("group:")) return [problemAt(document, path, "is the name of a group: here stand names of tools")];
    const finding = judgeName(name, { servers, groups: {}, bare: bridge.naming === "bare" });
    return finding ? [problemAt(document, path, finding.message, finding.hint)] : [];
  });
}
