/** `mcp_list_services`: which servers there are and what they offer, from the catalogue alone. */
import { z } from "zod";
import { BUILTIN } from "../../actors/address.ts";
import { authorise } from "../../actors/policy/allow.ts";
import { defineTool, jsonResult } from "./define.ts";

export const listServices = defineTool({
  name: "mcp_list_services",
  description: "Lists the connected MCP servers with their tools. Use mcp_get_service_details for the parameters of one of them.",
  input: z.object({}),
  capability: "read",
  run: (_, { catalogue, factsOf }) => {
    const services = [...catalogue.servers.values()]
      .filter(({ name, refused }) => name !== BUILTIN && refused === undefined)
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, id, offers, policy }) => {
        const toolNames = [...offers.values()].filter((offer) => authorise(catalogue, offer.name).allowed).map(({ tool }) => tool);
        const { implementation, state } = factsOf(name);
        const count = `${toolNames.length} tool${toolNames.length === 1 ? "" : "s"}`;
        return {
          serverName: name,
          serverId: id,
          summary: policy.summary ?? `${implementation?.title ?? implementation?.name ?? name}: ${count} (${state})`,
          toolCount: toolNames.length,
          toolNames,
          promptCount: 0,
          promptNames: [],
        };
      });
    return jsonResult(services, { services });
  },
});
