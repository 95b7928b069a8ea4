/** A tool that does several things: what a session may not use is refused, and stands in no schema that it is shown. */
import { expect, test } from "bun:test";
import { DEFAULT_POLICY, DEFAULT_PROFILE, OPEN_LAYER } from "../../actors/policy/defaults.ts";
import type { PolicyLayer } from "../../events/policy.ts";
import { createToolLists } from "../../src/doors/tool-lists.ts";
import { fakeServer, harness, text } from "../harness.ts";

const BOX = {
  name: "box",
  description: "a mailbox",
  inputSchema: { type: "object", properties: { do: { type: "string", enum: ["list", "send", "wipe"] }, to: { type: "string" } } },
};
const operations = { box: { param: "do", capability: { list: "read" as const }, risk: {} } };

async function box(global: Partial<PolicyLayer>, profile = "default", schema: Record<string, unknown> = BOX.inputSchema) {
  const mail = fakeServer([{ ...BOX, inputSchema: schema }]);
  const lean = { ...DEFAULT_PROFILE, policy: { ...OPEN_LAYER, allow: ["mail__box:send"] } };
  const world = await harness({
    servers: { mail },
    policies: { mail: { operations } },
    surface: { wrapperMode: "eager" },
    policy: { global: { ...OPEN_LAYER, ...global }, profiles: { ...DEFAULT_POLICY.profiles, lean } },
  });
  await world.settle();
  const session = await world.session("s_1", "ada", "test", profile);
  const ask = async (args: Record<string, unknown>, name = "mail__box") => {
    const asking = session.ask(name, args);
    await world.settle();
    for (const { answer } of mail.calls.splice(0)) answer(text("done"));
    await world.settle();
    const { code, rule } = await asking;
    return code === undefined ? "done" : `${code} ${rule}`;
  };
  const lists = createToolLists(world);
  const published = () => lists.of("s_1").find(({ name }) => name === "mail__box")?.inputSchema as typeof BOX.inputSchema | undefined;
  return { world, session, ask, offered: () => published()?.properties.do?.enum, lists };
}

test("one that is denied is refused and published to nobody; the others go through", async () => {
  const { ask, offered, session, world } = await box({ deny: ["mail__box:wipe"] });
  expect(offered()).toEqual(["list", "send"]);
  expect(await ask({ do: "wipe" })).toBe("refused policy.deny:mail__box:wipe");
  expect(await ask({ do: "send" })).toBe("done");
  expect(await ask({ do: "send", Do: "wipe" })).toBe("refused policy.deny:mail__box:wipe"); // its server may read the other one
  expect(await ask({ server_name: "mail", tool_name: "box", arguments: { do: "wipe" } }, "mcp_invoke_tool")).toBe(
    "refused policy.deny:mail__box:wipe",
  );
  const details = await session.call("mcp_get_service_details", { server_name: "mail" });
  await world.settle();
  expect(JSON.stringify(details)).not.toContain("wipe");
});

test("a session hears that its list has changed when only what it may use of a tool has, and not when that stays", async () => {
  const { world, lists, offered } = await box({});
  expect(offered()).toEqual(["list", "send", "wipe"]);
  const heard: boolean[] = [];
  lists.onChanged((sessions) => heard.push(sessions.has("s_1")));
  const global = { ...OPEN_LAYER, deny: ["mail__box:wipe"] };
  await world.configure({}, "d2", { global });
  expect(heard).toEqual([true]);
  expect(offered()).toEqual(["list", "send"]);
  await world.configure({}, "d3", { global: { ...global, hardDeny: ["mail__nothing"] } });
  expect(heard).toEqual([true, false]);
});

test("whoever does not say which is refused where not all may be used", async () => {
  expect(await (await box({ deny: ["mail__box:wipe"] })).ask({})).toBe("refused policy.deny:mail__box:wipe");
  expect(await (await box({})).ask({})).toBe("done");
});

test("an allow list may name a single one", async () => {
  const { ask, offered } = await box({}, "lean");
  expect(offered()).toEqual(["send"]);
  expect(await ask({ do: "list" })).toBe("refused profiles.lean.policy.allow");
  expect(await ask({ do: "send" })).toBe("done");
});

test("a restricted agent has the operations that read", async () => {
  const { ask, offered } = await box({}, "restricted");
  expect(offered()).toEqual(["list"]);
  expect(await ask({ do: "list" })).toBe("done");
  expect(await ask({ do: "send" })).toBe("refused autonomy:restricted");
});

test("two profiles get two schemas, and each the same object every time", async () => {
  const { world, lists, offered } = await box({ byClient: {} }, "lean");
  await world.session("s_2");
  const full = lists.of("s_2").find(({ name }) => name === "mail__box");
  const schema = full?.inputSchema as typeof BOX.inputSchema | undefined;
  expect(schema?.properties.do.enum).toEqual(["list", "send", "wipe"]);
  expect(offered()).toEqual(["send"]);
  expect(lists.of("s_2").find(({ name }) => name === "mail__box")).toBe(full);
});

test("a tool none of whose operations is left is not there", async () => {
  const { ask, offered, lists } = await box({ deny: ["mail__box"] });
  expect(offered()).toBeUndefined();
  expect(lists.of("s_1").map(({ name }) => name)).not.toContain("mail__box");
  expect(await ask({ do: "list" })).toBe("refused policy.deny:mail__box");
});

test("where the server does not say which there are, those that are known to be allowed are published", async () => {
  const { offered } = await box({}, "lean", { type: "object", properties: { do: { type: "string" } } });
  expect(offered()).toEqual(["send"]);
});
