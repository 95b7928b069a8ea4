/** Variables of clients become our references, by the rules of the client; nothing is filled in. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseTemplate } from "../../src/config/references.ts";
import { ref, server } from "./support.ts";

const PLAIN = "mcp.json";
const arg = (text: string, path = PLAIN, root = "mcpServers", beside: object = {}) => {
  const { entry, warnings } = server({ command: "x", args: [text] }, path, root, beside);
  return { text: (entry["args"] as string[])[0], warnings: warnings.join("\n") };
};

test.each([
  ["nothing to do", "plain $ {} }", PLAIN, "plain $ {} }"],
  ["braces", `<${ref("NAME")}>`, PLAIN, `<${ref("env:NAME")}>`],
  ["a default", ref("NAME:-a:-b"), PLAIN, ref("env:NAME:-a:-b")],
  ["with its kind", ref("env:NAME"), ".cursor/mcp.json", ref("env:NAME")],
  ["a dollar, at the start of a word", "Bearer $NAME", PLAIN, `Bearer ${ref("env:NAME")}`],
  ["a dollar inside a word", "pa$word", PLAIN, "pa$word"],
  ["a dollar for Gemini, anywhere", "x$NAME/y", ".gemini/settings.json", `x${ref("env:NAME")}/y`],
  ["a dollar for Claude Code is text", "$NAME", ".mcp.json", "$NAME"],
  ["an escape", `$${ref("NAME")}`, PLAIN, `$${ref("NAME")}`],
  ["one that is not closed", "a \u0024{NAME", PLAIN, "a $\u0024{NAME"],
  ["the user's home", `${ref("userHome")}${ref("/")}x`, ".cursor/mcp.json", `${ref("env:HOME")}/x`],
  ["the workspace", `${ref("workspaceFolder")}/x`, ".cursor/mcp.json", `${ref("env:WORKSPACE_FOLDER")}/x`],
  ["unknown kinds are text", ref("config:a.b"), ".cursor/mcp.json", `$${ref("config:a.b")}`],
  ["a file is not read for others", ref("file:/etc/passwd"), ".cursor/mcp.json", `$${ref("file:/etc/passwd")}`],
  ["a file of our own kind", ref("file:/run/x"), "rockbot.json", ref("file:/run/x")],
  ["a default that is a variable", ref(`A:-${ref("B")}`), ".mcp.json", ref("env:A")],
])("%s", (_, source, path, text) => {
  const translated = arg(source, path);
  expect(translated.text).toBe(text);
  expect(parseTemplate(translated.text ?? "").every(({ kind }) => kind === "text" || kind === "env" || kind === "file")).toBe(true);
});

test("OpenCode and Continue have forms of their own", () => {
  const opencode = server({ type: "local", command: ["x", "{env:A}", "{file:./b}"] }, "opencode.json", "mcp");
  expect(opencode.entry["args"]).toEqual([ref("env:A"), ref("file:./b")]);
  expect(arg(`\u0024{{ secrets.TOKEN }}`, "continue.json").text).toBe(ref("secret:TOKEN"));
});

test("what VS Code asks for is a secret, or a variable where the file says that it is none", () => {
  const inputs = [
    { id: "api key", type: "promptString", password: true },
    { id: "region", type: "pickString", default: "eu" },
    { id: "branch", type: "command", command: "run.me" },
  ];
  const ask = (id: string) => arg(ref(`input:${id}`), ".vscode/mcp.json", "servers", { inputs });
  expect(ask("api key")).toEqual({ text: ref("secret:api_key"), warnings: expect.stringContaining("toolcrib secret set api_key") });
  expect(ask("region").text).toBe(ref("env:REGION:-eu"));
  expect(ask("branch")).toEqual({ text: ref("env:BRANCH"), warnings: expect.stringContaining("set the variable BRANCH") });
  expect(ask("nowhere").text).toBe(ref("secret:nowhere"));
});

test("what the client alone fills in is told", () => {
  expect(arg(ref("CLAUDE_PROJECT_DIR"), ".mcp.json").warnings).toContain("CLAUDE_PROJECT_DIR is set by Claude Code only");
  expect(arg(ref("workspaceFolder"), ".cursor/mcp.json").warnings).toContain("set WORKSPACE_FOLDER");
  expect(arg("$NAME", ".mcp.json").warnings).toContain("plain text there and here");
  expect(arg(ref("NAME"), "claude_desktop_config.json").warnings).toContain("the client itself does not fill in");
});

test("a text that a command would make is not carried over, and no command is run", () => {
  const command = ref(`cmd: touch ${import.meta.dir}/ran`);
  const { entry, notCarried, warnings } = server({ command: "x", args: ["a", command], env: { A: command, B: "b" } });
  expect(entry).toEqual({ command: "x", disabled: true, env: { B: "b" } });
  expect(notCarried.map(({ field }) => field).sort()).toEqual(["args", "env.A"]);
  expect(warnings.join()).toContain("disabled");
  expect(server({ url: command }).entry).toEqual({});
});

test("any text becomes a template that can be read, whatever its client", () => {
  const path = fc.constantFrom("mcp.json", ".mcp.json", ".gemini/settings.json", ".cursor/mcp.json", "rockbot.json", "continue.json");
  const piece = fc.constantFrom("$", "${", "}", "$${", "A", "env:", "A:-", "input:", "{env:A}", "\u0024{{ secrets.A }}", "/", " ", "\0");
  fc.assert(
    fc.property(path, fc.array(piece, { maxLength: 8 }), (name, pieces) => {
      const { entry } = server({ command: "x", env: { V: pieces.join("") } }, name);
      const [text = ""] = Object.values((entry["env"] ?? {}) as Record<string, string>);
      expect(() => parseTemplate(text)).not.toThrow();
    }),
  );
});
