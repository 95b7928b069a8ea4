/** Servers with prompts and resources behind the real kernel and the real edge, and clients of every kind in front of it. */
import { Client, type ElicitResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createBackend } from "../../src/doors/backend.ts";
import { createSessions } from "../../src/doors/sessions.ts";
import { createSurface } from "../../src/doors/surface.ts";
import { createToolLists } from "../../src/doors/tool-lists.ts";
import type { PromptDefinition, ResourceList } from "../../src/mcp/downstream/definitions.ts";
import type { CallOutcome, CallReply, Downstream, DownstreamEvents, DownstreamRequest } from "../../src/mcp/downstream/downstream.ts";
import { type FakeServer, fakeServer, harness } from "../harness.ts";
import { clientTransport, openPipe } from "../mcp/upstream/pipe.ts";
import { serve } from "../mcp/upstream/serve.ts";

export interface Offering {
  prompts: readonly PromptDefinition[];
  resources: ResourceList["resources"];
  templates: ResourceList["templates"];
  capabilities: Readonly<Record<string, unknown>>;
  /** Answers every request but calls. */
  answer: (request: DownstreamRequest) => CallReply | Promise<CallReply>;
}
export type SurfaceServer = FakeServer & {
  readonly offering: Offering;
  readonly requests: DownstreamRequest[];
  /** `subscribe URI`, `unsubscribe URI` */
  readonly subscriptions: string[];
  readonly events: () => DownstreamEvents;
};

export const result = (value: Readonly<Record<string, unknown>>): CallOutcome => ({ kind: "result", result: value });
export const rpcError = (code: number, message: string, data?: unknown): CallOutcome => ({ kind: "rpc_error", code, message, data });
export const GONE: CallOutcome = { kind: "not_sent", reason: "connection refused" };

/** A server whose lists and answers can be changed at any time. */
export function surfaceServer(given: Partial<Offering> = {}): SurfaceServer {
  const offering: Offering = {
    prompts: [{ name: "greet", description: "Greets", arguments: [{ name: "who", required: true }] }],
    resources: [{ uri: "note://1", name: "one", mimeType: "text/plain" }],
    templates: [{ uriTemplate: "note://{id}/raw", name: "raw" }],
    capabilities: { completions: {} },
    answer: ({ method, params }) =>
      method === "prompts/get"
        ? result({ messages: [{ role: "user", content: { type: "text", text: JSON.stringify(params) } }] })
        : result({ contents: [{ uri: params["uri"], text: `content of ${params["uri"]}` }] }),
    ...given,
  };
  const requests: DownstreamRequest[] = [];
  const subscriptions: string[] = [];
  let events: DownstreamEvents | undefined;
  const subscribe = (verb: string) => async (uri: string) => {
    subscriptions.push(`${verb} ${uri}`);
    return uri.startsWith("no:") ? rpcError(-32602, "no such note") : result({});
  };
  const server = fakeServer([], {
    listPrompts: async () => offering.prompts,
    listResources: async () => ({ resources: offering.resources, templates: offering.templates }),
    async request(request) {
      requests.push(request);
      return offering.answer(request);
    },
    subscribe: subscribe("subscribe"),
    unsubscribe: subscribe("unsubscribe"),
  });
  const { connect } = server;
  return Object.assign(server, {
    offering,
    requests,
    subscriptions,
    events() {
      if (!events) throw new Error("it was never connected");
      return events;
    },
    async connect(listener: DownstreamEvents): Promise<Downstream> {
      events = listener;
      const made = await connect(listener);
      return { ...made, introduction: { ...made.introduction, capabilities: offering.capabilities } };
    },
  });
}

interface ClientOptions {
  readonly agent?: string;
  readonly name?: string;
  /** What its person answers to a form. */
  readonly elicit?: (message: string) => ElicitResult;
}

/** The edge over the kernel. */
export async function surface(options: Parameters<typeof harness>[0] = {}) {
  const world = await harness(options);
  let drawn = 0;
  const sessions = createSessions({ limitOf: () => 0, ...world, now: world.clock.now, randomId: () => `${++drawn}`.padStart(32, "0") });
  const settling = () => world.connections.settling;
  const backend = createBackend({
    ...world,
    version: "0",
    sessions,
    settling,
    knowsState: world.questions.knowsState,
    lists: createToolLists(world),
    orientation: () => "",
    surface: createSurface({
      ...world,
      sessions,
      settling,
      documentOf: world.definitions.document,
      capabilitiesOf: (server) => world.connections.of(server)?.downstream?.introduction.capabilities,
    }),
  });
  const served = serve(backend);
  const closing: (() => Promise<void>)[] = [served.close];
  const headers = (agent: string, name: string | undefined) => ({
    requestInit: { headers: { "x-agent": agent, ...(name !== undefined && { "toolcrib-session": name }) } },
  });
  return {
    ...world,
    ...served,
    /** By HTTP, v2 of the SDK. */
    async client(mode: "legacy" | "auto" = "auto", { agent = "ada", name, elicit }: ClientOptions = {}) {
      const capabilities = elicit ? { elicitation: { form: {} } } : {};
      const client = new Client({ name: `v2 of ${agent}`, version: "1" }, { versionNegotiation: { mode }, capabilities });
      if (elicit) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params.message));
      await client.connect(new StreamableHTTPClientTransport(served.url, headers(agent, name)));
      closing.unshift(() => client.close());
      return client;
    },
    async oldClient(agent = "ada") {
      const client = new OldClient({ name: "v1", version: "1" });
      const transport = new OldTransport(served.url, headers(agent, undefined));
      await client.connect(transport as Parameters<typeof client.connect>[0]);
      closing.unshift(() => client.close());
      return client;
    },
    /** Over a stream. */
    async streamClient(mode: "legacy" | "auto" = "auto") {
      const pipe = openPipe(backend);
      const client = new Client({ name: "stream", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(clientTransport(pipe));
      closing.unshift(() => client.close().then(() => pipe.edge.close()));
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const close of closing) await close();
    },
  };
}
export type SurfaceWorld = Awaited<ReturnType<typeof surface>>;

/** One client of each kind, by name. */
export const KINDS = ["v1", "v2 legacy", "v2 modern", "stream legacy", "stream modern"] as const;
export async function clientOf(world: SurfaceWorld, kind: (typeof KINDS)[number]): Promise<Client> {
  switch (kind) {
    case "v1":
      return (await world.oldClient()) as unknown as Client; // what is used of it here is the same
    case "v2 legacy":
      return world.client("legacy");
    case "v2 modern":
      return world.client("auto");
    case "stream legacy":
      return world.streamClient("legacy");
    case "stream modern":
      return world.streamClient("auto");
  }
}
