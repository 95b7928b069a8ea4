/** Reads every page of `tools/list`, one bad entry or a looping cursor at a time. */
import type { CallOutcome, ToolDefinition } from "./downstream.ts";
import { isObject } from "./json.ts";
import { parameterHeaders } from "./param-headers.ts";

const MAX_PAGES = 1000;

export interface ToolListOptions {
  /** One `tools/list` request. */
  page(params: Readonly<Record<string, unknown>>): Promise<CallOutcome>;
  /** On modern HTTP a tool with an unlawful `x-mcp-header` has to be left out. */
  readonly checkHeaders: boolean;
  onWarning(text: string): void;
}

/** Every tool of the server. Rejects when a page fails or the cursor runs in a circle; entries that are no tools are skipped with a warning. */
export async function readToolList({ page, checkHeaders, onWarning }: ToolListOptions): Promise<readonly ToolDefinition[]> {
  const tools: ToolDefinition[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const outcome = await page(cursor === undefined ? {} : { cursor });
    if (outcome.kind !== "result") throw new Error(`tools/list failed: ${describe(outcome)}`);
    const { tools: entries, nextCursor } = outcome.result;
    if (!Array.isArray(entries))
      throw new Error('tools/list failed: the answer has no list "tools". Update the server, or report this to its author.');
    for (const entry of entries) {
      const fault = faultOf(entry, checkHeaders);
      if (fault === undefined) tools.push(entry);
      else onWarning(`tools/list: skipped ${nameOf(entry)}: ${fault}`);
    }
    if (typeof nextCursor !== "string" || nextCursor === "") return tools;
    if (seen.has(nextCursor))
      throw new Error("tools/list failed: the server gave the same nextCursor twice, its list would never end. Report this to its author.");
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw new Error(`tools/list failed: more than ${MAX_PAGES} pages. Report this to the server's author.`);
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

function describe(outcome: Exclude<CallOutcome, { kind: "result" }>): string {
  return outcome.kind === "rpc_error" ? `${outcome.message} (${outcome.code})` : outcome.reason;
}
