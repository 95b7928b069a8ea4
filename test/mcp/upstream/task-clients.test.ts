/** The official requester of tasks against the edge: what it calls, follows, answers and calls off. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  type ResolvedInputExchangeContext,
  resultFromTaskOutcome,
  type TaskEnabledSession,
} from "@modelcontextprotocol/ext-tasks/client";
import { type ConformanceEdge, serveConformanceEdge } from "../../conformance/edge.ts";
import { MODERN, plainHeaders } from "./serve.ts";

let edge: ConformanceEdge;
let requester: Requester;
const asked: ResolvedInputExchangeContext["delivery"][] = [];

interface Requester {
  readonly session: TaskEnabledSession;
  close(): Promise<void>;
}

async function connect(): Promise<Requester> {
  const clientInfo = { name: "requester", version: "1" };
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: MODERN } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(edge.url)));
  const session = createTaskSessionFromClient(client, {
    endpointId: "edge",
    rawDispatch: post,
    v2RequestFraming: { protocolVersion: MODERN, clientInfo, clientCapabilities: { elicitation: { form: {} } } },
    async onInputRequest(request, { delivery }) {
      if (request.kind !== "elicitation") throw new Error(`asked for ${request.kind}`);
      asked.push(delivery);
      return { action: "accept", content: { name: "Ada", confirm: true } } as never; // its type does not follow the kind
    },
  });
  return {
    session,
    async close() {
      await session.close();
      await client.close();
    },
  };
}

beforeAll(async () => {
  edge = serveConformanceEdge();
  requester = await connect();
});
afterAll(async () => {
  await requester.close();
  await edge.close();
});

/** The requester leaves to its host how the messages of tasks travel: as any other modern request. */
const post: RawClientDispatch = async (request, { signal } = {}) => {
  const { method, params } = request as { readonly method: string; readonly params: { readonly name?: string; readonly taskId?: string } };
  const headers = { ...plainHeaders, "mcp-protocol-version": MODERN, "mcp-method": method, "mcp-name": params.name ?? params.taskId ?? "" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: crypto.randomUUID(), method, params });
  const response = await fetch(edge.url, { method: "POST", headers, body, signal: signal ?? null });
  const { result, error } = (await response.json()) as { readonly result: Result; readonly error?: ServerError };
  return error === undefined ? { kind: "result", result } : { kind: "error", error };
};
type Reply = Awaited<ReturnType<RawClientDispatch>>;
type Result = Extract<Reply, { readonly kind: "result" }>["result"];
type ServerError = Extract<Reply, { readonly kind: "error" }>["error"];

test("a call that stays one is answered at once", async () => {
  const execution = await requester.session.callTool("greet", { name: "Ada" });
  expect(execution.kind).toBe("immediate");
  expect(resultFromTaskOutcome(await execution.result())).toMatchObject({ content: [{ text: "Hello, Ada!" }] });
});

test("a call that goes on is followed to its result", async () => {
  const execution = await requester.session.callTool("slow_compute", { seconds: 0.3, label: "sums" });
  expect(execution.kind).toBe("task");
  const { outcome, lastTask } = await execution.settle();
  expect(lastTask).toMatchObject({ status: "completed", suggestedPollIntervalMs: 100, retentionMs: 60_000 });
  expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ text: "Computed sums" }] });
});

test("what a task asks is answered while it goes on", async () => {
  asked.length = 0;
  const execution = await requester.session.callTool("multi_input");
  const result = resultFromTaskOutcome((await execution.settle()).outcome);
  expect(result.content).toMatchObject([{ text: expect.stringMatching(/Ada.*Ada/) }]);
  expect(asked).toEqual(["task-update", "task-update"]);
});

test("what is asked before there is a task is answered first", async () => {
  asked.length = 0;
  const execution = await requester.session.callTool("test_tool_with_task");
  expect(execution.kind).toBe("task");
  expect(resultFromTaskOutcome((await execution.settle()).outcome)).toMatchObject({ content: [{ text: "Done for Ada" }] });
  expect(asked).toEqual(["request-retry"]);
});

test("a tool that failed has completed, a call that broke has failed", async () => {
  const failing = await (await requester.session.callTool("failing_job")).settle();
  expect(failing.outcome).toMatchObject({ status: "completed", result: { isError: true } });
  const broken = await (await requester.session.callTool("protocol_error_job")).settle();
  expect(broken.outcome).toMatchObject({ status: "failed", error: { code: -32603, message: "It broke" } });
});

test("a task is called off", async () => {
  const execution = await requester.session.callTool("slow_compute", { seconds: 60 });
  await execution.cancel();
  expect((await execution.settle()).outcome).toMatchObject({ status: "cancelled" });
});

test("a task is found again by its reference alone", async () => {
  const before = await connect();
  const execution = await before.session.callTool("slow_compute", { seconds: 0.3, label: "later" });
  if (execution.kind !== "task") throw new Error("no task");
  const reference = execution.serializeReference();
  await execution.detach();
  await execution.result().catch(() => undefined); // it has let go: what it still holds, it calls off when it closes
  await before.close();
  const resumed = await requester.session.resumeTask(reference);
  expect(resultFromTaskOutcome((await resumed.settle()).outcome)).toMatchObject({ content: [{ text: "Computed later" }] });
});
