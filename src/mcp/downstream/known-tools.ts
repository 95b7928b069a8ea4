/** The tools of one connection, and what a call has to know of its tool beside the name. */
import type { ToolDefinition } from "./definitions.ts";
import type { CallRequest } from "./downstream.ts";
import { isObject } from "./json.ts";
import { headersOfCall, type ParameterHeaders, parameterHeaders } from "./param-headers.ts";
import type { RawCalls } from "./raw-calls.ts";
import { readToolList } from "./tool-list.ts";

export interface KnownTools {
  /** Every page, anew. Rejects when the list cannot be had. */
  list(): Promise<readonly ToolDefinition[]>;
  /** The headers that mirror its arguments, by the last list; none before there was one. */
  headersOf(request: CallRequest): Readonly<Record<string, string>> | undefined;
  /** Reads the list again. True when the headers of the tool are others now. */
  refreshed(tool: string): Promise<boolean>;
  /** Whether a call of it may be asked to become a task of an older server, which leaves that to the client. */
  takesTask(tool: string): Promise<boolean>;
}

export interface KnownToolsOptions {
  readonly calls: Pick<RawCalls, "request">;
  readonly hasTools: boolean;
  /** True where `x-mcp-header` counts: modern Streamable HTTP. */
  readonly mirrorsHeaders: boolean;
  onWarning(text: string): void;
}

export function knownTools({ calls, hasTools, mirrorsHeaders, onWarning }: KnownToolsOptions): KnownTools {
  let headers = new Map<string, ParameterHeaders>();
  let tasks: ReadonlySet<string> | undefined;

  async function list(): Promise<readonly ToolDefinition[]> {
    if (!hasTools) return [];
    const tools = await readToolList({
      page: (params) => calls.request({ method: "tools/list", params }),
      checkHeaders: mirrorsHeaders,
      onWarning,
    });
    if (mirrorsHeaders) headers = new Map(tools.map((tool) => [tool.name, parameterHeaders(tool.inputSchema)]));
    tasks = new Set(tools.filter(supportsTasks).map(({ name }) => name));
    return tools;
  }
  const tryToList = () => list().catch(() => undefined);

  return {
    list,
    headersOf(request) {
      const declared = headers.get(request.tool);
      return declared?.ok === true ? headersOfCall(declared.headers, request.arguments) : undefined;
    },
    async refreshed(tool) {
      const before = headers.get(tool);
      await tryToList();
      return !Bun.deepEquals(before, headers.get(tool));
    },
    async takesTask(tool) {
      if (tasks === undefined) await tryToList();
      return tasks?.has(tool) === true;
    },
  };
}

function supportsTasks(tool: ToolDefinition): boolean {
  const { execution } = tool;
  return isObject(execution) && (execution["taskSupport"] === "required" || execution["taskSupport"] === "optional");
}
