/** Calling tools from the command line, and what is told about a call afterwards, on a daemon that runs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { callInDoubt, clear, json, place, run, serve, until } from "./support.ts";

const here = place();
const data = ["--data", here.data];
let daemon: Awaited<ReturnType<typeof serve>>;
/** In doubt: its server ended before it answered. */
let crashed = "";

beforeAll(async () => {
  daemon = await serve(here);
  await until(async () => (await run(["tools", ...data])).stdout.includes("two__echo"));
  crashed = await callInDoubt(here);
});
afterAll(async () => {
  daemon.kill();
  await daemon.exited;
  await clear(here);
});

describe("tools", () => {
  test("lists names, arguments and descriptions, aligned and without colour off a terminal", async () => {
    const { code, stdout } = await run(["tools", ...data]);
    expect(code).toBe(0);
    const [head = "", ...rows] = stdout.split("\n");
    expect(head).toMatch(/^NAME +ARGUMENTS +DESCRIPTION$/);
    const row = rows.find((line) => line.startsWith("mcp_get_service_details ")) ?? "";
    expect(row.indexOf("server_name, tool_name?")).toBe(head.indexOf("ARGUMENTS"));
    expect(stdout).not.toContain("\u001b");
  });

  test("--json is the list an agent gets; --format prints the definitions of another API", async () => {
    const body = (await json(["tools", "--session", "desk", ...data])) as {
      tools: { name: string; inputSchema: object }[];
      position: number;
    };
    expect(body.tools.map(({ name }) => name)).toContain("one__echo");
    expect(body.position).toBeGreaterThan(0);
    const openai = JSON.parse((await run(["tools", "--format", "openai", ...data])).stdout) as { tools: { type: string }[] };
    expect(openai.tools[0]?.type).toBe("function");
  });
});

test("a name that an agent made up commands no terminal, and begins no line of its own", async () => {
  const name = "none\u001b]0;title\u0007\nstatus     approved";
  const { error } = (await json(["call", name, "{}", ...data])) as { error: { callId: string } };
  const { stdout } = await run(["show", error.callId, ...data]);
  expect(stdout.split("\n")[0]).toStartWith("none\\u{1b}]0;title\\u{7} status     approved  ");
  for (const char of ["\u001b", "\u0007"]) expect(stdout).not.toContain(char);
  expect(stdout).not.toMatch(/^status/m);
});

describe("call", () => {
  test("prints the text and ends 0", async () => {
    const { code, stdout, stderr } = await run(["call", "one__echo", '{"text":"hello"}', ...data]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
  });

  test("reads the arguments from standard input; --json prints the body", async () => {
    const { code, stdout } = await run(["call", "one__echo", "-", "--json", ...data], { stdin: '{"text":"piped"}' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      callId: expect.stringMatching(/^c_/),
      isError: false,
      content: [{ type: "text", text: "piped" }],
    });
  });

  test("ends 1 for a tool's own error, and for ours, which it tells on stderr", async () => {
    const own = await run(["call", "one__fail", "{}", ...data]);
    expect(own).toMatchObject({ code: 1, stdout: "no luck\n" });
    const ours = await run(["call", "one__nothing", "{}", ...data]);
    expect(ours).toMatchObject({ code: 1, stdout: "" });
    expect(ours.stderr).toStartWith("toolcrib: tool_not_found: ");
    expect(ours.stderr).toContain('"toolcrib tools"');
  });

  test("names the tool that was meant, also when its server's name was left out", async () => {
    for (const slip of ["one__ehco", "echo"])
      expect((await run(["call", slip, "{}", ...data])).stderr).toContain('did you mean "one__echo"?');
  });

  test("ends 65 when the arguments are no JSON object", async () => {
    for (const bad of ["nothing", "[1]", "7"]) expect((await run(["call", "one__echo", bad, ...data])).code).toBe(65);
  });

  test("sends a large integer as it was written, so that it is refused and not altered", async () => {
    const { code, stderr } = await run(["call", "one__echo", '{"n":9007199254740993}', ...data]);
    expect(code).toBe(1);
    expect(stderr).toContain("9007199254740993");
  });

  test("with an idempotency key runs once", async () => {
    const twice = async () => (await json(["call", "two__count", "{}", "--idempotency-key", "k1", ...data])) as { callId: string };
    expect((await twice()).callId).toBe((await twice()).callId);
  });
});

describe("doubts and resolve", () => {
  test("a call in doubt is listed, settled once, and then gone from the list", async () => {
    const before = (await json(["doubts", ...data])) as { doubts: Record<string, unknown>[]; position: number };
    expect(before.doubts).toEqual([
      {
        call: crashed,
        session: "desk",
        server: "two",
        tool: "crash",
        argumentsDigest: expect.any(String),
        since: expect.any(Number),
        code: "execution_failed",
      },
    ]);
    const settled = await run(["resolve", crashed, "not-applied", "--note", "the server says so", ...data]);
    expect(settled.stdout).toBe(`${crashed} (crash of two) is resolved: not_applied, by operator:cli:${process.getuid?.()}\n`);
    expect(await run(["doubts", ...data])).toMatchObject({ code: 0, stdout: "no call is in doubt\n" });
    const after = (await json(["doubts", "--all", ...data])) as typeof before;
    expect(after.doubts[0]).toMatchObject({ call: crashed, outcome: "not_applied" });
    expect((await run(["resolve", crashed, "applied", "--note", "x", ...data])).code).toBe(1);
  });

  test("a call that never was in doubt ends 1", async () => {
    const { code, stderr } = await run(["resolve", "c_none", "applied", "--note", "x", ...data]);
    expect(code).toBe(1);
    expect(stderr).toContain("toolcrib doubts");
  });
});

test("events of which there are none are said to be none, on stderr", async () => {
  expect(await run(["events", "--call", "c_none", ...data])).toEqual({ code: 0, stdout: "", stderr: "toolcrib: no event fits\n" });
  expect(await run(["events", "--call", "c_none", "--json", ...data])).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("a backup that cannot be written says where and why", async () => {
  const to = join(here.root, "none", "copy");
  expect(await run(["backup", to, ...data])).toEqual({
    code: 1,
    stdout: "",
    stderr: `toolcrib: ${to}.anchor: there is no such file or folder; check the path\n`,
  });
});

test("doctor looks at the configuration of the daemon that runs, when it is not told another", async () => {
  const { checks } = (await json(["doctor", ...data])) as { checks: { name: string; detail: string }[] };
  expect(checks).toContainEqual(expect.objectContaining({ name: "config", detail: here.config }));
  expect(checks).toContainEqual(expect.objectContaining({ name: "server one", detail: "connected" }));
});

describe("show", () => {
  test("a call is told from its request to its resolution", async () => {
    const call = (await json(["show", crashed, ...data])) as { timeline: { type: string; ms: number }[] };
    expect(call).toMatchObject({ kind: "call", call: crashed, name: "two__crash", session: "desk", certainty: "in_doubt", arguments: {} });
    expect(call.timeline.map(({ type }) => type).slice(0, 4)).toEqual([
      "call.requested",
      "call.dispatched",
      "call.settled",
      "call.answered",
    ]);
    expect(call.timeline[0]?.ms).toBe(0);
    expect((await run(["show", crashed, ...data])).stdout).toContain("in_doubt (execution_failed)");
  });

  test("a session is found by its name and by its id", async () => {
    const byName = (await json(["show", "desk", ...data])) as { kind: string; id: string; calls: { call: string }[] };
    expect(byName).toMatchObject({ kind: "session", name: "desk", agent: "default" });
    expect(byName.calls.map(({ call }) => call)).toContain(crashed);
    expect(await json(["show", byName.id, ...data])).toMatchObject({ id: byName.id });
  });

  test("an id of nothing ends 1", async () => {
    expect((await run(["show", "c_none", ...data])).code).toBe(1);
  });
});
