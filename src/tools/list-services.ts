/** `mcp_list_services`: which servers there are and what they offer, from the catalogue alone. */
import { z } from "zod";
import { BUILTIN } from "../../actors/address.ts";
import { promptsOf, toolsOf } from "../../actors/catalogue.ts";
import { mayReach, mayUseServer } from "../../actors/policy/allow.ts";
import type { ResourceList } from "../mcp/downstream/definitions.ts";
import { defineTool, jsonResult } from "./define.ts";

const MAX_RESOURCE_NAMES = 50;

export const listServices = defineTool({
  name: "mcp_list_services",
  description: "Lists the connected MCP servers with their tools. Use mcp_get_service_details for the parameters of one of them.",
  input: z.looseObject({}),
  capability: "read",
  run: (_, { catalogue, scope, factsOf, documentOf }) => {
    const services = [...catalogue.servers.values()]
      .filter((server) => server.name !== BUILTIN && server.refused === undefined && mayUseServer(catalogue, server, scope))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map((server) => {
        const isAllowed = ({ name }: { readonly name: string }) => mayReach(catalogue, { name }, scope);
        const toolNames = toolsOf(server)
          .filter(isAllowed)
          .map(({ tool }) => tool);
        const promptNames = promptsOf(server)
          .filter(isAllowed)
          .map(({ tool }) => tool);
        const list = server.resources && (documentOf(server.resources.hash) as ResourceList | undefined);
        const resourceNames = list ? [...list.resources, ...list.templates].map(({ name }) => name) : [];
        return {
          serverName: server.name,
          serverId: server.id,
          summary: factsOf(server.name).summary,
          toolCount: toolNames.length,
          toolNames,
          promptCount: promptNames.length,
          promptNames,
          ...(resourceNames.length > 0 && {
            resourceCount: resourceNames.length,
            resourceNames: resourceNames.slice(0, MAX_RESOURCE_NAMES),
          }),
        };
      });
    return jsonResult(services, { services });
  },
});
