/** How calls were reached is counted by server, and by nothing that an agent makes up. */
import { expect, test } from "bun:test";
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import { createWayMetrics } from "../../src/doors/metrics-ways.ts";
import { harness, tool } from "../harness.ts";
import { asks, MAILBOX } from "../questions/fixture.ts";
import { result, rpcError, surfaceServer } from "./native-fixture.ts";

async function bench() {
  const mail = surfaceServer({
    answer: ({ method, inputResponses, params }) => {
      if (method === "resources/read" && params["uri"] === "note://1") return result({ contents: [{ uri: "note://1", text: "hello" }] });
      if (method === "resources/read") return rpcError(-32602, "no such note");
      return inputResponses ? result({ messages: [{ role: "user", content: { type: "text", text: "hi" } }] }) : asks({ which: MAILBOX });
    },
  });
  mail.tools = [tool("send")];
  const place = await harness({ servers: { mail }, policies: { mail: { elicitation: { ...DEFAULT_ELICITATION, mode: "handback" } } } });
  await place.settle();
  const ada = await place.session("s_1");
  const sent = async (name: string, args: Record<string, unknown>) => {
    const asked = ada.call(name, args);
    await place.settle();
    for (const { answer } of mail.calls.splice(0)) answer({ kind: "result", result: { content: [] } });
    return asked;
  };
  const ways = () => {
    const metrics = createWayMetrics((name) => place.runtime.catalogue().names.get(name));
    for (const { type, schema, stream, data } of place.log.page({ after: 0, limit: 1000 }))
      metrics.handlers[type]?.({ type, schema, stream, data } as never);
    return metrics.text().split("\n").slice(2, -1).sort();
  };
  return { place, ada, sent, ways };
}
const line = (kind: string, via: string, certainty: string, count: number) =>
  `toolcrib_calls_reached_total{server="mail",kind="${kind}",via="${via}",certainty="${certainty}"} ${count}`;

test("by their name, through mcp_invoke_tool, as prompts, and by an answer of the agent", async () => {
  const { ada, sent, ways } = await bench();
  await sent("mail__send", {});
  await sent("mail__send", { n: 2 });
  await sent("mcp_invoke_tool", { server_name: "mail", tool_name: "send", arguments: { n: 3 } });
  const ask = async (name: string, args: Record<string, unknown>) => {
    const { structuredContent } = await ada.call(name, args);
    const question = structuredContent?.["question"] as { id: string } | undefined;
    return question?.id ?? "";
  };
  const [byName, byTool] = [
    await ask("mail__greet-prompt", { who: "Bob" }),
    await ask("mcp_get_prompt", { server_name: "mail", prompt_name: "greet", arguments: { who: "Eve" } }),
  ];
  expect(ways()).toEqual([line("tool", "invoke_tool", "answered", 1), line("tool", "name", "answered", 2)]); // the others wait
  await ada.call("mcp_answer", { question_id: byName, answers: { mailbox: "home" } });
  await ada.call("mcp_answer", { question_id: byTool, decline: true });
  expect(ways()).toContain(line("prompt", "answer", "answered", 2));
});

test("what nobody offers is not counted", async () => {
  const { ada, ways } = await bench();
  await ada.call("mail__invented", { secret: "s3cret" });
  expect(ways()).toEqual([]);
});

test("resources that were read are counted by server and by what came of it", async () => {
  const { place, ada } = await bench();
  for (const uri of ["note://1", "note://1", "note://2"]) await ada.call("mcp_read_resource", { server_name: "MAIL", uri });
  await ada.call("mcp_read_resource", { server_name: "invented", uri: "note://1" });
  const reads = place.questions.counts.text().split("\n");
  expect(reads.filter((each) => each.startsWith("toolcrib_resource_reads_total"))).toEqual([
    'toolcrib_resource_reads_total{server="mail",outcome="result"} 2',
    'toolcrib_resource_reads_total{server="mail",outcome="rpc_error"} 1',
  ]);
});
