/** Prompts and resources as a session may see them, under the names that clients get: from the last known lists, so also of servers that are away. */
import { BUILTIN } from "../../actors/address.ts";
import { type Catalogue, type Offer, promptsOf, type ServerEntry } from "../../actors/catalogue.ts";
import { promptName } from "../../actors/naming.ts";
import { authorise, mayReach, mayUseServer } from "../../actors/policy/allow.ts";
import { scopeKey } from "../../actors/policy/scope.ts";
import type { Scope } from "../../events/policy.ts";
import type { PromptDefinition, ResourceList } from "../mcp/downstream/definitions.ts";
import { nativeUri } from "../mcp/native-uri.ts";
import { shownTexts } from "../mcp/shown-texts.ts";

/** The tools behind the native requests: who may not call them sees nothing here. */
export const GET_PROMPT = "mcp_get_prompt";
export const READ_RESOURCE = "mcp_read_resource";

export interface Visible {
  /** By native name, in the catalogue's order. Of two with one name the first has it. */
  readonly prompts: ReadonlyMap<string, Offer>;
  /** Whose resources may be read, sorted by name. */
  readonly servers: readonly ServerEntry[];
  /** A different text: a client would see a different list. */
  readonly marks: Readonly<Record<"prompts" | "resources", string>>;
}

const known = new WeakMap<Catalogue, Map<string, Visible>>();

/** Requests may narrow in any way they like. */
const MAX_SCOPES = 64;

/** The same catalogue and scope always give the same object. */
export function visibleTo(catalogue: Catalogue, scope: Scope): Visible {
  const byScope = known.get(catalogue) ?? new Map<string, Visible>();
  known.set(catalogue, byScope);
  const key = scopeKey(catalogue.policy, scope);
  const visible = byScope.get(key) ?? look(catalogue, scope);
  if (byScope.size >= MAX_SCOPES && !byScope.has(key)) byScope.clear();
  byScope.set(key, visible);
  return visible;
}

function look(catalogue: Catalogue, scope: Scope): Visible {
  const may = (tool: string) => authorise(catalogue, tool, scope).allowed;
  const all = [...catalogue.servers.values()]
    .filter(({ name, refused }) => name !== BUILTIN && refused === undefined)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const prompts = new Map<string, Offer>();
  for (const offer of may(GET_PROMPT) ? all.flatMap(promptsOf) : []) {
    const name = promptName(offer.server, offer.tool, catalogue.naming);
    const isAllowed = mayReach(catalogue, offer, scope);
    if (isAllowed && !prompts.has(name)) prompts.set(name, offer);
  }
  const servers = may(READ_RESOURCE) ? all.filter((server) => mayUseServer(catalogue, server, scope)) : [];
  const marks = {
    prompts: [...prompts].map(([name, { hash }]) => `${name} ${hash}`).join("\n"),
    resources: servers.flatMap(({ name, resources }) => (resources ? [`${name} ${resources.hash}`] : [])).join("\n"),
  };
  return { prompts, servers, marks };
}

export interface NativeDefinitions {
  prompts(visible: Visible): readonly PromptDefinition[];
  resources(visible: Visible): ResourceList;
  /** With the server's own URIs; undefined when it has never said. */
  declaredBy(server: ServerEntry): ResourceList | undefined;
}

/** Definitions are made once for each offer and each list. */
export function createNativeDefinitions(documentOf: (hash: string) => unknown): NativeDefinitions {
  const prompts = new WeakMap<Offer, PromptDefinition>();
  const lists = new WeakMap<object, ResourceList>();
  const declaredBy = ({ resources }: ServerEntry) => resources && (documentOf(resources.hash) as ResourceList | undefined);

  const promptOf = (name: string, offer: Offer): PromptDefinition[] => {
    const made = prompts.get(offer);
    if (made?.name === name) return [made];
    const own = shownTexts(documentOf(offer.hash) as PromptDefinition | undefined);
    if (!own) return [];
    const prompt = { ...own, name, description: `[${offer.server}] ${own.description ?? own.name}` };
    prompts.set(offer, prompt);
    return [prompt];
  };
  const listOf = (server: ServerEntry): ResourceList[] => {
    const { name, resources } = server;
    const made = resources && lists.get(resources);
    if (made) return [made];
    const own = declaredBy(server);
    if (!own || !resources) return [];
    const list = {
      resources: own.resources.map((one) => ({ ...one, uri: nativeUri(name, one.uri) })),
      templates: own.templates.map((one) => ({ ...one, uriTemplate: nativeUri(name, one.uriTemplate) })),
    };
    lists.set(resources, list);
    return [list];
  };
  return {
    declaredBy,
    prompts: (visible) => [...visible.prompts].flatMap(([name, offer]) => promptOf(name, offer)),
    resources({ servers }) {
      const all = servers.flatMap(listOf);
      return { resources: all.flatMap(({ resources }) => resources), templates: all.flatMap(({ templates }) => templates) };
    },
  };
}
