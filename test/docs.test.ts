/** The documentation shows what is there: commands, routes, codes, constants, links. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { BUILTIN, DENIALS, QUESTIONS, REGISTRY, SYSTEM, serverAddress, TASKS } from "../actors/address.ts";
import { DEFAULT_ELICITATION, DEFAULT_LIMITS, DEFAULT_SURFACE } from "../actors/catalogue.ts";
import { MAX_FIELDS, MAX_MESSAGE, MAX_SCHEMA_BYTES } from "../actors/elicit/form.ts";
import { MAX_ROUNDS, ROUNDS_LIMIT } from "../actors/legs/decide.ts";
import { GROUP_NAMES } from "../actors/shell/groups.ts";
import { MAX_WRAPPERS } from "../actors/shell/invocation.ts";
import { MAX_COMMANDS, MAX_DEPTH, MAX_LENGTH, MAX_REDIRECTS, MAX_WORDS } from "../actors/shell/source.ts";
import { allEvents } from "../events/all.ts";
import { ErrorCode } from "../events/call.ts";
import manifest from "../package.json" with { type: "json" };
import { EXIT } from "../src/cli/exit.ts";
import { MIN_FREE_BYTES } from "../src/doors/health.ts";
import { RESERVE_BYTES } from "../src/log/reserve.ts";
import { START_BYTES } from "../src/system/waiting.ts";

const pages = [
  "README.md",
  "AGENTS.md",
  "CHANGELOG.md",
  ...new Bun.Glob("docs/**/*.md").scanSync(),
  ...new Bun.Glob("examples/*.md").scanSync(),
];
const textOf = async (page: string) => Bun.file(page).text();
const MIB = 1024 * 1024;

/** As hosts of repositories make it of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
const anchorsOf = (text: string): string[] => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

describe.each(pages)("%s", (page) => {
  test("links to headings that are there", async () => {
    for (const [, target = "", anchor = ""] of (await textOf(page)).matchAll(/\]\(([^)#\s]*)#([^)]+)\)/g))
      if (!target.includes("://")) {
        const anchors = anchorsOf(await textOf(target === "" ? page : join(dirname(page), target)));
        expect(`${target}#${anchor}: ${anchors.includes(anchor)}`).toBe(`${target}#${anchor}: true`);
      }
  });

  test("links to pages that are there", async () => {
    for (const [, target = ""] of (await textOf(page)).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g))
      if (!target.includes("://")) expect(`${target}: ${existsSync(join(dirname(page), target))}`).toBe(`${target}: true`);
  });

  test("shows verbs of the command line that are there", async () => {
    for (const [, verb = ""] of (await textOf(page)).matchAll(/(?:`|\$ |^ {4})toolcrib (?!listening on)([a-z]+)\b/gm))
      expect(`${verb}: ${existsSync(`src/cli/${verb}.ts`)}`).toBe(`${verb}: true`);
  });
});
test("the guarantees and the HTTP page name every error code that this release gives", async () => {
  const page = await textOf("docs/http.md");
  for (const code of ErrorCode.options) expect(`${code}: ${page.includes(`\`${code}\``)}`).toBe(`${code}: true`);
});

test("the concepts page names every actor", async () => {
  const page = await textOf("docs/concepts.md");
  for (const address of [REGISTRY, "server/NAME", serverAddress(BUILTIN), "session/ID", QUESTIONS, TASKS, DENIALS, SYSTEM])
    expect(page).toMatch(new RegExp(`^\\|.*\`${address}\``, "m"));
});

test("the operations page names the exit codes", async () => {
  const page = await textOf("docs/operations.md");
  for (const code of [EXIT.data, EXIT.unavailable, EXIT.internal, EXIT.notPermitted, EXIT.config])
    expect(page).toMatch(new RegExp(`exit ${code}|with ${code}`));
});

test("the operations page names every metric, and no other", async () => {
  const files = [...new Bun.Glob("src/doors/metrics*.ts").scanSync(), "src/system/counts.ts"];
  const source = (await Promise.all(files.map(textOf))).join("\n");
  const named = (await textOf("docs/operations.md")).match(/(?<=^\| `)(?:toolcrib)_\w+/gm) ?? [];
  expect(named.toSorted()).toEqual([...new Set([...source.matchAll(/"(toolcrib_\w+)"/g)].map(([, name = ""]) => name))].sort());
});

test("the operations page names the bounds and the rules of questions and tasks, with their figures", async () => {
  const page = await textOf("docs/operations.md");
  const { questions, tasks } = DEFAULT_LIMITS;
  for (const row of [
    `| \`bridge.maxPendingQuestionsPerSession\` | \`${questions.perSession}\` |`,
    `| \`bridge.maxPendingQuestions\` | \`${questions.total}\` |`,
    `| \`bridge.maxTasksPerSession\` | \`${tasks.perSession}\` |`,
    `| \`bridge.maxTasks\` | \`${tasks.total}\` |`,
    `| \`elicitation.maxPerCall\` | \`${DEFAULT_ELICITATION.maxPerCall}\` |`,
    `| \`elicitation.handbackTtlMinutes\` | \`${DEFAULT_ELICITATION.handbackTtlMinutes}\` |`,
    `| ${MAX_MESSAGE.toLocaleString("en")} characters of a message |`,
    `| ${MAX_SCHEMA_BYTES / 1024} KiB of a form's schema |`,
    `| ${MAX_FIELDS} fields of a form |`,
    `| ${MAX_ROUNDS} rounds of a call | \`${ROUNDS_LIMIT}\` |`,
  ])
    expect(page).toContain(row);
  const source = await textOf("actors/elicit/treat.ts");
  for (const [, rule = ""] of source.matchAll(/decline\("([\w-]+)"\)/g)) expect(page).toContain(`\`${rule}\``);
});

test("the operations page names the groups and the bounds of the guard over commands", async () => {
  const page = await textOf("docs/operations.md");
  for (const group of GROUP_NAMES) expect(page).toContain(`| \`${group}\` |`);
  for (const bound of [
    `${MAX_LENGTH / 1024} KiB`,
    `${MAX_DEPTH} groups or substitutions`,
    `${MAX_COMMANDS.toLocaleString("en")} commands`,
    `${MAX_WORDS.toLocaleString("en")} words`,
    `${MAX_REDIRECTS} redirections`,
    `${MAX_WRAPPERS} programs`,
  ])
    expect(page).toContain(bound);
});

test("constants stand in the documentation as they are in the source", async () => {
  const [concepts, guarantees, operations, space] = await Promise.all(
    ["docs/concepts.md", "docs/guarantees.md", "docs/operations.md", "docs/decisions/012-space.md"].map(textOf),
  );
  expect(concepts).toContain(`${DEFAULT_SURFACE.maxNameLength} characters`);
  expect(guarantees).toContain(`${DEFAULT_LIMITS.twinMs / 3_600_000} hours (\`limits.twinMs\`)`);
  expect(operations).toContain(`less than ${MIN_FREE_BYTES / MIB} MiB`);
  expect(operations).toContain(`${RESERVE_BYTES / MIB} MiB that are released`);
  expect(space).toContain(`less than ${START_BYTES / MIB} MiB free`);
});

test("each decision has a number of its own, and says it in its title", async () => {
  const files = [...new Bun.Glob("docs/decisions/*.md").scanSync()].toSorted();
  const numbers = files.map((file) => /decisions\/(\d{3})-/.exec(file)?.[1] ?? file);
  expect(numbers).toEqual([...new Set(numbers)]);
  for (const [index, file] of files.entries()) expect(await textOf(file)).toStartWith(`# ${numbers[index]} · `);
});

test("every dependency is pinned exactly and justified", async () => {
  const page = await textOf("docs/dependencies.md");
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    expect(page).toMatch(new RegExp(`\`${name}\`[^\\n]*\\| ${version.replaceAll(".", "\\.")} \\|`));
  }
});

test("the changelog has an entry for this release", async () => {
  expect(await textOf("CHANGELOG.md")).toContain(`## ${manifest.version}`);
});

test("every type of event is known by name", () => {
  for (const { type } of allEvents) expect(type).toMatch(/^[a-z]+(\.[a-z]+)+$/);
});
