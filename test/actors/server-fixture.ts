/** One mutating call of a server, at each point of its life. */
import { CallDispatched, CallSettled } from "../../events/call.ts";
import { ServerConnected } from "../../events/server.ts";
import { NOW } from "../given.ts";

export const call = { call: "c_1", session: "s_1", agent: "ada", tool: "send_mail", capability: "mutating", digest: "d1" } as const;
export const dispatch = { type: "dispatch", ...call, name: "mail__send_mail", timeoutMs: 60_000 } as const;
export const flight = { ...call, deadline: NOW + 60_000 };
export const dispatched = CallDispatched(flight);
export const doubted = CallSettled({
  call: "c_1",
  session: "s_1",
  capability: "mutating",
  certainty: "in_doubt",
  code: "timeout",
  since: NOW - 5,
});
export const connected = ServerConnected({
  id: "aaaaaaaaaaaa",
  transport: "stdio",
  protocolVersion: "2025-11-25",
  era: "legacy",
  implementation: "mail 1",
});
