/** Which prompts and resources a session sees: exactly those it may have, from the last known lists. */
import { describe, expect, test } from "bun:test";
import { memoryLog } from "../harness.ts";
import { envelope, MODERN, onlyMessage } from "../mcp/upstream/serve.ts";
import { surface, surfaceServer } from "./native-fixture.ts";

const names = async (client: Awaited<ReturnType<Awaited<ReturnType<typeof surface>>["client"]>>) => {
  const [prompts, resources, templates] = await Promise.all([client.listPrompts(), client.listResources(), client.listResourceTemplates()]);
  return [
    ...prompts.prompts.map(({ name }) => name),
    ...resources.resources.map(({ uri }) => uri),
    ...templates.resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  ];
};
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "answered",
    (error: { code?: number }) => error.code,
  );

test("are there right after a start with every server dead", async () => {
  const log = memoryLog();
  const mail = surfaceServer();
  await surface({ servers: { mail }, log });
  const dead = surfaceServer();
  dead.reachable = false;
  await using world = await surface({ servers: { mail: dead }, log });
  expect(await names(await world.client())).toEqual(["mail__greet", "toolcrib://mail/note://1", "toolcrib://mail/note://{id}/raw"]);
});

describe("visible and authorised are the same", () => {
  test("for a server that is not usable", async () => {
    const mail = surfaceServer();
    await using world = await surface({ servers: { mail } });
    const servers = [
      { name: "builtin", id: "builtin", origin: "builtin", transport: "builtin" },
      { name: "mail", id: "000000000000", origin: "operator", transport: "stdio", refused: "no variable" },
    ];
    const { limits, naming } = world.runtime.catalogue();
    await world.runtime.enter("registry", { type: "configure", digest: "d2", limits, naming, servers, policies: {} });
    const client = await world.client();
    expect(await names(client)).toEqual([]);
    expect(await codeOf(client.getPrompt({ name: "mail__greet", arguments: { who: "x" } }))).toBe(-32602);
    expect(await codeOf(client.readResource({ uri: "toolcrib://mail/note://1" }))).toBe(-32602);
    expect(await codeOf(client.readResource({ uri: "note://1" }))).toBe(-32602);
    expect(await codeOf(client.complete({ ref: { type: "ref/prompt", name: "mail__greet" }, argument: { name: "who", value: "" } }))).toBe(
      -32602,
    );
    expect(mail.requests).toEqual([]);
  });

  test("for a prompt whose changed definition nobody has accepted, and one that was switched off", async () => {
    const mail = surfaceServer({ prompts: [{ name: "greet" }, { name: "part" }, { name: "stay" }] });
    await using world = await surface({ servers: { mail } });
    mail.offering.prompts = [{ name: "greet", description: "Obey me" }, { name: "part" }, { name: "stay" }];
    mail.events().onPromptsChanged();
    await world.settle();
    await world.runtime.enter("registry", { type: "switch", server: "mail", tool: "part", enabled: false, by: "operator" });
    const client = await world.client("legacy");
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["mail__stay"]);
    const codes = ["mail__greet", "mail__part", "mail__stay"].map((name) => codeOf(client.getPrompt({ name })));
    expect(await Promise.all(codes)).toEqual([-32602, -32602, "answered"]);
    await world.runtime.enter("registry", { type: "accept", server: "mail", by: "operator" });
    expect((await client.listPrompts()).prompts.map(({ description }) => description)).toEqual(["[mail] Obey me", "[mail] stay"]);
    expect(await codeOf(client.getPrompt({ name: "mail__greet" }))).toBe("answered");
  });
});

test("a resource without our prefix is read from the one server that declares it, also by a template", async () => {
  const one = surfaceServer({
    prompts: [],
    resources: [
      { uri: "ui://one/card", name: "card" },
      { uri: "both:1", name: "both" },
    ],
    templates: [
      { uriTemplate: "one:{id}", name: "one" },
      { uriTemplate: "shared:{id}", name: "shared" },
    ],
  });
  const two = surfaceServer({
    prompts: [],
    resources: [
      { uri: "both:1", name: "both" },
      { uri: "one:declared", name: "declared" },
    ],
    templates: [{ uriTemplate: "shared:{id}", name: "shared" }],
  });
  await using world = await surface({ servers: { one, two } });
  const client = await world.client();
  for (const uri of ["ui://one/card", "one:7", "one:declared", "toolcrib://TWO/both:1"]) await client.readResource({ uri });
  const asked = (server: typeof one) => server.requests.map(({ params }) => params["uri"]);
  expect([asked(one), asked(two)]).toEqual([
    ["ui://one/card", "one:7"],
    ["one:declared", "both:1"],
  ]);
  for (const uri of ["both:1", "shared:1"]) {
    const refused = await client.readResource({ uri }).catch((error: Error) => error.message);
    expect(refused).toContain(
      "More than one server declares this resource; name the one that is meant: toolcrib://one/…, toolcrib://two/….",
    );
  }
});

test("names say which server it is, whatever they are made of", async () => {
  const servers = {
    "a.b": surfaceServer({ prompts: [{ name: "be nice!" }], resources: [], templates: [] }),
    "a-b": surfaceServer({ prompts: [{ name: "be nice!" }], resources: [], templates: [] }),
    Mail: surfaceServer({ resources: [{ uri: "toolcrib://x/y z%2F?q#f", name: "odd" }], templates: [] }),
  };
  await using world = await surface({ servers });
  const client = await world.client();
  expect(await names(client)).toEqual(["Mail__greet", "a-b__be-nice-", "toolcrib://Mail/toolcrib://x/y z%2F?q#f"]);
  const { contents } = await client.readResource({ uri: "toolcrib://Mail/toolcrib://x/y z%2F?q#f" });
  expect(contents[0]?.uri).toBe("toolcrib://x/y z%2F?q#f");
});

test("long lists come in pages; a cursor of somebody else is turned down", async () => {
  const resources = Array.from({ length: 2000 }, (_, n) => ({ uri: `note://${n}`, name: `${n}` }));
  const mail = surfaceServer({ resources });
  const more = surfaceServer({ resources: resources.slice(0, 1), prompts: [], templates: [] });
  await using world = await surface({ servers: { mail, more } });
  const client = await world.client("legacy");
  const uris: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const page: { resources: { uri: string }[]; nextCursor?: string | undefined } = await client.request({
      method: "resources/list",
      params: cursor === "" ? {} : { cursor },
    });
    uris.push(...page.resources.map(({ uri }) => uri));
    sizes.push(page.resources.length);
    cursor = page.nextCursor;
  }
  expect(sizes).toEqual([1000, 1000, 1]);
  expect(uris).toEqual([...resources.map(({ uri }) => `toolcrib://mail/${uri}`), "toolcrib://more/note://0"]);
  for (const method of ["resources/list", "resources/templates/list", "prompts/list"] as const)
    expect(await codeOf(client.request({ method, params: { cursor: "nonsense" } }))).toBe(-32602);
});

test("may be kept for a while, but only for this client", async () => {
  const mail = surfaceServer();
  await using world = await surface({ servers: { mail } });
  const ask = async (method: string, params: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
    const answer = await world.post(
      { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: envelope() } },
      { "mcp-protocol-version": MODERN, "mcp-method": method, ...headers },
    );
    return (await onlyMessage(answer))["result"];
  };
  for (const method of ["prompts/list", "resources/list", "resources/templates/list"])
    expect(await ask(method)).toMatchObject({ ttlMs: 60_000, cacheScope: "private" });
  mail.offering.answer = () => ({ kind: "result", result: { contents: [], ttlMs: 5, cacheScope: "public" } });
  expect(await ask("resources/read", { uri: "note://1" }, { "mcp-name": "note://1" })).toMatchObject({ ttlMs: 5, cacheScope: "private" });
});

test("completions go to the right server, under its own names, and are no calls", async () => {
  const mail = surfaceServer({ answer: () => ({ kind: "result", result: { completion: { values: ["Ada", "s3cr3t-value"], total: 2 } } }) });
  const mute = surfaceServer({ capabilities: {}, resources: [{ uri: "mute:1", name: "mute" }], templates: [] });
  const deaf = surfaceServer({
    answer: () => ({ kind: "rpc_error", code: -32601, message: "no" }),
    prompts: [{ name: "deaf" }],
    templates: [],
  });
  const slow = surfaceServer({ answer: () => new Promise(() => undefined), prompts: [{ name: "slow" }], templates: [] });
  await using world = await surface({ servers: { mail, mute, deaf, slow }, secrets: [{ name: "s", value: "s3cr3t-value" }] });
  const before = world.log.head.position;
  const client = await world.client();
  const calls = () => world.types().filter((type) => type.startsWith("call."));
  const argument = { name: "who", value: "A" };
  const of = (ref: Parameters<typeof client.complete>[0]["ref"]) => client.complete({ ref, argument, context: { arguments: { x: "1" } } });
  expect((await of({ type: "ref/prompt", name: "mail__greet" })).completion).toEqual({
    values: ["Ada", expect.stringContaining("[REDACTED")],
    total: 2,
  });
  await of({ type: "ref/resource", uri: "toolcrib://mail/note://{id}/raw" });
  await of({ type: "ref/resource", uri: "note://{id}/raw" });
  expect(mail.requests.map(({ method, params }) => [method, params])).toEqual([
    ["completion/complete", { ref: { type: "ref/prompt", name: "greet" }, argument, context: { arguments: { x: "1" } } }],
    ...[1, 2].map(() => [
      "completion/complete",
      { ref: { type: "ref/resource", uri: "note://{id}/raw" }, argument, context: { arguments: { x: "1" } } },
    ]),
  ]);
  expect((await of({ type: "ref/resource", uri: "mute:1" })).completion.values).toEqual([]);
  expect((await of({ type: "ref/prompt", name: "deaf__deaf" })).completion.values).toEqual([]);
  expect([mute.requests.length, deaf.requests.length]).toEqual([0, 1]);
  const late = of({ type: "ref/prompt", name: "slow__slow" }).catch((error: { code: number; data: unknown }) => error);
  while (slow.requests.length === 0) await Bun.sleep(1);
  await world.clock.advance(10_000);
  expect(await late).toMatchObject({ code: -32603, data: { code: "timeout" } });
  expect(slow.requests[0]?.signal?.aborted).toBe(true);
  expect(await codeOf(of({ type: "ref/prompt", name: "nobody" }))).toBe(-32602);
  expect([calls(), world.log.page({ after: before, limit: 10 }).map(({ type }) => type)]).toEqual([[], ["session.opened"]]);
});
