/** What a client learns that asks for a prompt or a resource which it cannot have. */
import { describe, expect, test } from "bun:test";
import { GONE, result, rpcError, surface, surfaceServer } from "./native-fixture.ts";

type Failure = { code: number; message: string; data?: Record<string, unknown> };
const failure = async (work: Promise<unknown>): Promise<Failure> => {
  const value = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(value instanceof Error)) throw new Error("it was answered");
  return { ...(value as unknown as Failure), message: value.message };
};

test("what is not there, or not for this session, is unknown", async () => {
  const mail = surfaceServer();
  await using world = await surface({ servers: { mail } });
  const client = await world.client();
  expect(await failure(client.getPrompt({ name: "mail__nothing" }))).toMatchObject({
    code: -32602,
    message: expect.stringContaining("There is no such prompt here; prompts/list tells which there are."),
  });
  for (const uri of ["note://2", "toolcrib://nobody/note://1", "toolcrib://mail/", "toolcrib://%/x", "toolcrib://builtin/a:b"])
    expect(await failure(client.readResource({ uri }))).toMatchObject({
      code: -32602,
      message: expect.stringContaining("No server declares this resource; resources/list tells which there are."),
      data: { uri, code: "tool_not_found" },
    });
  expect(mail.requests).toEqual([]);
});

test("a missing argument is named, before anything is sent", async () => {
  const mail = surfaceServer();
  await using world = await surface({ servers: { mail } });
  const client = await world.client();
  expect(await failure(client.getPrompt({ name: "mail__greet" }))).toMatchObject({
    code: -32602,
    message: expect.stringContaining("The prompt needs who: greet(who)."),
    data: { code: "invalid_arguments", certainty: "not_applied" },
  });
  expect(mail.requests).toEqual([]);
});

describe.each([
  [
    "prompts/get",
    (client: Awaited<ReturnType<Awaited<ReturnType<typeof surface>>["client"]>>) =>
      client.getPrompt({ name: "mail__greet", arguments: { who: "x" } }),
  ],
  [
    "resources/read",
    (client: Awaited<ReturnType<Awaited<ReturnType<typeof surface>>["client"]>>) => client.readResource({ uri: "note://1" }),
  ],
] as const)("%s", (_, ask) => {
  test("gives the server's own error with its code, data and message, without secrets", async () => {
    const answer = () => rpcError(-31234, "no s3cr3t-of-the-server today", { uri: "s3cr3t-of-the-server", n: 1 });
    const mail = surfaceServer({ answer });
    await using world = await surface({ servers: { mail }, secrets: [{ name: "s", value: "s3cr3t-of-the-server" }] });
    const told = await failure(ask(await world.client()));
    expect(told).toMatchObject({
      code: -31234,
      message: expect.stringMatching(/no \[REDACTED secret #[0-9a-f]{8}\] today/),
      data: { n: 1 },
    });
    expect(JSON.stringify(told)).not.toContain("s3cr3t");
    expect(JSON.stringify(world.log.page({ after: 0, limit: 1000 }))).not.toContain("s3cr3t");
  });

  test.each([
    [-32601, -32602],
    [-32002, -32602],
    [-32021, -32603],
    [-32602, -32602],
    [-32000, -32000],
  ])("gives a server's %d as %d", async (theirs, ours) => {
    const mail = surfaceServer({ answer: () => rpcError(theirs, "its own words") });
    await using world = await surface({ servers: { mail } });
    for (const client of [await world.client("legacy"), await world.client("auto")])
      expect(await failure(ask(client))).toMatchObject({ code: ours, message: expect.stringContaining("its own words") });
  });

  test("says so when the server is away", async () => {
    const mail = surfaceServer({ answer: () => GONE });
    await using world = await surface({ servers: { mail } });
    expect(await failure(ask(await world.client()))).toMatchObject({
      code: -32603,
      message: expect.stringContaining("The server cannot be reached."),
      data: { code: "not_connected", certainty: "not_applied", retryable: true, callId: expect.stringMatching(/^c_/) },
    });
  });

  test("says so when the server never answers", async () => {
    const mail = surfaceServer({ answer: () => new Promise(() => undefined) });
    await using world = await surface({ servers: { mail } });
    const told = failure(ask(await world.client()));
    while (mail.requests.length === 0) await Bun.sleep(1);
    await world.clock.advance(55_000);
    expect(await told).toMatchObject({ code: -32603, data: { code: "timeout", retryable: true } });
  });

  test("passes no answer on that is none", async () => {
    const mail = surfaceServer({ answer: () => result({ content: [{ type: "text", text: "what?" }] }) });
    await using world = await surface({ servers: { mail } });
    expect(await failure(ask(await world.client()))).toMatchObject({ code: -32603, data: { code: "execution_failed" } });
  });

  test("is called off with its client", async () => {
    const mail = surfaceServer({ answer: () => new Promise(() => undefined) });
    await using world = await surface({ servers: { mail } });
    const client = await world.client("legacy");
    const abort = new AbortController();
    const options = { signal: abort.signal };
    const asked = client
      .request(
        _ === "prompts/get"
          ? { method: _, params: { name: "mail__greet", arguments: { who: "x" } } }
          : { method: _, params: { uri: "note://1" } },
        options,
      )
      .catch(() => "left");
    while (mail.requests.length === 0) await Bun.sleep(1);
    abort.abort();
    expect(await asked).toBe("left");
    while (mail.requests[0]?.signal?.aborted !== true) await Bun.sleep(1);
    expect(mail.requests[0]?.signal?.reason).toBe("cancelled");
  });
});
