/** The connection to one downstream server, as far as it matters to calls. */
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";

export const ServerConnected = defineEvent(
  "server.connected",
  z.strictObject({
    id: z.string(),
    transport: z.string(),
    protocolVersion: z.string(),
    era: z.enum(["legacy", "modern"]),
    /** The server never answered the question for its era: to be asked again next time. */
    eraGuessed: z.literal(true).optional(),
    implementation: z.string(),
  }),
);

export const ServerDisconnected = defineEvent("server.disconnected", z.strictObject({ id: z.string(), reason: z.string() }));

export const serverEvents = [ServerConnected, ServerDisconnected] as const;
export type ServerConnectionEvent = EventOf<(typeof serverEvents)[number]>;
