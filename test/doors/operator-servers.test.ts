/** What operators decide about the tools of servers, over HTTP. */
import { expect, test } from "bun:test";
import { serverRoutes } from "../../src/doors/operator-servers.ts";
import { fakeServer, harness, tool } from "../harness.ts";

const CHANGED = { ...tool("act"), description: "does something else" };

/** A server whose tool has changed and waits. */
async function door() {
  const mail = fakeServer([tool("act"), tool("a/b")]);
  const world = await harness({ servers: { mail } });
  mail.tools = [CHANGED, tool("a/b")];
  mail.changed();
  await world.settle();
  const reconnected: string[] = [];
  const routes = serverRoutes({
    ...world,
    position: () => 7,
    reconnect: (name) => name === "mail" && reconnected.push(name) > 0,
  });
  const ask = async (path: string, body: unknown, roles: readonly ("decide" | "admin")[] = ["decide"]) => {
    const url = new URL(`http://localhost/v1/servers/${path}`);
    const request = new Request(url.href, { method: "POST", body: JSON.stringify(body) });
    const answer = await routes(request, url, { name: "dora", tokenHash: "", roles });
    return { status: answer?.status, json: (await answer?.json()) as Record<string, unknown> };
  };
  const offer = () => world.runtime.catalogue().servers.get("mail")?.offers.get("act");
  return { ...world, ask, offer, reconnected };
}

test("what waits is accepted, by whom is recorded, and a second time there is nothing to accept", async () => {
  const { ask, offer, log } = await door();
  const { hash, withheld } = offer() ?? {};
  expect(withheld).toBe(true);
  expect(await ask("MAIL/accept", { tools: ["act", "none"] })).toEqual({
    status: 200,
    json: { server: "mail", accepted: [{ tool: "act", hash }], unknown: ["none"], position: 7 },
  });
  expect(offer()?.withheld).toBeUndefined();
  expect(log.page({ after: 0, limit: 1000, type: "tool.accepted" })).toMatchObject([{ data: { tool: "act", hash, by: "operator:dora" } }]);
  expect((await ask("mail/accept", {})).status).toBe(404);
});

test("a hash makes sure that what is accepted is what was read", async () => {
  const { ask, offer } = await door();
  const hash = offer()?.hash ?? "";
  expect((await ask("mail/accept", { tools: ["act"], hash: "00000000" })).status).toBe(404);
  expect(offer()?.withheld).toBe(true);
  expect((await ask("mail/accept", { tools: ["mail__act"], hash: hash.slice(0, 8) })).status).toBe(200);
});

test("a tool is switched off and on, by either of its names", async () => {
  const { ask, runtime } = await door();
  const disabled = () => runtime.catalogue().servers.get("mail")?.disabled;
  expect((await ask("mail/tools/a%2Fb", { enabled: false })).json).toEqual({ server: "mail", tool: "a/b", enabled: false, position: 7 });
  expect((await ask("mail/tools/a%2Fb", { enabled: false })).status).toBe(200);
  expect(disabled()).toEqual(["a/b"]);
  expect((await ask("mail/tools/mail__a-b", { enabled: true })).json).toMatchObject({ tool: "a/b", enabled: true });
  expect(disabled()).toEqual([]);
});

test.each([
  ["mail/accept", { tools: [] }, 400],
  ["mail/accept", { hash: "xyz" }, 400],
  ["mail/accept", { all: true }, 400],
  ["mail/tools/act", {}, 400],
  ["mail/tools/none", { enabled: true }, 404],
  ["none/accept", {}, 404],
  ["builtin/accept", {}, 404],
  ["builtin/tools/call_status", { enabled: false }, 404],
  ["mail/reconnect", {}, 403],
])("%s with %p is %d", async (path, body, status) => {
  const { ask } = await door();
  expect((await ask(path, body)).status).toBe(status);
});

test("a server is connected anew by an admin", async () => {
  const { ask, reconnected } = await door();
  expect((await ask("mail/reconnect", {}, ["admin"])).status).toBe(200);
  expect((await ask("none/reconnect", {}, ["admin"])).status).toBe(404);
  expect(reconnected).toEqual(["mail"]);
});
