/** Reads every page of `tools/list`, one bad entry at a time. */
import { AuthorizationRequired } from "./authorization.ts";
import type { ToolDefinition } from "./definitions.ts";
import { isObject } from "./json.ts";
import { type ReadPage, readPages } from "./pages.ts";
import { parameterHeaders } from "./param-headers.ts";

export interface ToolListOptions {
  /** One `tools/list` request. */
  readonly page: ReadPage;
  /** On modern HTTP a tool with an unlawful `x-mcp-header` has to be left out. */
  readonly checkHeaders: boolean;
  onWarning(text: string): void;
}

/** Every tool of the server. Rejects when a page fails or the cursor runs in a circle; entries that are no tools are skipped with a warning. */
export async function readToolList({ page, checkHeaders, onWarning }: ToolListOptions): Promise<readonly ToolDefinition[]> {
  const pages = await readPages("tools", page);
  if (!pages.ok) throw pages.authorization ? new AuthorizationRequired(pages.reason) : new Error(`tools/list failed: ${pages.reason}`);
  const tools: ToolDefinition[] = [];
  for (const entry of pages.entries) {
    const fault = faultOf(entry, checkHeaders);
    if (fault === undefined) tools.push(entry as ToolDefinition);
    else onWarning(`tools/list: skipped ${nameOf(entry)}: ${fault}`);
  }
  return tools;
}

function faultOf(entry: unknown, checkHeaders: boolean): string | undefined {
  if (!isObject(entry)) return "it is not an object";
  if (typeof entry["name"] !== "string" || entry["name"] === "") return "it has no name";
  if (!isObject(entry["inputSchema"])) return "it has no inputSchema";
  if (!checkHeaders) return undefined;
  const headers = parameterHeaders(entry["inputSchema"]);
  return headers.ok ? undefined : headers.reason;
}

function nameOf(entry: unknown): string {
  return isObject(entry) && typeof entry["name"] === "string" ? JSON.stringify(entry["name"].slice(0, 100)) : "an entry";
}
