/** A server of 2025-11-25 that asks on its connection. */
import type { DownstreamEvents, InputRequest, InputResponse } from "../../src/mcp/downstream/downstream.ts";
import { fakeServer, tool } from "../harness.ts";

export function legacyServer(names: readonly string[] = ["send"]) {
  const server = fakeServer(names.map((name) => tool(name)));
  const { connect } = server;
  let events: DownstreamEvents | undefined;
  server.connect = (listener) => {
    events = listener;
    return connect(listener);
  };
  const never = new AbortController();
  /** Resolves with how it is answered. */
  const ask = async (request: InputRequest, signal: AbortSignal = never.signal, taskId?: string): Promise<InputResponse | undefined> =>
    events?.onQuestion?.({ request, signal, ...(taskId !== undefined && { taskId }) });
  return { server, ask };
}
