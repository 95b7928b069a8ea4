/** The management tools as an agent meets them: exact documents, lenient arguments, words that help. */
import { describe, expect, test } from "bun:test";
import { text } from "../harness.ts";
import { documentOf, schema, world } from "./world.ts";

describe("mcp_list_services", () => {
  test("tells what there is, with the fields that agents rely on", async () => {
    const { ask } = await world();
    const answer = await ask("mcp_list_services");
    const service = {
      serverName: "mail",
      serverId: "000000000000",
      summary: "Provides 2 tool(s): send_mail, list. 1 prompt template(s): letter. 2 resource(s): inbox, message.",
      toolCount: 2,
      toolNames: ["send_mail", "list"],
      promptCount: 1,
      promptNames: ["letter"],
      resourceCount: 2,
      resourceNames: ["inbox", "message"],
    };
    expect(documentOf(answer)).toEqual([service]);
    expect(answer.structuredContent).toEqual({ services: [service] });
  });
});

describe("mcp_get_service_details", () => {
  test("describes the server, its tools and its prompts, and says what else there is", async () => {
    const { ask } = await world();
    const answer = await ask("mcp_get_service_details", { server_name: "MAIL" });
    expect(documentOf(answer)).toEqual({
      server: {
        name: "mail",
        id: "000000000000",
        implementationName: "fake-mail",
        title: "Mail",
        version: "2",
        description: null,
        instructions: "Be polite.",
      },
      tools: [
        { name: "send_mail", description: "Sends a letter", parametersSchema: schema },
        { name: "list", description: "does list", parametersSchema: { type: "object", properties: {} } },
      ],
      prompts: [
        {
          name: "letter",
          description: "Writes a letter",
          arguments: [
            { name: "to", description: "", required: true },
            { name: "tone", description: "", required: false },
          ],
          typedName: "mail__letter-prompt",
        },
      ],
    });
    expect(answer.content[1]?.text).toContain("2 resource(s)");
  });

  test("shows the one tool that is asked for, without regard to case", async () => {
    const { ask } = await world();
    const answer = await ask("mcp_get_service_details", { server_name: "mail", tool_name: "SEND_MAIL" });
    expect(answer.structuredContent).toMatchObject({ tools: [{ name: "send_mail" }] });
  });

  test("names the servers, or the tools, where there is no such thing", async () => {
    const { ask } = await world();
    const server = await ask("mcp_get_service_details", { server_name: "post" });
    expect([server.isError, server.content[0]?.text]).toEqual([true, expect.stringContaining("the servers are: mail")]);
    const unknown = await ask("mcp_get_service_details", { server_name: "mail", tool_name: "burn" });
    expect(unknown.content[0]?.text).toContain("its tools are: send_mail, list");
  });
});

describe("mcp_get_prompt", () => {
  const messages = [
    { role: "user", content: { type: "text", text: "Dear Bob" } },
    { role: "user", content: { type: "image", data: "AA==", mimeType: "image/png" } },
  ];
  const told = [
    { role: "user", content: "Dear Bob", contentType: "text" },
    { role: "user", content: JSON.stringify(messages[1]?.content), contentType: "image" },
  ];

  test.each([
    ["mcp_get_prompt", { server_name: "mail", prompt_name: "Letter", arguments: { to: "bob", tone: 7 } }],
    ["mail__letter-prompt", { to: "bob", tone: 7 }],
  ])("%s sends every argument as a text and tells the messages", async (name, args) => {
    const requests: unknown[] = [];
    const { ask, types } = await world(async ({ method, params }) => {
      requests.push({ method, params });
      return { kind: "result", result: { messages } };
    });
    const answer = await ask(name, args);
    expect(requests).toEqual([{ method: "prompts/get", params: { name: "letter", arguments: { to: "bob", tone: "7" } } }]);
    expect(documentOf(answer)).toEqual(told);
    expect(answer.structuredContent).toEqual({ messages: told });
    expect(types("server/mail").slice(-2)).toEqual(["call.dispatched", "call.settled"]);
  });

  test("says which prompts there are, and what a prompt needs", async () => {
    const { ask } = await world();
    expect((await ask("mcp_get_prompt", { server_name: "mail", prompt_name: "ode" })).content[0]?.text).toContain(
      "its prompts are: letter",
    );
    const missing = await ask("mcp_get_prompt", { server_name: "mail", prompt_name: "letter" });
    expect(missing.structuredContent?.error).toMatchObject({ code: "invalid_arguments", certainty: "not_applied" });
    expect(missing.content[0]?.text).toContain("letter(to, tone?)");
  });
});

describe("guides", () => {
  test("are listed by name, found without regard to case, and an unknown name is no error", async () => {
    const { ask } = await world();
    const list = await ask("list_tool_guides");
    expect(list.content[0]?.text).toMatch(/^Available tool guides \(2\):\n- calls: .+\n- mcp: .+$/);
    expect((await ask("get_tool_guide", { name: "MCP" })).content[0]?.text).toContain("Connected or configured: mail.");
    const calls = (await ask("get_tool_guide", { name: "calls" })).content[0]?.text;
    for (const words of ["mcp_answer(question_id, decline: true)", "mcp_cancel_task(task_id)"]) expect(calls).toContain(words);
    const unknown = await ask("get_tool_guide", { name: "web" });
    expect([unknown.isError, unknown.content[0]?.text]).toEqual([undefined, 'There is no guide "web". There are: calls, mcp.']);
  });
});

test("a typed tool is called by its name, one beyond the list too", async () => {
  const { ask, mail, settle } = await world();
  const asked = ask("mail__send_mail", { to: "bob" });
  await settle();
  mail.calls[0]?.answer(text("sent"));
  expect((await asked).content[0]?.text).toBe("sent");
});
