/** A downstream server that asks or has tasks, living in the test's own process, and the agent and the data folder that live through a kill with it. */
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventDefinitions } from "../../../events/all.ts";
import { openReader } from "../../../src/log/reader.ts";
import { type Fixture, listen } from "../../fixtures/servers/serve-fixture.ts";
import { envelope, messagesOf, modernHeaders, plainHeaders } from "../../mcp/upstream/serve.ts";
import { asOperator, until } from "../daemon-fixture.ts";
import { startGateway } from "./gateway.ts";

export type Json = Readonly<Record<string, unknown>>;
type Texts = readonly { readonly text?: string }[];

/** A request, and the answers it brought: those of a call's next leg, or of a task. */
interface Heard {
  /** Empty: it is an answer itself, to a question on the open connection. */
  readonly method: string;
  readonly answered: readonly string[];
}
export interface Desk {
  readonly url: string;
  readonly executed: () => readonly string[];
  /** Every request of the gateway that was carried out, in order. */
  readonly heard: readonly Heard[];
  /** Told of a request before it is carried out, and before its answer leaves. */
  cut: (heard: Heard, moment: Moment) => Promise<void>;
  stop(): Promise<void>;
}

export function openDesk(fixture: Fixture): Desk {
  const heard: Heard[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return fixture.fetch(request);
    const text = await request.text();
    const { method = "", params = {}, result } = JSON.parse(text) as { method?: string; params?: Json; result?: Json };
    const one = { method, answered: Object.keys((result?.["content"] ?? params["inputResponses"] ?? {}) as Json) };
    await desk.cut(one, "before");
    const response = await fixture.fetch(new Request(request.url, { method: "POST", headers: request.headers, body: text }));
    heard.push(one);
    await desk.cut(one, "after");
    return response;
  };
  const { url, stop } = listen({ ...fixture, fetch });
  const desk: Desk = { url, heard, executed: fixture.executed, cut: async () => undefined, stop };
  return desk;
}

export interface Reply {
  readonly text: string;
  readonly structured: Json;
  readonly code: string | undefined;
  readonly isError: boolean;
}

/** Someone who calls tools over REST, and looks as the operator. Every request fails when the gateway ends meanwhile. `heard`: all that came back. */
export function agentOf(url: string, data: string, heard: string[]) {
  const headers = () => asOperator({ data } as Parameters<typeof asOperator>[0]);
  const rows = async (what: "questions" | "tasks") => {
    const response = await fetch(`${url}/v1/${what}`, { headers: headers() });
    return ((await response.json()) as Record<string, readonly Record<string, string>[]>)[what] ?? [];
  };
  return {
    async call(tool: string, args: Json = {}): Promise<Reply> {
      const response = await fetch(`${url}/v1/tools/${tool}/call`, { method: "POST", body: JSON.stringify({ arguments: args }) });
      const body = (await response.json()) as {
        content?: Texts;
        structuredContent?: Json;
        error?: { code: string; message: string };
        isError?: boolean;
      };
      const { content = [], structuredContent: structured = {}, error, isError = false } = body;
      const text = error?.message ?? content.map((block) => block.text ?? "").join("\n");
      heard.push(text);
      return { text, structured, code: error?.code, isError: isError || error !== undefined };
    },
    /** As a client of 2026-07-28 that has a person and follows tasks; the result, or the error. */
    async mcp(method: string, name: string, more: Json): Promise<Json> {
      const capabilities = { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } };
      const headers = { ...plainHeaders, ...modernHeaders(name), "mcp-method": method };
      const params = { ...more, _meta: envelope({ "io.modelcontextprotocol/clientCapabilities": capabilities }) };
      const response = await fetch(`${url}/mcp`, {
        method: "POST",
        headers,
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const { result, error } = (await messagesOf(response)).at(-1) ?? {};
      return (result ?? error ?? {}) as Json;
    },
    heard,
    /** As an operator. The HTTP status. */
    decide: async (question: string, given: Json) =>
      (await fetch(`${url}/v1/questions/${question}`, { method: "POST", headers: headers(), body: JSON.stringify(given) })).status,
    questions: () => rows("questions"),
    tasks: () => rows("tasks"),
  };
}
export type Agent = ReturnType<typeof agentOf>;

/** A commit of the log, as its events, each with its passing when that is not the first: `call.settled:2`. */
export type Commit = readonly string[];
/** What is in one commit cannot be parted: nothing of it is there, or all. */
export const around = (commit: Commit) => [`before:${commit[0]}`, `after:${commit.at(-1)}`] as const;
export const typesOf = (commit: Commit): string[] => commit.map((event) => event.replace(/:\d+$/, ""));

/** Where the desk has a request with answers: not carried out yet, or carried out and not answered. */
export type Moment = "before" | "after";
export interface Life<Seen> {
  readonly desk: Desk;
  /** Of the entry in the configuration, beside its address. */
  readonly entry: Json;
  /** Of the configuration, beside the servers. */
  readonly more?: Json;
  /** Where the gateway is killed: by itself at a failpoint, or when the desk has this request; otherwise when `act` is done. */
  readonly point?: string | { readonly method: string; readonly moment: Moment };
  /** What an agent does until the gateway ends, and what it saw by then. */
  readonly act: (agent: Agent, seen: Partial<Seen>) => Promise<void>;
  /** The rest of it, with another process on the same folder. */
  readonly goOn: (agent: Agent, seen: Partial<Seen>) => Promise<void>;
}

/** A point that is not reached in this time is not on the way. */
const PATIENCE_MS = 20_000;

/** Returns the types of the log's events, turn by turn. */
export async function liveOn<Seen>(
  binary: string,
  { desk, entry, more, point, act, goOn }: Life<Seen>,
): Promise<readonly (readonly string[])[]> {
  const root = mkdtempSync(join(tmpdir(), "toolcrib-desk-"));
  const place = { root, data: join(root, "data"), config: join(root, "toolcrib.jsonc"), acts: "", pids: "" };
  const bridge = { connectRetryBaseDelayMs: 50, taskPollMinMs: 20 };
  writeFileSync(place.config, JSON.stringify({ ...more, bridge, mcpServers: { desk: { url: desk.url, ...entry } } }));
  const heard: string[] = [];
  const start = async (failpoint?: string) => {
    const gateway = startGateway(binary, place, failpoint);
    const url = (await gateway.url) ?? "";
    if (url === "") throw new Error(`it did not serve: ${gateway.output()}`);
    return { gateway, url, agent: agentOf(url, place.data, heard) };
  };
  try {
    const seen: Partial<Seen> = {};
    const first = await start(typeof point === "string" ? point : undefined);
    await until("the desk is served", async () => (await (await fetch(`${first.url}/v1/tools`)).text()).includes("desk__"));
    const kill = async () => {
      first.gateway.kill("SIGKILL");
      await first.gateway.ended;
    };
    if (typeof point === "object")
      desk.cut = async ({ method, answered }, moment) => {
        if (method !== point.method || moment !== point.moment || (method === "tools/call" && answered.length === 0)) return;
        await kill();
      };
    const acting = act(first.agent, seen).catch((error: unknown) => {
      if (point === undefined || (error instanceof Error && "matcherResult" in error)) throw error; // else its connection was cut
    });
    await Promise.race([first.gateway.ended, acting, Bun.sleep(PATIENCE_MS)]);
    // What the agent did not wait for may come after it.
    const ended = first.gateway.ended.then(() => true);
    const reached = point === undefined || (await Promise.race([ended, Bun.sleep(PATIENCE_MS).then(() => false)]));
    await kill();
    await acting;
    if (!reached) throw new Error("it did not come that far");
    desk.cut = async () => undefined;

    const second = await start();
    await goOn(second.agent, seen);
    await until("nothing is sealed for what is over", () => sealedIn(place.data).length === 0); // a server is told first to stop what nobody follows
    second.gateway.kill("SIGTERM");
    await second.gateway.ended;
    const verify = Bun.spawn([binary, "verify", "--deep", "--data", place.data], { stdio: ["ignore", "pipe", "inherit"] });
    if ((await verify.exited) !== 0) throw new Error(`verify --deep: ${await new Response(verify.stdout).text()}`);
    expect(sealedIn(place.data)).toEqual([]);
    const turns = turnsIn(place.data);
    rmSync(root, { recursive: true });
    await desk.stop();
    return turns;
  } catch (error) {
    throw new Error(`${JSON.stringify(point)}, in ${root}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** What is kept for calls that wait. */
function sealedIn(data: string): unknown[] {
  using db = new Database(join(data, "sealed.db"), { readonly: true });
  return db.query("select kind, name from sealed where kind in ('question', 'task')").all();
}

function turnsIn(data: string): string[][] {
  const reader = openReader(data, eventDefinitions);
  const rows = reader.query<{ name: string; turn: number }>(
    "select n.name, e.turn from events e join names n on n.id = e.type order by e.position",
  );
  reader.close();
  return [...Map.groupBy(rows, ({ turn }) => turn).values()].map((turn) => turn.map(({ name }) => name));
}
