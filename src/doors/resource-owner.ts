/** Which server a resource is read from: the one that a native URI names, else the only one that declares it. */
import type { ServerEntry } from "../../actors/catalogue.ts";
import type { ResourceList } from "../mcp/downstream/definitions.ts";
import { nativeUri, splitNativeUri } from "../mcp/native-uri.ts";
import { matchesTemplate } from "../mcp/uri-template.ts";
import type { Visible } from "./native-lists.ts";

/** `uri` is the server's own. */
export type Owner = { readonly server: ServerEntry; readonly uri: string } | { readonly reason: string };
type DeclaredBy = (server: ServerEntry) => ResourceList | undefined;

/** A template as such counts as declared, too. */
export function ownerOf({ servers }: Visible, uri: string, declaredBy: DeclaredBy): Owner {
  const parts = splitNativeUri(uri);
  const named = parts && servers.find(({ name }) => name.toLowerCase() === parts.server.toLowerCase());
  if (parts && named) return { server: named, uri: parts.uri };
  const declaring = servers.filter((server) => isListed(declaredBy(server), uri));
  const candidates = declaring.length > 0 ? declaring : servers.filter((server) => isMatched(declaredBy(server), uri));
  const [server, ...others] = candidates;
  if (!server) return { reason: "no server declares this resource; resources/list tells which there are" };
  if (others.length === 0) return { server, uri };
  const forms = candidates.slice(0, 5).map(({ name }) => nativeUri(name, "…"));
  return { reason: `more than one server declares this resource; name the one that is meant: ${forms.join(", ")}` };
}

const isListed = (list: ResourceList | undefined, uri: string): boolean =>
  list !== undefined && (list.resources.some((one) => one.uri === uri) || list.templates.some(({ uriTemplate }) => uriTemplate === uri));

/** What stands in front of a template's first expression is looked at before anything that costs. */
const isMatched = (list: ResourceList | undefined, uri: string): boolean =>
  list?.templates.some(({ uriTemplate }) => uri.startsWith(uriTemplate.split("{", 1)[0] ?? "") && matchesTemplate(uriTemplate, uri)) ===
  true;
