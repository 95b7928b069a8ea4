/** What the sender of a request has declared that it can do: in the modern era with each request, before it once a connection. */
import { CLIENT_CAPABILITIES_META_KEY, type Server } from "@modelcontextprotocol/server";
import { isObject, type JsonObject } from "./json.ts";

/** The extension by which a call may go on in the background (SEP-2663). */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

export interface ClientAbilities {
  readonly era: "legacy" | "modern";
  /** It shows forms to somebody. */
  readonly elicitation: boolean;
  /** It follows tasks. Never in the legacy era: its tasks are others. */
  readonly tasks: boolean;
}

/** Of a modern request, by its `_meta`. */
export function modernAbilities(meta: JsonObject | undefined): ClientAbilities {
  const declared = meta?.[CLIENT_CAPABILITIES_META_KEY];
  if (!isObject(declared)) return { era: "modern", elicitation: false, tasks: false };
  const { elicitation, extensions } = declared;
  return { era: "modern", elicitation: showsForms(elicitation), tasks: isObject(extensions) && isObject(extensions[TASKS_EXTENSION]) };
}

/** Of a legacy connection, by its `initialize`. */
export function legacyAbilities(server: Pick<Server, "getClientCapabilities">): ClientAbilities {
  return { era: "legacy", elicitation: showsForms(server.getClientCapabilities()?.elicitation), tasks: false };
}

/** Who says nothing of the modes means forms. */
function showsForms(elicitation: unknown): boolean {
  return isObject(elicitation) && (elicitation["form"] !== undefined || elicitation["url"] === undefined);
}
