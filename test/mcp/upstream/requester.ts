/** The official requester of tasks, as a client of any edge: what it is asked it answers with one name and a yes. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  type ResolvedInputExchangeContext,
  type TaskEnabledSession,
} from "@modelcontextprotocol/ext-tasks/client";
import { MODERN, plainHeaders } from "./serve.ts";

export interface Requester {
  readonly session: TaskEnabledSession;
  /** How each question came to it. */
  readonly asked: ResolvedInputExchangeContext["delivery"][];
  close(): Promise<void>;
}

export async function connectRequester(url: string): Promise<Requester> {
  const clientInfo = { name: "requester", version: "1" };
  const asked: Requester["asked"] = [];
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: MODERN } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const session = createTaskSessionFromClient(client, {
    endpointId: "edge",
    rawDispatch: dispatchTo(url),
    v2RequestFraming: { protocolVersion: MODERN, clientInfo, clientCapabilities: { elicitation: { form: {} } } },
    async onInputRequest(request, { delivery }) {
      if (request.kind !== "elicitation") throw new Error(`asked for ${request.kind}`);
      asked.push(delivery);
      return { action: "accept", content: { name: "Ada", confirm: true } } as never; // its type does not follow the kind
    },
  });
  return {
    session,
    asked,
    async close() {
      await session.close();
      await client.close();
    },
  };
}

/** The requester leaves to its host how the messages of tasks travel: as any other modern request. */
const dispatchTo =
  (url: string): RawClientDispatch =>
  async (request, { signal } = {}) => {
    const { method, params } = request as {
      readonly method: string;
      readonly params: { readonly name?: string; readonly taskId?: string };
    };
    const headers = {
      ...plainHeaders,
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      "mcp-name": params.name ?? params.taskId ?? "",
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: crypto.randomUUID(), method, params });
    const response = await fetch(url, { method: "POST", headers, body, signal: signal ?? null });
    const { result, error } = (await response.json()) as { readonly result: Result; readonly error?: ServerError };
    return error === undefined ? { kind: "result", result } : { kind: "error", error };
  };
type Reply = Awaited<ReturnType<RawClientDispatch>>;
type Result = Extract<Reply, { readonly kind: "result" }>["result"];
type ServerError = Extract<Reply, { readonly kind: "error" }>["error"];
