/** A server of 2026-07-28 that asks, and goes on when it is answered: what it was sent, and what it really did. */
import type { CallRequest, Downstream, InputRequest, Interim, TaskReport } from "../../src/mcp/downstream/downstream.ts";
import { fakeServer, tool } from "../harness.ts";

export const form = (message: string, properties: Record<string, unknown>, required: readonly string[] = []): InputRequest => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties, required: [...required] } },
});
export const MAILBOX = form("Which mailbox?", { mailbox: { type: "string", enum: ["home", "work"] } }, ["mailbox"]);

export const asks = (requests: Record<string, InputRequest>, requestState = "state-1"): Interim => ({
  kind: "input_required",
  requests,
  requestState,
});

/** `more.tasks`: what its tasks say. */
export function modernServer(names: readonly string[] = ["send"], more: Partial<Downstream> = {}) {
  const server = fakeServer(
    names.map((name) => tool(name)),
    {
      introduction: {
        era: "modern",
        protocolVersion: "2026-07-28",
        transport: "streamable-http",
        serverInfo: { name: "fake", version: "1" },
        capabilities: { tools: {} },
      },
      ...more,
    },
  );
  return server;
}

/** The request that came last. */
export const lastOf = (server: ReturnType<typeof modernServer>): CallRequest => {
  const last = server.calls.at(-1);
  if (!last) throw new Error("the server was not called");
  return last.request;
};

export type Reports = (taskId: string) => TaskReport;
