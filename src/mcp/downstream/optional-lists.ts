/** Reads the lists that a server may lack: prompts, resources, resource templates. What cannot be had now is unknown, not empty. */
import { METHOD_NOT_FOUND } from "@modelcontextprotocol/client";
import type { PromptDefinition, ResourceDefinition, ResourceList, TemplateDefinition } from "./definitions.ts";
import type { CallOutcome } from "./downstream.ts";
import { isObject } from "./json.ts";
import { readPages } from "./pages.ts";

/** A longer list is cut there. */
const MAX_ENTRIES = 2000;

export interface OptionalListsOptions {
  /** What the server says it has. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** One request for a page. */
  request(method: string, params: Readonly<Record<string, unknown>>): Promise<CallOutcome>;
  onWarning(text: string): void;
}

export interface OptionalLists {
  /** Empty when the server has none; undefined when that cannot be said now. Never rejects. */
  prompts(): Promise<readonly PromptDefinition[] | undefined>;
  /** The same of both lists: a server may have either. */
  resources(): Promise<ResourceList | undefined>;
}

type Entry = Readonly<Record<string, unknown>>;

export function optionalLists({ capabilities, request, onWarning }: OptionalListsOptions): OptionalLists {
  async function read<T>(method: string, key: string, faultOf: (entry: Entry) => string | undefined): Promise<readonly T[] | undefined> {
    const pages = await readPages(key, (params) => request(method, params), MAX_ENTRIES);
    if (!pages.ok) {
      if (pages.code === METHOD_NOT_FOUND) return [];
      onWarning(`${method} failed: ${pages.reason}`);
      return undefined;
    }
    if (pages.entries.length > MAX_ENTRIES) onWarning(`${method}: only the first ${MAX_ENTRIES} entries are used`);
    const sound: T[] = [];
    for (const entry of pages.entries.slice(0, MAX_ENTRIES)) {
      const fault = isObject(entry) ? faultOf(entry) : "it is not an object";
      if (fault === undefined) sound.push(entry as T);
      else onWarning(`${method}: skipped an entry: ${fault}`);
    }
    return sound;
  }

  return {
    prompts: async () => ("prompts" in capabilities ? read<PromptDefinition>("prompts/list", "prompts", promptFault) : []),
    async resources() {
      if (!("resources" in capabilities)) return { resources: [], templates: [] };
      const [resources, templates] = await Promise.all([
        read<ResourceDefinition>("resources/list", "resources", (entry) => missing(entry, "uri") ?? missing(entry, "name")),
        read<TemplateDefinition>(
          "resources/templates/list",
          "resourceTemplates",
          (entry) => missing(entry, "uriTemplate") ?? missing(entry, "name"),
        ),
      ]);
      return resources && templates && { resources, templates };
    },
  };
}

const missing = (entry: Entry, key: string): string | undefined =>
  typeof entry[key] === "string" && entry[key] !== "" ? undefined : `it has no ${key}`;

function promptFault(entry: Entry): string | undefined {
  const args = entry["arguments"];
  if (args === undefined) return missing(entry, "name");
  const areSound = Array.isArray(args) && args.every((arg) => isObject(arg) && missing(arg, "name") === undefined);
  return missing(entry, "name") ?? (areSound ? undefined : "its arguments are no list of named ones");
}
