/** Sends task handles as they are: the SDK gives every tool result `content`, and a handle has none. */
import type { Server } from "@modelcontextprotocol/server";
import { isTask } from "./interim.ts";

/** To be called before the server is connected. */
export function keepHandlesFlat(server: Server): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (!("result" in message) || !isTask(message.result)) return send(message, options);
      const { content: _, ...handle } = message.result;
      return send({ ...message, result: handle }, options);
    };
    return connect(transport);
  };
}
