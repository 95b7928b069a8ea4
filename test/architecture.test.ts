/** The rules that keep the parts apart. Extend them; never loosen them. */
import { describe, expect, test } from "bun:test";

/** Folder → what it may import: packages by name, files by path. A folder sees only what stands below it. */
const MAY_IMPORT: Readonly<Record<string, RegExp>> = {
  events: /^(zod$|events\/)/,
  actors: /^(zod$|events\/|actors\/)/,
  src: /^(?!test\/|bench\/|scripts\/|examples\/)/,
  test: /./,
};
/** Neighbours in `src/` that must not know each other. */
const STRANGERS = ["src/doors", "src/effects", "src/tools", "src/audit"];
const SDK = /^@modelcontextprotocol\//;
const IMPURE =
  /\b(Date\.now|new Date\(\)|Math\.random|crypto\.|process\.|Bun\.|fetch\(|setTimeout|setInterval|setImmediate|queueMicrotask|await )/;
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^"';]*?from\s*["']([^"']+)["']|(?:^|\n)\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;
/** The two places that may say `any`: an upcaster's input, and an actor of unknown types. */
const ANY_ALLOWED = new Set(["events/define.ts", "actors/define.ts"]);
const MAX_LINES = 200;

const resolve = (from: string, to: string) => (to.startsWith(".") ? new URL(to, `file:///${from}`).pathname.slice(1) : to);
const files = new Map<string, { readonly text: string; readonly imports: readonly string[] }>();
for (const folder of Object.keys(MAY_IMPORT))
  for (const path of new Bun.Glob(`${folder}/**/*.ts`).scanSync()) {
    if (path.includes("node_modules")) continue;
    const text = await Bun.file(path).text();
    const imports = [...text.matchAll(IMPORT)].map(([, from, bare, dynamic]) => resolve(path, from ?? bare ?? dynamic ?? ""));
    files.set(path, { text, imports });
  }
const sources = [...files].filter(([path]) => !path.startsWith("test/"));
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
const codeOnly = (text: string) => withoutComments(text).replace(/"[^"\n]*"/g, '""');

describe.each(Object.entries(MAY_IMPORT))("%s/", (folder, allowed) => {
  const own = [...files].filter(([path]) => path.startsWith(`${folder}/`));

  test("imports only downwards", () => {
    for (const [path, { imports }] of own)
      for (const to of imports) expect(`${path} → ${to}`).toMatch(new RegExp(`→ ${allowed.source.replace("^", "")}`));
  });

  test(`has no file longer than ${MAX_LINES} lines`, () => {
    const long = own.filter(([, { text }]) => text.split("\n").length - 1 > MAX_LINES).map(([path]) => path);
    expect(long).toEqual([]);
  });

  test("says at the head of every file what it is for", () => {
    const silent = own
      .filter(([path, { text }]) => !path.endsWith(".test.ts") && !/^(#!.*\n)?\/\*\*|^(#!.*\n)?\/\//.test(text))
      .map(([path]) => path);
    expect(silent).toEqual([]);
  });
});

test("events and actors are pure", () => {
  for (const [path, { text }] of files)
    if (path.startsWith("events/") || path.startsWith("actors/"))
      expect(`${path}: ${IMPURE.exec(codeOnly(text))?.[0]}`).toBe(`${path}: undefined`);
});

test("doors, effects, tools and audit do not import each other", () => {
  for (const [path, { imports }] of sources)
    for (const home of STRANGERS)
      if (path.startsWith(`${home}/`))
        for (const to of imports)
          for (const stranger of STRANGERS)
            if (stranger !== home && to.startsWith(`${stranger}/`)) throw new Error(`${path} imports ${to}`);
});

test("only src/mcp imports the MCP SDK", () => {
  const others = sources
    .filter(([path, { imports }]) => !path.startsWith("src/mcp/") && imports.some((to) => SDK.test(to)))
    .map(([path]) => path);
  expect(others).toEqual([]);
});

test("nothing imports src/main.ts", () => {
  for (const [path, { imports }] of files) for (const to of imports) expect(`${path} → ${to}`).not.toEndWith("→ src/main.ts");
});

test("there are no cycles", () => {
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) throw new Error(`cycle: ${[...path, file].join(" → ")}`);
    if (done.has(file)) return;
    for (const to of files.get(file)?.imports ?? []) walk(to, [...path, file]);
    done.add(file);
  };
  for (const file of files.keys()) walk(file, []);
});

test("there are no barrels", () => {
  for (const [path, { text }] of files) {
    expect(path).not.toMatch(/(^|\/)index\.ts$/);
    expect(`${path}: ${/^export \*/m.exec(text)?.[0]}`).toBe(`${path}: undefined`);
  }
});

test("the type checker is escaped nowhere but in the two places that say why", () => {
  const escapes = sources
    .filter(([path]) => !ANY_ALLOWED.has(path))
    .filter(
      ([, { text }]) =>
        /\bas any\b|: any\b|<any>|@ts-(ignore|expect-error|nocheck)/.test(withoutComments(text)) ||
        /@ts-(ignore|expect-error|nocheck)/.test(text),
    )
    .map(([path]) => path);
  expect(escapes).toEqual([]);
});

test("the source is short: half of the files have at most 80 lines, 19 of 20 at most 180", () => {
  const lengths = sources.map(([, { text }]) => text.split("\n").length - 1).sort((a, b) => a - b);
  expect(lengths[Math.floor(lengths.length * 0.5)] ?? 0).toBeLessThanOrEqual(80);
  expect(lengths[Math.floor(lengths.length * 0.95)] ?? 0).toBeLessThanOrEqual(180);
});

/** What stands in the brackets after every `start`; strings are blanked, so that theirs do not count. */
function inBrackets(text: string, start: RegExp): string[] {
  return [...text.matchAll(start)].map(({ index, 0: { length } }) => {
    let end = index + length;
    for (let depth = 1; depth > 0 && end < text.length; end++) depth += text[end] === "(" ? 1 : text[end] === ")" ? -1 : 0;
    return text.slice(index, end);
  });
}

test("no test counts what random values met, nor draws some that nobody can repeat: test/met.ts does it on values that never change", () => {
  for (const [path, { text }] of files) {
    if (!path.startsWith("test/") || path === "test/met.ts") continue;
    const code = codeOnly(text);
    if (path !== "test/architecture.test.ts") expect(`${path}: ${/Math\.random\(/.exec(code)?.[0]}`).toBe(`${path}: undefined`);
    for (const property of inBrackets(code, /\bfc\.(?:asyncP|p)roperty\(/g))
      for (const [, counter = ""] of property.matchAll(/\b([a-z]\w*)(?:\+\+| \+= )/g))
        expect(`${path}: ${counter}`).toBe(new RegExp(`\\blet ${counter}\\b`).test(property) ? `${path}: ${counter}` : "");
  }
});

test("nothing in the repository names a place outside of it", async () => {
  const tracked = Bun.spawnSync(["git", "ls-files"]).stdout.toString().trim().split("\n");
  for (const path of tracked) {
    if (path === ".ci/run" || path === "test/architecture.test.ts" || path.endsWith(".lock")) continue;
    const file = Bun.file(path);
    if (!(await file.exists()) || file.size > 1_000_000) continue;
    expect(
      `${path}: ${/\.\.\/shared|\/work\/(main|shared|\.library)|flows\.md|interfaces(-details)?\.md|spine-facts/.exec(await file.text())?.[0]}`,
    ).toBe(`${path}: undefined`);
  }
});
