/** The names that lists may hold beside those of servers' tools: built-in tools, other words for them, and groups of them. */

/** Outside of allow lists, since they decide by what they are pointed at. They can be denied by name. */
const MANAGEMENT = [
  "mcp_list_services",
  "mcp_get_service_details",
  "mcp_invoke_tool",
  "mcp_register_server",
  "mcp_unregister_server",
  "mcp_get_prompt",
  "mcp_list_resources",
  "mcp_read_resource",
  "mcp_find_tools",
  "mcp_answer",
  "mcp_cancel_task",
];
const STATUS = ["call_status", "resolve_call"];
/** Reads on in a result that was given already. */
const RESULTS = ["tool_result_fetch"];
export const OUTSIDE_ALLOW_LISTS: ReadonlySet<string> = new Set([...MANAGEMENT, ...STATUS, ...RESULTS]);

/** What it may do is what its target may do. */
export const TAKES_TARGET: ReadonlySet<string> = new Set(["mcp_invoke_tool"]);

const GUIDES = ["list_tool_guides", "get_tool_guide", "search_known_services"];
const FILES = ["read_file", "write_file", "edit", "list_files", "search_files", "file_system"];
const RUNTIME = ["exec", "execute_python_script", "wait"];
const WEB = ["web_search", "web_browse"];
const MEMORY = [
  "save_to_working_memory",
  "get_from_working_memory",
  "list_working_memory",
  "search_working_memory",
  "delete_from_working_memory",
];
const AUTOMATION = ["schedule_task", "list_scheduled_tasks", "cancel_scheduled_task"];
const MESSAGING = ["render_image", "render_form", "render_table", "render_chart"];
const OTHERS = ["datetime", "analyze_file"];

/** `group:NAME`; `group:mcp` and `group:mcp:SERVER` are servers' tools. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  fs: FILES,
  runtime: RUNTIME,
  web: WEB,
  memory: MEMORY,
  sessions: STATUS,
  automation: AUTOMATION,
  messaging: MESSAGING,
  guides: GUIDES,
  management: MANAGEMENT,
  builtin: [
    ...MANAGEMENT,
    ...STATUS,
    ...RESULTS,
    ...GUIDES,
    ...FILES,
    ...RUNTIME,
    ...WEB,
    ...MEMORY,
    ...AUTOMATION,
    ...MESSAGING,
    ...OTHERS,
  ],
};
/** Every built-in tool there is or will be. */
export const BUILTIN_NAMES: ReadonlySet<string> = new Set(GROUPS["builtin"]);

/** Other words for built-in tools, as programs of this kind have them. */
export const ALIASES: Readonly<Record<string, string>> = { web_fetch: "web_browse", bash: "exec", edit_file: "edit" };

/** Tools with operations that may stand in a list as `tool:operation`. */
export const BUILTIN_OPERATIONS: ReadonlySet<string> = new Set(["file_system"]);

/** What a tool set leaves of the built-in tools, beside those outside of allow lists. `full` is everything, `minimal` nothing. */
export const TOOL_SETS: Readonly<Record<"coding" | "messaging", ReadonlySet<string>>> = {
  coding: new Set([...GUIDES, ...FILES, ...RUNTIME, ...WEB, ...MEMORY, ...OTHERS]),
  messaging: new Set([...GUIDES, ...WEB, ...MESSAGING, ...OTHERS, "wait"]),
};

/** Of a built-in tool, in lower case: an alias is the tool it stands for. */
export function canonicalName(written: string): string {
  const name = written.toLowerCase();
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}
