/** What an agent is told about us when it connects: one fixed text for each way of showing tools, so that prompt caches survive. */
import type { WrapperMode } from "../../events/registry.ts";

/** Clients cut longer instructions. */
export const MAX_ORIENTATION = 2000;

const WHAT =
  "# toolcrib\nBehind this server stand other MCP servers: live systems, data of the person you work for, things outside of you. " +
  "Use them instead of answering from memory. Every call is recorded before and after it acts.";
const NAMES =
  "Their tools are named {server}__{tool}, for example mail__send_message; their prompts {server}__{prompt}-prompt. Call them by these names.";

const WORKFLOW: Readonly<Record<WrapperMode, readonly string[]>> = {
  off: [
    "Work in three steps: mcp_list_services shows the servers, mcp_get_service_details the parameters of their tools, mcp_invoke_tool calls one. " +
      'The tool\'s own parameters go inside "arguments": {"server_name": "mail", "tool_name": "send_message", "arguments": {"to": "…"}}.',
  ],
  eager: [NAMES, "All tools are in your list: pick one and call it."],
  lazy: [
    NAMES,
    "Not every tool is in your list. If none fits, search with mcp_find_tools: say in plain words what you want to do, then call what it finds by its name. " +
      "Prompts are found the same way.",
  ],
  pinned: [
    NAMES,
    "Not every tool is in your list. If none fits, search with mcp_find_tools: say in plain words what you want to do, then call what it finds by its name. " +
      "Once you have called a tool of a server, the server's other tools stay in your list. Prompts are found with mcp_find_tools too.",
  ],
};
const ESCAPE =
  "mcp_invoke_tool reaches every tool by its server and the server's own name for it, also one that is not in your list. " +
  "If a name is wrong, the answer lists what there is: use that instead of guessing.";
const DOUBT =
  "If a result says that a call may have been carried out, look whether it was before you repeat it, then settle it with resolve_call. " +
  "call_status tells what became of any call. Notices in front of a result are about earlier calls.";
const WAITING =
  "A result may be a question of the tool's server: the call waits, so do not make it again, but answer with mcp_answer or decline; yes or no is for the user to say. " +
  "Or it may say that a background task started: go on with other work, its outcome comes with a later result.";
const GUIDE = 'More: get_tool_guide with the name "mcp".';

export const orientation = (mode: WrapperMode): string =>
  [WHAT, ...WORKFLOW[mode], ...(mode === "off" ? [] : [ESCAPE]), DOUBT, WAITING, GUIDE].join("\n\n");
