/** The hand-written path against the SDK: the same requests must get the same answers with the one and with the other. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createFixtureBackend } from "./fixture-backend.ts";
import {
  type HeaderChanges,
  legacyHeaders,
  mirrored,
  modernChanges,
  oddEnvelopes,
  oddMessages,
  oddMeta,
  withMeta,
} from "./odd-requests.ts";
import { call, envelope, initialize, type JsonObject, messagesOf, modernHeaders, type Served, serve } from "./serve.ts";

let byHand: Served;
let bySdk: Served;
let sessions: readonly HeaderChanges[];
beforeAll(async () => {
  byHand = serve(createFixtureBackend());
  bySdk = serve(createFixtureBackend(), { handPath: false });
  // A name of their own, so that results that name the session are equal.
  sessions = await Promise.all([byHand, bySdk].map((served) => initialize(served, { "toolcrib-session": "same" })));
});
afterAll(async () => {
  await Promise.all([byHand.close(), bySdk.close()]);
});

async function answerOf(served: Served, body: unknown, headers: HeaderChanges) {
  const response = await served.post(body, headers);
  const type = response.headers.get("content-type")?.split(";")[0] ?? null;
  return { status: response.status, type, messages: (await messagesOf(response)).map(comparable) };
}

/** Error texts that print a schema's findings are ours to word; their code is not. */
function comparable(message: JsonObject): JsonObject {
  const error = message["error"] as { readonly code: number; readonly message: string } | undefined;
  return error === undefined ? message : { ...message, error: { code: error.code } };
}

async function expectSame(body: unknown, headers: HeaderChanges = {}, era: "legacy" | "modern" = "legacy"): Promise<number> {
  const [hand, sdk] = await Promise.all(
    [byHand, bySdk].map((served, index) => answerOf(served, body, era === "legacy" ? { ...sessions[index], ...headers } : headers)),
  );
  expect({ body, headers, answer: hand }).toEqual({ body, headers, answer: sdk });
  return hand?.status ?? 0;
}

describe("legacy", () => {
  for (const [name, message] of Object.entries(oddMessages)) test(name, async () => void (await expectSame(message)));
  for (const [name, meta] of Object.entries(oddMeta)) {
    test(name, async () => void (await expectSame(withMeta(call(1, "echo"), meta))));
  }

  for (const [name, headers] of Object.entries(legacyHeaders)) {
    test(name, async () => void (await expectSame(call(1, "echo", { text: "x" }), headers)));
  }
});

describe("modern", () => {
  const modern = (message: JsonObject, more: JsonObject = {}) => withMeta(message, envelope(more));

  for (const [name, message] of Object.entries(oddMessages)) {
    test(name, async () => {
      const params = message["params"];
      const tool = typeof params === "object" && params !== null && "name" in params ? String(params.name) : "echo";
      await expectSame(modern(message), modernHeaders(tool), "modern");
    });
  }

  for (const [name, more] of Object.entries(oddEnvelopes)) {
    test(name, async () => void (await expectSame(modern(call(1, "echo"), more), modernHeaders("echo"), "modern")));
    test(`${name}, again`, async () => void (await expectSame(modern(call(2, "echo"), more), modernHeaders("echo"), "modern")));
  }

  for (const [name, headers] of Object.entries(modernChanges)) {
    test(`headers: ${name}`, async () => {
      await expectSame(modern(call(1, "echo", { text: "x" })), { ...modernHeaders("echo"), ...headers }, "modern");
    });
  }

  for (const [name, [args, headers, status]] of Object.entries(mirrored)) {
    test(name, async () => {
      expect(await expectSame(modern(call(1, "region", args)), { ...modernHeaders("region"), ...headers }, "modern")).toBe(status);
    });
  }
});

test("random messages and headers make no difference", async () => {
  const scalar = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ maxLength: 5 }));
  const args = fc.oneof(
    fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    scalar,
    fc.constant(undefined),
  );
  const meta = fc.oneof(
    fc.constant(undefined),
    fc.constant({}),
    fc.constant(envelope()),
    fc.dictionary(fc.constantFrom("progressToken", "x"), scalar),
  );
  const message = fc.record({
    jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "1.0"),
    id: fc.oneof(fc.integer(), fc.string({ maxLength: 3 }), scalar),
    method: fc.constantFrom("tools/call", "tools/call", "tools/call", "ping", "tools/list", "nothing"),
    params: fc.record(
      { name: fc.constantFrom<unknown>("echo", "list", "nothing", 5), arguments: args, _meta: meta },
      { requiredKeys: ["name"] },
    ),
  });
  const headers = fc.record(
    {
      "mcp-protocol-version": fc.constantFrom("2026-07-28", "2025-06-18", "2020-01-01"),
      "mcp-method": fc.constantFrom("tools/call", "ping"),
      "mcp-name": fc.constantFrom("echo", "list"),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(message, headers, async (body, changes) => void (await expectSame(body, changes))),
    { numRuns: 300 },
  );
}, 30_000);

test("the two did take different ways", () => {
  expect(byHand.edge.handCalls()).toBeGreaterThan(30); // 40 of them by what is not random
  expect(bySdk.edge.handCalls()).toBe(0);
});
