/** What the gates find in arguments is written down: not with a secret in it, in whatever case it is found. */
import { expect, test } from "bun:test";
import type { Policy } from "../../events/policy.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { fakeServer, harness, text } from "../harness.ts";

const SECRET = "Open-Sesame-1234";

async function called(args: Record<string, unknown>, policy: Partial<Policy>, server: Partial<ServerPolicy> = {}) {
  const bank = fakeServer();
  const secrets = [{ name: "token", value: SECRET }];
  const { settle, session, log } = await harness({ servers: { bank }, policy, policies: { bank: server }, secrets });
  await settle();
  const asking = (await session("s_1")).call("bank__act", args);
  await settle();
  for (const { answer } of bank.calls.splice(0)) answer(text("done"));
  const result = await asking;
  const tables = log.query<{ name: string }>("select name from sqlite_schema where type = 'table'");
  const kept = JSON.stringify(tables.map(({ name }) => log.query<object>(`select * from "${name}"`)));
  return {
    code: result.structuredContent?.error?.["code"] ?? "done",
    holds: `${kept}${JSON.stringify(result)}`.toLowerCase().includes("sesame"),
  };
}

test.each([
  ["a host", { url: `https://${SECRET}.evil.example/` }, "refused"],
  ["a host that would be allowed", { url: `https://${SECRET}.good.example/` }, "refused"],
  ["a password in an address that is allowed", { url: `https://me:${SECRET}@api.good.example/` }, "done"],
  ["a path of an address that is allowed", { url: `https://api.good.example/${SECRET}` }, "done"],
])("in %s", async (_, args, code) => {
  expect(await called(args, { egress: ["*.good.example"] })).toEqual({ code, holds: false });
});

test("in the path that a guard refuses", async () => {
  const options = { args: ["path"], allowedPrefixes: ["/shared"] };
  const argGuards = [{ handler: "path-prefix", tools: [], options }];
  for (const path of [`/etc/${SECRET}`, `/etc/..\\${SECRET}`])
    expect(await called({ path }, {}, { argGuards })).toEqual({ code: "invalid_arguments", holds: false });
});

test("in the name of an operation: it is none then", async () => {
  const operations = { act: { param: "do", capability: { list: "read" as const }, risk: {} } };
  expect(await called({ do: SECRET }, {}, { operations })).toEqual({ code: "done", holds: false });
});
