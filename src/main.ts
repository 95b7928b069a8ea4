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

dropRuntimeOptions();
// Whoever reads our output may stop reading: `toolcrib events | head`.
process.stdout.on("error", () => process.exit(EXIT.ok));

const program = new Command("toolcrib")
  .description("The tools subsystem for AI agents: every call in an append-only log, before and after it acts.")
  .version(VERSION, "-V, --version")
  .enablePositionalOptions() // what stands behind a verb is that verb's
  .showSuggestionAfterError()
  .showHelpAfterError("(toolcrib --help lists the verbs, toolcrib VERB --help says more about one)")
  .exitOverride();
const asked = verbs[process.argv[2] ?? ""];
for (const load of asked ? [asked] : Object.values(verbs)) (await load())(program);
try {
  await program.parseAsync();
} catch (error) {
  const code = endWith(error);
  process.stdout.write("", () => process.exit(code)); // what was half started must not keep it alive
}
