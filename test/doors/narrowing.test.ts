/** What a request may ask to be held to, through the MCP door: lists, calls and prompts alike. */
import { describe, expect, test } from "bun:test";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { DEFAULT_POLICY, DEFAULT_PROFILE, OPEN_LAYER } from "../../actors/policy/defaults.ts";
import { fakeServer, text, tool } from "../harness.ts";
import { clientOf, KINDS, result, surface } from "./native-fixture.ts";

const ALLOW = "toolcrib/allow";
const PROFILE = "toolcrib/profile";
const tight = { ...DEFAULT_PROFILE, policy: { ...OPEN_LAYER, deny: ["mail__look"] } };
const open = () =>
  surface({
    servers: {
      mail: fakeServer([tool("act"), tool("look")], {
        call: async () => text("done"),
        listPrompts: async () => [{ name: "letter" }],
        request: async () => result({ messages: [] }),
      }),
    },
    surface: { wrapperMode: "eager" },
    policy: { global: { ...OPEN_LAYER, deny: ["search_known_services"] }, profiles: { ...DEFAULT_POLICY.profiles, tight } },
  });

describe.each(KINDS)("a request of %s", (kind) => {
  test("is held to what it names, and gets nothing that its token may not have", async () => {
    await using world = await open();
    const client = await clientOf(world, kind);
    const listed = async (_meta?: Record<string, unknown>) =>
      (await client.listTools(_meta && { _meta })).tools
        .map(({ name }) => name)
        .filter((name) => !/^mcp_|^call_status$|^resolve_call$/.test(name));
    const code = async (name: string, _meta?: Record<string, unknown>) => {
      const answer = (await client.callTool({ name, arguments: {}, ...(_meta && { _meta }) })) as CallToolResult;
      return (answer.structuredContent as { error?: { code?: string } } | undefined)?.error?.code ?? "done";
    };
    const all = ["list_tool_guides", "get_tool_guide", "mail__act", "mail__look", "mail__letter-prompt"];
    expect(await listed({ [ALLOW]: ["mail__act", "search_known_services", "group:nobody"] })).toEqual(["mail__act"]);
    expect(await listed({ [PROFILE]: "tight" })).not.toContain("mail__look");
    expect(await listed({ [PROFILE]: "nobody" })).not.toContain("mail__act");
    expect(await listed({ [ALLOW]: "mail__act" })).toEqual([]);
    expect((await listed()).toSorted()).toEqual(all.toSorted()); // last, since modern clients keep it
    expect(await code("mail__look")).toBe("done");
    expect(await code("mail__look", { [ALLOW]: ["mail__act"] })).toBe("refused");
    expect(await code("mail__look", { [PROFILE]: "tight" })).toBe("refused");
    expect(await code("mail__act", { [PROFILE]: "restricted" })).toBe("refused");
    expect(await code("search_known_services", { [ALLOW]: ["search_known_services"] })).toBe("refused");
    expect(await code("mail__act", { [ALLOW]: [1] })).toBe("invalid_arguments");
    expect(await code("mail__act", { [PROFILE]: 7 })).toBe("invalid_arguments");
    expect(await code("mail__act", { [ALLOW]: ["group:mcp:mail"], [PROFILE]: "tight" })).toBe("done");
    const prompt = (_meta: Record<string, unknown>) => client.getPrompt({ name: "mail__letter", _meta });
    expect(await prompt({ [ALLOW]: ["group:mcp"] })).toMatchObject({ messages: [] });
    expect(prompt({ [ALLOW]: ["mail__act"] })).rejects.toThrow();
  });
});

test("a secret among the names that a request gives is not written down", async () => {
  await using world = await surface({
    servers: { mail: fakeServer([tool("act")]) },
    secrets: [{ name: "token", value: "open-sesame-1234" }],
  });
  const client = await clientOf(world, KINDS[0]);
  const _meta = { [PROFILE]: "open-sesame-1234", [ALLOW]: ["open-sesame-1234", "mail__act"] };
  expect(await client.callTool({ name: "mail__act", arguments: {}, _meta })).toMatchObject({ isError: true });
  const kept = ["events", "turns", "calls"].flatMap((table) => world.log.query<object>(`select * from ${table}`));
  expect(JSON.stringify(kept)).toContain("mail__act");
  expect(JSON.stringify(kept)).not.toContain("open-sesame-1234");
});
