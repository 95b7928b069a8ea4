/** What the tests of servers that ask share: starting one, and going on with a call that asked. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallReply, CallRequest, Downstream, Interim, Target } from "../../../src/mcp/downstream/downstream.ts";
import { askingServer } from "../../fixtures/servers/asking-server.ts";
import { legacyAskingServer } from "../../fixtures/servers/legacy-asking-server.ts";
import { type Fixture, listen, type Running, recordExecutions } from "../../fixtures/servers/serve-fixture.ts";
import { closeAll, http, program } from "./support.ts";

const servers: Running[] = [];

/** Serves over HTTP until `stopAll`. */
export function running(fixture: Fixture): Running {
  const server = listen(fixture);
  servers.push(server);
  return server;
}

/** For `afterEach`: connections and servers. */
export async function stopAll(): Promise<void> {
  await closeAll();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
}

export interface Asking {
  readonly target: Target;
  readonly executed: () => readonly string[];
}

export function askingOverHttp(ttlSeconds?: number): Asking & Running {
  const server = running(askingServer(ttlSeconds === undefined ? {} : { ttlSeconds }));
  return { ...server, target: http(server.url) };
}

export function askingOverStdio(ttlSeconds?: number): Asking {
  const file = join(mkdtempSync(join(tmpdir(), "asking-")), "executions");
  const args = ["--executions", file, ...(ttlSeconds === undefined ? [] : ["--ttl", String(ttlSeconds)])];
  return { target: program("asking-server.ts", args), executed: () => recordExecutions(file).all() };
}

/** The same of an older server. */
export function olderOverHttp(): Asking & Running {
  const server = running(legacyAskingServer());
  return { ...server, target: http(server.url) };
}
export function olderOverStdio(): Asking {
  const file = join(mkdtempSync(join(tmpdir(), "asking-")), "executions");
  return { target: program("legacy-asking-server.ts", ["--executions", file]), executed: () => recordExecutions(file).all() };
}

/** A call whose caller deals with questions. */
export const asking = (tool: string, args: Record<string, unknown> = {}): CallRequest => ({
  tool,
  arguments: args,
  accepts: { questions: true },
});

/** Narrows to a reply that asks. */
export function asked(reply: CallReply): Extract<Interim, { kind: "input_required" }> {
  if (reply.kind !== "input_required") throw new Error(`it did not ask: ${JSON.stringify(reply).slice(0, 500)}`);
  return reply;
}

export const accept = (content: Record<string, unknown>) => ({ action: "accept" as const, content });

/** The same call once more, with the answers. */
export function further(downstream: Downstream, first: CallRequest, reply: CallReply, inputResponses: Record<string, unknown>) {
  const { requestState } = asked(reply);
  return downstream.call({ ...first, inputResponses, ...(requestState !== undefined && { requestState }) });
}
