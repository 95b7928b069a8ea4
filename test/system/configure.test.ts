/** What a configuration changes when it comes into force: which servers are connected to anew, what applies to those that are, and which ids they keep. */
import { describe, expect, test } from "bun:test";
import { ref } from "../config/fixture.ts";
import { text } from "../harness.ts";
import { configurable, http, only, stdio } from "./configurable.ts";

describe("a server is connected to anew", () => {
  test.each<[what: string, before: object, after: object]>([
    ["its program", stdio, { ...stdio, command: "other" }],
    ["its arguments", stdio, { ...stdio, args: ["b"] }],
    ["a variable", stdio, { ...stdio, env: { A: "1", B: "3" } }],
    ["its folder", stdio, { ...stdio, cwd: "/sub" }],
    ["its address", http, { ...http, url: "https://x.example/other" }],
    ["a header", http, { ...http, headers: { "X-A": "1" } }],
    ["its transport", http, { ...http, transportMode: "sse" }],
    ["its kind", stdio, http],
    ["whether it may ask", stdio, { ...stdio, elicitation: { mode: "off" } }],
    ["whether its calls may go on in the background", stdio, { ...stdio, tasks: true }],
    ["the value of a reference", { ...stdio, env: { A: ref("env:ONE") } }, { ...stdio, env: { A: ref("env:TWO") } }],
  ])("when %s changes, and keeps its id", async (_, before, after) => {
    const place = { cwd: "/" }; // each file lies in a folder of its own
    const written = (entry: object) => only("url" in entry ? entry : { ...place, ...entry });
    const { apply, server } = await configurable(written(before), { ONE: "1", TWO: "2" });
    const id = server("one")?.id;
    expect((await apply(written(after))).connects).toBe(1);
    expect(server("one")?.id).toBe(id ?? "");
  });
});

describe("a server is left alone", () => {
  const there = { ...stdio, cwd: "/" };
  test.each<[what: string, after: object | string]>([
    ["nothing", only(there)],
    ["the text around it", `// a comment\n${JSON.stringify(only(there), undefined, 2)}`],
    ["the order of its variables", only({ ...there, env: { B: "2", A: "1" } })],
    ["the way a value is written", only({ ...there, env: { A: ref("env:ONE"), B: "2" } })],
    ["its allowedTools", only({ ...there, allowedTools: ["act"] })],
    ["its deniedTools", only({ ...there, deniedTools: ["act"] })],
    ["its capabilities", only({ ...there, tools: { act: { capability: "read" } } })],
    ["its trust", only({ ...there, trusted: true })],
    ["its deadline", only({ ...there, toolTimeoutMs: 5 })],
    ["what becomes of its questions", only({ ...there, elicitation: { mode: "decline", maxPerCall: 0 }, taskTimeoutMinutes: 1 })],
    ["its summary", only({ ...there, summary: "Acts." })],
    ["what is done with changed definitions", only(there, { bridge: { drift: { changed: "warn" } } })],
    ["the mode", only(there, { bridge: { wrapperMode: "off" }, profiles: { own: { wrapperMode: "eager" } } })],
    ["a limit", only(there, { limits: { slotsPerServer: 1 } })],
    ["another server", { mcpServers: { one: there, two: { command: "prog" } } }],
  ])("when %s changes", async (_, after) => {
    const { apply } = await configurable(only(there), { ONE: "1" });
    expect((await apply(after)).connects).toBe(0);
  });

  test("and its new policy is in force, for calls that wait as well", async () => {
    const { apply, server, session, settle, one, runtime } = await configurable(only(there, { limits: { slotsPerServer: 1 } }));
    const ada = await session("s_1");
    const [running, waiting] = [ada.ask("one__act", { n: 1 }), ada.ask("one__act", { n: 2 })];
    await settle();
    const policy = { deniedTools: ["act"], trusted: true, toolTimeoutMs: 5, summary: "Acts.", tools: { "*": { capability: "read" } } };
    await apply(only({ ...there, ...policy }, { bridge: { wrapperMode: "lazy", drift: { added: "withhold" } } }));
    expect(server("one")?.policy).toEqual({
      address: expect.any(String),
      allowedTools: [],
      deniedTools: ["act"],
      capabilities: { "*": "read" },
      trusted: true,
      toolTimeoutMs: 5,
      summary: "Acts.",
    });
    expect(runtime.catalogue().surface).toMatchObject({ wrapperMode: "lazy", drift: { changed: "withhold", added: "withhold" } });
    one.calls[0]?.answer(text("done"));
    expect(await running).toMatchObject({ certainty: "answered" });
    expect(await waiting).toMatchObject({ code: "refused" });
    expect(await ada.ask("one__act")).toMatchObject({ code: "tool_not_found" });
  });
});

test("calls in flight get the answer of the connection they were sent over", async () => {
  const { apply, session, settle, one } = await configurable(only(stdio));
  const ada = await session("s_1");
  const first = ada.ask("one__act", { n: 1 });
  await settle();
  await apply(only({ ...stdio, env: {} }));
  const second = ada.ask("one__act", { n: 2 });
  await settle();
  one.calls[1]?.answer(text("from the new one"));
  one.calls[0]?.answer(text("from the old one"));
  expect(JSON.stringify(await first)).toContain("from the old one");
  expect(JSON.stringify(await second)).toContain("from the new one");
});

test("no call is lost in the moment between two connections, whenever it comes", async () => {
  const { session, settle, one, connections } = await configurable(only(stdio));
  const ada = await session("s_1");
  const { wanted } = connections.of("one") ?? {};
  if (!wanted) throw new Error("not connected");
  for (let steps = 0; steps < 12; steps++) {
    const asked = ada.ask("one__act", { steps });
    for (let step = 0; step < steps; step++) await Promise.resolve();
    void connections.apply([{ ...wanted, identity: `number ${steps}` }]);
    await settle();
    one.calls.at(-1)?.answer(text(`answer ${steps}`));
    expect(JSON.stringify(await asked)).toContain(`answer ${steps}`);
  }
});

describe("an id", () => {
  test("is drawn by the program for a new name and for one that comes again, and what a file says of it means nothing", async () => {
    const { apply, server } = await configurable(only({ ...stdio, id: "ffffffffffff", origin: "agent" }));
    const first = server("one");
    expect(first?.origin).toBe("operator");
    expect(first?.id).not.toBe("ffffffffffff");
    await apply({ mcpServers: { Renamed: stdio } });
    expect([server("one"), server("renamed")?.id === first?.id]).toEqual([undefined, false]);
    await apply(only(stdio));
    expect([first?.id, server("renamed")?.id]).not.toContain(server("one")?.id);
  });

  test("outlives a reference that is missing for a while: the server is refused by its name, the others are not", async () => {
    const entry = { ...stdio, env: { A: ref("env:LATER") } };
    const env: Record<string, string> = {};
    const { apply, server } = await configurable({ mcpServers: { one: entry, two: { command: "prog" } } }, env);
    const { id, refused } = server("one") ?? {};
    expect(refused).toContain("LATER");
    expect(server("two")?.refused).toBeUndefined();
    env["LATER"] = "now";
    expect(await apply({ mcpServers: { one: entry } })).toMatchObject({ refused: {}, connects: 1 });
    expect(server("one")).toMatchObject({ id: id ?? "" });
    expect(server("one")?.refused).toBeUndefined();
  });
});

describe("a tier of models", () => {
  const tier = { baseUrl: "https://models.example/v1", model: "small" };
  const low = { ...tier, apiKey: ref("env:KEY") };

  test("whose reference is missing is off, with a reason, and nothing else is", async () => {
    const env: Record<string, string> = {};
    const { apply, language, server } = await configurable(only(stdio), env);
    const { off } = await apply(only(stdio, { llm: { low, high: tier } }));
    expect(off).toEqual({ low: expect.stringContaining("the environment variable KEY is not set") });
    expect(Object.keys(language.llm.tiers())).toEqual(["high"]);
    expect(server("one")?.refused).toBeUndefined();
    env["KEY"] = "key-0123456789";
    expect((await apply(only(stdio, { llm: { low } }))).off).toEqual({});
    expect(language.llm.tiers().low?.apiKey).toBe("key-0123456789");
  });

  test("has a key that is a secret, also when it was replaced: what it is asked now may still be answered", async () => {
    const env: Record<string, string> = { KEY: "key-0123456789" };
    const { apply, vault } = await configurable({ llm: { low } }, env);
    expect(vault.redactText("key-0123456789")).not.toContain("0123456789");
    env["KEY"] = "key-9876543210";
    await apply({ llm: { low } });
    for (const value of ["key-0123456789", "key-9876543210"]) expect(vault.redactText(value)).not.toContain(value);
  });
});
