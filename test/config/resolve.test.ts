/** References, what a server is refused for, and which address comes out. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { parseTemplate, writePiece } from "../../src/config/references.ts";
import { type ResolveOptions, registeredReferences, resolveEntry } from "../../src/config/resolve.ts";
import { folderWith, loaded, ref } from "./fixture.ts";

const entryOf = (written: object) => {
  const entry = loaded({ mcpServers: { s: written } }).config.mcpServers["s"];
  if (entry === undefined) throw new Error("no entry");
  return entry;
};
const files: Readonly<Record<string, string>> = { "/run/creds/db": "cred-value-1\n", "/abs/f": "file-value-1\r\n" };
const options: ResolveOptions = {
  env: { NAME: "value", EMPTY: "", CREDENTIALS_DIRECTORY: "/run/creds" },
  secret: (name) => (name === "known" ? "secret-value-1" : undefined),
  readFile: (path) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error("no"), { code: "ENOENT" });
    return text;
  },
};
const resolved = (written: object, more: Partial<ResolveOptions> = {}) => {
  const result = resolveEntry("s", entryOf(written), { ...options, ...more });
  if (!result.ok) throw new Error(result.refused);
  return result;
};
const refusal = (written: object, more: Partial<ResolveOptions> = {}) => {
  const result = resolveEntry("s", entryOf(written), { ...options, ...more });
  if (result.ok) throw new Error("expected the entry to be refused");
  return result.refused;
};

test.each([
  [ref("env:NAME"), "value"],
  [ref("NAME"), "value"],
  [`<${ref("NAME")}|${ref("env:NAME")}>`, "<value|value>"],
  [ref("env:NONE:-other"), "other"],
  [ref("NONE:-"), ""],
  [ref("env:EMPTY:-other"), "other"],
  [ref("EMPTY"), ""],
  [ref("NONE:-a:-b"), "a:-b"],
  [ref("file:/abs/f"), "file-value-1"],
  [ref("cred:db"), "cred-value-1"],
  [ref("secret:known"), "secret-value-1"],
  [`$${ref("NAME")}`, ref("NAME")],
  ["$NAME $ {} }", "$NAME $ {} }"],
])("%j becomes %j", (written, value) => {
  expect(resolved({ command: "x", args: [written] }).target).toMatchObject({ args: [value] });
});

test.each([
  [ref("NONE"), `mcpServers.s.args[0]: the environment variable NONE is not set; set it, or write ${ref("env:NONE:-default")}`],
  [ref("secret:other"), "mcpServers.s.args[0]: the secret other is not in the secret store"],
  [ref("file:/none"), `mcpServers.s.args[0]: ${ref("file:/none")} cannot be read (ENOENT)`],
  [ref("cred:none"), `mcpServers.s.args[0]: ${ref("cred:none")} cannot be read (ENOENT)`],
  ["\u0024{NAME", "mcpServers.s.args[0]: a reference \u0024{ is not closed; write $\u0024{ for a plain \u0024{"],
])("%j refuses the server and says why", (written, reason) => {
  expect(refusal({ command: "x", args: [written] })).toBe(reason);
});

test.each(["", "env:", "env:A B", "cmd:ls", "cred:../up", "cred:.hidden", "secret:"])("the reference {%s} is none", (body) => {
  expect(refusal({ command: "x", args: [ref(body)] })).toContain("is not a reference; known are");
});

test("a credential without a credentials folder is refused by its name", () => {
  expect(refusal({ command: "x", args: [ref("cred:db")] }, { env: {} })).toContain("the credential db is not there");
});

test("a template is written back as it was read", () => {
  const written = `a $$${ref("b")} ${ref("env:C:-d")} ${ref("file:e/f")} $g`;
  expect(parseTemplate(written).map(writePiece).join("")).toBe(written);
});

test("references are usable in command, args, env, cwd, url and headers", () => {
  const stdio = { command: ref("NAME"), args: ["a", ref("NAME")], env: { A: ref("NAME") }, cwd: `/x/${ref("NAME")}` };
  expect(resolved(stdio).target).toEqual({ kind: "stdio", command: "value", args: ["a", "value"], env: { A: "value" }, cwd: "/x/value" });
  const http = {
    url: `https://${ref("NAME")}.example/mcp`,
    headers: { "X-A": ref("NAME"), "X-Empty": ref("EMPTY") },
    transportMode: "sse",
  };
  expect(resolved(http).target).toEqual({ kind: "http", url: "https://value.example/mcp", mode: "sse", headers: { "X-A": "value" } });
});

test("relative paths start at the folder of the file that names the entry", () => {
  const folder = folderWith({ "key.txt": "from-the-file\n" });
  const entry = { ...entryOf({ command: "./bin/x", args: [ref("file:key.txt")], cwd: "sub" }), folder };
  const result = resolveEntry("s", entry, { env: {} });
  expect(result).toMatchObject({ ok: true, target: { command: join(folder, "bin/x"), cwd: join(folder, "sub"), args: ["from-the-file"] } });
  expect(resolveEntry("s", { ...entry, folder: "/nowhere" }, { env: {} }).ok).toBe(false);
  const plain = entryOf({ command: "bun" });
  expect(resolveEntry("s", plain, { env: {} })).toMatchObject({ target: { command: "bun", cwd: plain.folder } });
});

test.each([
  [{ url: "ftp://x.example" }, "its url is not an http or https address"],
  [{ url: ref("EMPTY") }, "its url is not an http or https address"],
  [{ command: ref("EMPTY") }, "its command is empty"],
  [{ command: "x", args: ["\0"] }, "its command, args, env or cwd holds a NUL character"],
  [{ url: "http://x", headers: { "X-A": "a\r\nX-B: c" } }, "its header X-A holds a line break or a NUL character"],
])("%j cannot be reached", (written, reason) => {
  expect(refusal(written)).toBe(reason);
});

test("a file that is too large for a secret is not read", () => {
  const folder = folderWith({ big: "x".repeat(65 * 1024) });
  const result = resolveEntry("s", { ...entryOf({ command: "x", args: [ref("file:big")] }), folder }, { env: {} });
  expect(result).toEqual({ ok: false, refused: `mcpServers.s.args[0]: ${ref("file:big")} cannot be read (larger than 64 KiB)` });
});

describe("a gateway that lists itself", () => {
  const self = { listen: { host: "127.0.0.1", port: 7420 }, commands: ["/opt/crib/main.ts"] };
  const us: object[] = [
    { url: "http://127.0.0.1:7420/mcp" },
    { url: "http://localhost:7420/mcp/" },
    { url: "http://[::1]:7420/mcp" },
    { command: "toolcrib", args: ["stdio"] },
    { command: "/usr/bin/toolcrib", args: ["--data", "x", "serve"] },
    { command: "npx", args: ["-y", "toolcrib@1.2.3", "stdio"] },
    { command: "bun", args: ["/opt/crib/main.ts", "stdio"] },
    { command: "bun", args: ["main.ts", "stdio"], cwd: "/opt/crib" },
  ];
  test.each(us)("%j is refused", (written) => {
    expect(refusal(written, { self })).toContain("a gateway cannot serve itself");
  });

  const others: object[] = [
    { url: "http://127.0.0.1:7421/mcp" },
    { url: "http://127.0.0.1:7420/other" },
    { url: "http://crib.example:7420/mcp" },
    { command: "toolcrib", args: ["cassette", "play", "f"] },
    { command: "bun", args: ["server.js", "stdio"] },
    { command: "stdio", args: ["toolcrib"] },
  ];
  test.each(others)("%j is not refused", (written) => {
    expect(resolved(written, { self }).target).toBeDefined();
  });
});

test("references of secrets.register are looked up although no server uses them", () => {
  const secrets = { register: [ref("secret:known"), ref("NONE"), ref("NAME"), "A_NAME"], ignore: [] };
  const { registered, missing } = registeredReferences("/", { ...options, secrets });
  expect(registered).toEqual([{ kind: "secret", name: "known", value: "secret-value-1" }]); // "value" is too short to conceal
  expect(missing).toEqual([expect.stringContaining("NONE is not set")]);
});
