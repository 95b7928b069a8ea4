/** The program: every verb of the command line. Only the verb that is asked for is loaded, so that small ones start at once. */
import { Command } from "commander";
import { EXIT, endWith } from "./cli/exit.ts";
import { dropRuntimeOptions } from "./cli/self.ts";
import { VERSION } from "./version.ts";

type Verb = (program: Command) => void;
const verbs: Readonly<Record<string, () => Promise<Verb>>> = {
  serve: async () => (await import("./cli/serve.ts")).serveVerb,
  stdio: async () => (await import("./cli/stdio.ts")).stdioVerb,
  tools: async () => (await import("./cli/tools.ts")).toolsVerb,
  call: async () => (await import("./cli/call.ts")).callVerb,
  events: async () => (await import("./cli/events.ts")).eventsVerb,
  show: async () => (await import("./cli/show.ts")).showVerb,
  doubts: async () => (await import("./cli/doubts.ts")).doubtsVerb,
  resolve: async () => (await import("./cli/resolve.ts")).resolveVerb,
  approvals: async () => (await import("./cli/approvals.ts")).approvalsVerb,
  approve: async () => (await import("./cli/approve.ts")).approveVerb,
  deny: async () => (await import("./cli/deny.ts")).denyVerb,
  revise: async () => (await import("./cli/revise.ts")).reviseVerb,
  questions: async () => (await import("./cli/questions.ts")).questionsVerb,
  answer: async () => (await import("./cli/answer.ts")).answerVerb,
  tasks: async () => (await import("./cli/tasks.ts")).tasksVerb,
  cancel: async () => (await import("./cli/cancel.ts")).cancelVerb,
  replay: async () => (await import("./cli/replay.ts")).replayVerb,
  verify: async () => (await import("./cli/verify.ts")).verifyVerb,
  simulate: async () => (await import("./cli/simulate.ts")).simulateVerb,
  export: async () => (await import("./cli/export.ts")).exportVerb,
  head: async () => (await import("./cli/head.ts")).headVerb,
  backup: async () => (await import("./cli/backup.ts")).backupVerb,
  config: async () => (await import("./cli/config.ts")).configVerb,
  import: async () => (await import("./cli/import.ts")).importVerb,
  connect: async () => (await import("./cli/connect.ts")).connectVerb,
  secret: async () => (await import("./cli/secret.ts")).secretVerb,
  auth: async () => (await import("./cli/auth.ts")).authVerb,
  doctor: async () => (await import("./cli/doctor.ts")).doctorVerb,
  version: async () => (await import("./cli/version.ts")).versionVerb,
  healthcheck: async () => (await import("./cli/healthcheck.ts")).healthcheckVerb,
  "sql-worker": async () => (await import("./cli/sql-worker.ts")).sqlWorkerVerb,
};

/** Headings of the list of verbs, each before the first of its own. */
const GROUPS: Readonly<Record<string, string>> = {
  serve: "Run it:",
  tools: "Call tools, as an agent would:",
  events: "See what happens, and decide:",
  replay: "Look back, and prove:",
  config: "Set it up:",
};
const HELP = `
The data folder is --data, else $TOOLCRIB_DATA, $STATE_DIRECTORY,
$XDG_STATE_HOME/toolcrib (~/.local/state/toolcrib; of root /var/lib/toolcrib).
The configuration is --config, else $TOOLCRIB_CONFIG, ./toolcrib.jsonc,
$XDG_CONFIG_HOME/toolcrib/toolcrib.jsonc, /etc/toolcrib/toolcrib.jsonc.
$NO_COLOR turns colours off.

Exit codes: 0 ok, 1 failed, 2 usage, 65 bad data, 69 unavailable, 70 internal,
77 not permitted, 78 bad configuration; verify has its own.

Begin with "toolcrib serve"; in another terminal go on with "toolcrib tools",
"toolcrib call NAME", "toolcrib events" and "toolcrib doctor".`;

dropRuntimeOptions();
// Whoever reads our output may stop reading: `toolcrib events | head`.
process.stdout.on("error", () => process.exit(EXIT.ok));

const asked = verbs[process.argv[2] ?? ""];
const program = new Command("toolcrib")
  .description("The tools subsystem for AI agents: every call in an append-only log, before and after it acts.")
  .version(VERSION, "-V, --version")
  .enablePositionalOptions() // what stands behind a verb is that verb's
  .showSuggestionAfterError()
  .showHelpAfterError("(toolcrib --help lists the verbs, toolcrib VERB --help says more about one)")
  .addHelpText("after", () => (asked ? "" : HELP))
  .exitOverride();
program.addHelpCommand(
  new Command("help")
    .argument("[command]")
    .description("say more about one of them")
    .helpGroup(GROUPS["config"] ?? ""),
);
for (const [name, load] of asked ? [[process.argv[2] ?? "", asked] as const] : Object.entries(verbs)) {
  if (GROUPS[name] !== undefined) program.commandsGroup(GROUPS[name]);
  (await load())(program);
}
try {
  await program.parseAsync();
} catch (error) {
  const code = endWith(error);
  process.stdout.write("", () => process.exit(code)); // what was half started must not keep it alive
}
