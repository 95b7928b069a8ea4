/** Tool definitions by their hash: stored once in the log, parsed once in memory. */
import type { Declared } from "../../actors/registry-commands.ts";
import type { Log } from "../log/log.ts";
import type { ToolDefinition } from "../mcp/downstream/downstream.ts";
import { canonicalize } from "../observe/canonical.ts";
import { mapStrings } from "../secrets/leaves.ts";

const NAME_SUFFIX_DIGITS = 8;
const sha256 = (text: string): string => Bun.SHA256.hash(text, "hex");

export interface Definitions {
  of(hash: string): ToolDefinition | undefined;
  /** Stores what a downstream server declares; whatever it may do is up to the operator. */
  declare(server: { readonly id: string }, tool: ToolDefinition): Declared;
  /** Stores a built-in tool. */
  declareBuiltin(tool: ToolDefinition, capability: Declared["capability"]): Declared;
}

/** `redact` takes secrets out of every text of a definition but its keys: a schema shows a secret as well as a description does. */
export function createDefinitions(log: Pick<Log, "define" | "definition">, redact: (text: string) => string): Definitions {
  const parsed = new Map<string, ToolDefinition>();
  const store = (declared: ToolDefinition): string => {
    const tool = mapStrings(declared, { text: redact, tooDeep: () => ({}), exempt: false }) as ToolDefinition;
    const json = canonicalize(tool, "escape");
    const hash = sha256(json);
    if (!parsed.has(hash)) {
      parsed.set(hash, tool);
      if (log.definition(hash) === undefined) log.define(hash, json);
    }
    return hash;
  };
  return {
    of(hash) {
      const known = parsed.get(hash);
      if (known) return known;
      const json = log.definition(hash);
      if (json === undefined) return undefined;
      const tool = JSON.parse(json) as ToolDefinition;
      parsed.set(hash, tool);
      return tool;
    },
    declare: ({ id }, tool) => ({
      tool: tool.name,
      hash: store(tool),
      suffix: sha256(`${id}\n${tool.name}`).slice(0, NAME_SUFFIX_DIGITS),
      capability: "mutating",
      ...(tool.annotations?.["readOnlyHint"] === true && { readOnlyHint: true as const }),
    }),
    declareBuiltin: (tool, capability) => ({ tool: tool.name, hash: store(tool), suffix: "", capability }),
  };
}
