/**
 * A downstream MCP server on raw JSON-RPC that shows its secrets wherever a server can: in its introduction, its tools, answers, errors, progress and
 * stderr. CANARIES: a JSON list of texts. RECORD: the file to which the arguments of every `echo` are appended, a line a call.
 * MODE: `dies` (words on stderr, exit 2), `fails` (an error to initialize), `listless` (an error to tools/list).
 */
import { appendFileSync } from "node:fs";

type Json = Record<string, unknown>;
const { MODE = "", RECORD = "", CANARIES = "[]" } = process.env;
const all = (JSON.parse(CANARIES) as string[]).join(" ");

const send = (message: Json) => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const block = (text: string) => ({ type: "text", text });
const answer = (id: unknown, text: string, more: Json = {}) => send({ id, result: { content: [block(text)], ...more } });
const fail = (id: unknown, code: number) => send({ id, error: { code, message: `cannot: ${all}`, data: { why: all } } });

const tool = (name: string) => ({
  name,
  title: `${name} ${all}`,
  description: `does ${name} with ${all}`,
  inputSchema: { type: "object", properties: { text: { type: "string", description: all, default: all } } },
  annotations: { title: all },
  _meta: { about: all },
});

const tools: Readonly<Record<string, (id: unknown, args: Json, meta: Json) => void>> = {
  echo(id, args) {
    appendFileSync(RECORD, `${JSON.stringify(args)}\n`);
    answer(id, JSON.stringify(args), { structuredContent: args, _meta: { seen: all } });
  },
  tell: (id) =>
    answer(id, `told ${all}`, {
      content: [
        block(all),
        { type: "resource", resource: { uri: `file:///${encodeURIComponent(all)}`, mimeType: "text/plain", text: all } },
      ],
      structuredContent: { deep: [{ list: [all] }] },
    }),
  mistake: (id) => answer(id, `bad: ${all}`, { isError: true }),
  error: (id) => fail(id, -32050),
  invalid: (id) => fail(id, -32602),
  unknown: (id) => fail(id, -32601),
  progress(id, _, meta) {
    for (const progress of [1, 2])
      send({ method: "notifications/progress", params: { progressToken: meta["progressToken"], progress, message: `at ${all}` } });
    send({ method: "notifications/message", params: { level: "info", data: all } });
    answer(id, "done");
  },
  speak: (id) => process.stderr.write(`${all}\n${"x".repeat(1972)}${all}\n`, () => answer(id, "spoke")),
  hang: () => undefined,
  crash: () => process.stderr.write(`crash: ${all}\n`, () => process.exit(3)),
};

function onRequest(id: unknown, method: string, params: Json): void {
  if (method === "initialize" && MODE !== "fails")
    send({
      id,
      result: {
        protocolVersion: params["protocolVersion"],
        capabilities: { tools: {} },
        serverInfo: { name: `canary ${all}`, version: `1 ${all}`, title: `The canary ${all}` },
        instructions: `use ${all} ${"i".repeat(2000 - 5 - all.length - 26)}${all}`, // where it is cut, a secret is cut
      },
    });
  else if (method === "initialize" || (method === "tools/list" && MODE === "listless")) fail(id, -32603);
  else if (method === "tools/list") send({ id, result: { tools: Object.keys(tools).map(tool) } });
  else if (method === "tools/call")
    tools[String(params["name"])]?.(id, (params["arguments"] ?? {}) as Json, (params["_meta"] ?? {}) as Json);
  else send({ id, error: { code: -32601, message: "Method not found" } });
}

process.stderr.write(`hello ${all}\n`);
if (MODE === "dies") process.stderr.write(`fatal: ${"y".repeat(14)} ${all}\n${all}\n`, () => process.exit(2));
for await (const line of console) {
  const { id, method, params } = JSON.parse(line) as { id?: unknown; method?: string; params?: Json };
  if (method !== undefined && id !== undefined) onRequest(id, method, params ?? {});
}
