/** Names that agents get wrong: each is resolved where it can only mean one thing, and else told what there is. */
import { describe, expect, test } from "bun:test";
import { fakeServer, harness, text, tool } from "../harness.ts";

async function invoked(args: Record<string, unknown>) {
  const mail = fakeServer([
    tool("act"),
    tool("look"),
    tool("mail__odd"),
    { ...tool("wrap"), inputSchema: { type: "object", properties: { tool_name: {} } } },
  ]);
  const files = fakeServer([tool("read"), tool("burn")]);
  const gone = fakeServer();
  gone.reachable = false;
  const { session, settle } = await harness({ servers: { mail, gone, files }, policies: { files: { deniedTools: ["burn"] } } });
  const result = (await session("s_1")).call("mcp_invoke_tool", args);
  await settle();
  const [sent] = [...mail.calls, ...files.calls];
  sent?.answer(text("done"));
  const { content, structuredContent } = await result;
  return {
    tool: sent?.request.tool,
    arguments: sent?.request.arguments,
    said: content[0]?.text ?? "",
    code: structuredContent?.error?.["code"],
  };
}

describe("a tool is found", () => {
  test.each([
    ["by its own name", "act", "act"],
    ["in another case", "ACT", "act"],
    ["with spaces around it", " act ", "act"],
    ["by its typed name", "mail__act", "act"],
    ["by its typed name in another case", "MAIL__Act", "act"],
    ["by its own name, which looks like a typed one", "mail__odd", "mail__odd"],
    ["by the typed name of such a tool", "mail__mail__odd", "mail__odd"],
  ])("%s", async (_, tool_name, tool) => {
    expect((await invoked({ server_name: "mail", tool_name, arguments: {} })).tool).toBe(tool);
  });
});

describe("a name that means nothing", () => {
  test.each([
    [
      "an unknown server: the servers there are, sorted",
      "post",
      "act",
      "tool_not_found",
      'there is no server "post"; the servers are: files, gone, mail',
    ],
    ["a typed name for a server: how to split it", "mail__act", "x", "tool_not_found", 'server_name "mail" and tool_name "act"'],
    ["an unknown tool: the tools there are", "files", "write", "tool_not_found", '"files" has no tool "write"; its tools are: read'],
    ["a tool that may not be called is not there", "files", "burn", "tool_not_found", "its tools are: read"],
    ["nor by its typed name", "files", "files__burn", "tool_not_found", "its tools are: read"],
    ["nor elsewhere", "mail", "files__burn", "tool_not_found", 'has no tool "files__burn"; its tools are: act, look'],
    [
      "a typed name of another server: how to split it",
      "mail",
      "files__read",
      "tool_not_found",
      'server_name "files" and tool_name "read"',
    ],
    ["a built-in tool is none of a server", "builtin", "call_status", "tool_not_found", 'there is no server "builtin"'],
    ["a server that cannot be reached", "gone", "act", "not_connected", 'the server "gone" is registered but not reachable right now'],
  ])("%s", async (_, server_name, tool_name, code, words) => {
    const outcome = await invoked({ server_name, tool_name, arguments: {} });
    expect(outcome).toMatchObject({ tool: undefined, code });
    expect(outcome.said).toContain(words);
  });

  test("by a typed name of a server that cannot be reached is not said to be missing", async () => {
    const gone = fakeServer();
    gone.reachable = false;
    const { session } = await harness({ servers: { gone } });
    const told = await (await session("s_1")).call("gone__act");
    expect(told.structuredContent?.error).toMatchObject({ code: "not_connected", retryable: true });
    expect(told.content[0]?.text).toContain("the server gone is registered but not reachable right now");
  });
});

test("a tool that was switched off is refused, not missing, and not listed", async () => {
  const mail = fakeServer();
  const { session, runtime } = await harness({ servers: { mail } });
  await runtime.enter("registry", { type: "switch", server: "mail", tool: "act", enabled: false, by: "cli" });
  const ada = await session("s_1");
  const off = await ada.call("mcp_invoke_tool", { server_name: "mail", tool_name: "mail__act", arguments: {} });
  expect(off.structuredContent?.error).toMatchObject({ code: "refused" });
  expect(off.content[0]?.text).toContain("its operator has switched it off");
  const unknown = await ada.call("mcp_invoke_tool", { server_name: "mail", tool_name: "burn", arguments: {} });
  expect(unknown.content[0]?.text).toContain("its tools are: look)");
  expect(mail.calls).toEqual([]);
});

describe("arguments", () => {
  const target = { server_name: "mail", tool_name: "act" };

  test.each([
    ["wrapped twice", { arguments: { ...target, arguments: { a: 1 } } }, { a: 1 }],
    ["wrapped twice, the inner ones beside the names", { arguments: { ...target, a: 1 } }, { a: 1 }],
    [
      "of another wrapper",
      { arguments: { server_name: "mail", tool_name: "look", a: 1 } },
      { server_name: "mail", tool_name: "look", a: 1 },
    ],
    ["with a key called refusal", { arguments: { refusal: {} } }, { refusal: {} }],
  ])("%s are unwrapped once at most", async (_, more, sent) => {
    expect((await invoked({ ...target, ...more })).arguments).toEqual(sent);
  });

  test("of a tool that declares such names itself stay as they are", async () => {
    const args = { server_name: "mail", tool_name: "wrap", arguments: { a: 1 } };
    expect((await invoked({ server_name: "mail", tool_name: "wrap", arguments: args })).arguments).toEqual(args);
  });

  test.each([
    ["no JSON", '{"a": 1, b}', 'is not JSON (InvalidSymbol at character 10): {"a": 1, b}'],
    ["a number in JSON", "7", "its text is JSON, but not an object"],
    ["a list", [1], "it is an array"],
    ["a number", 7, "it is a number"],
    ["a long text", `{${"x".repeat(600)}`, "its text is not JSON ("],
  ])("that are %s are refused with what is wrong and an example", async (_, given, words) => {
    const { said, code } = await invoked({ ...target, arguments: given });
    expect(code).toBe("invalid_arguments");
    expect(said).toContain(words);
    expect(said).toContain('such as {"server_name":"…","tool_name":"…","arguments":{"name":"value"}}');
    expect(said.length).toBeLessThan(500);
  });
});
