/** The guide to the servers behind us and the tools that manage them. */
import type { Guide } from "./guide.ts";

const SHOWN = {
  off: "Tools are called through `mcp_invoke_tool` only; nothing has a name of its own.",
  eager: "Every tool of every server is in your list under its typed name `{server}__{tool}`.",
  lazy: "Tools have typed names `{server}__{tool}`. With few of them all are in your list; otherwise those are that you found or called.",
  pinned:
    "Tools have typed names `{server}__{tool}`. With few of them all are in your list; otherwise those are that you found or called, and the other tools of the servers you called last.",
} as const;

export const mcpGuide: Guide = {
  name: "mcp",
  summary: "Finding and calling the tools, prompts and resources of the connected MCP servers.",
  document: ({ mode, servers, surface, offered }) => {
    const has = (tool: string) => offered.has(tool);
    return [
      "# The connected MCP servers",
      servers.length === 0 ? "No server is configured yet." : `Connected or configured: ${servers.join(", ")}.`,
      "## How tools are shown",
      SHOWN[mode],
      ...(mode === "lazy" || mode === "pinned"
        ? [
            `Up to ${surface.listAllUpTo} typed tools are all listed; beyond that a list holds up to ${surface.maxActivatedTools} of them, the oldest go first. ` +
              "A tool that is not listed can be called by its name all the same.",
          ]
        : []),
      "## The tools for it",
      ...(has("mcp_find_tools") ? ["- `mcp_find_tools(query)`: say what you want to do; what it finds becomes callable at once."] : []),
      "- `mcp_list_services()`: every server with the names of its tools and prompts.",
      "- `mcp_get_service_details(server_name, tool_name?)`: a server's own instructions and the parameters of its tools.",
      "- `mcp_invoke_tool(server_name, tool_name, arguments)`: calls a tool by the server's own name for it; its parameters go inside `arguments`.",
      ...(has("search_known_services") ? ["- `search_known_services(query)`: which servers fit a task."] : []),
      ...(has("mcp_get_prompt") ? ["- `mcp_get_prompt(server_name, prompt_name, arguments?)`: a prompt as messages."] : []),
      ...(has("mcp_read_resource")
        ? [
            "- `mcp_list_resources(server_name)` and `mcp_read_resource(server_name, uri)`: long texts and binary content come as the path of a file.",
          ]
        : []),
      ...(has("mcp_register_server")
        ? [
            "- `mcp_register_server(name, type, url)` adds a server that speaks HTTP, `mcp_unregister_server(server_name)` removes one that you added. The operator's servers are the operator's.",
          ]
        : []),
      "## When it goes wrong",
      "A wrong name is answered with the names there are. A server that is not reachable right now is tried again by itself. " +
        "An error of the tool itself is the tool's: read it, correct the arguments, call again.",
      ...(has("mcp_answer") || has("mcp_cancel_task")
        ? ["A result that asks you something, or says that a background task started, is no failure: the guide `calls` tells how to go on."]
        : []),
    ].join("\n\n");
  },
};
