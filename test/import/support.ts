/** Files of clients as tests write them. */
import { type ImportedFile, type ImportedServer, importFile } from "../../src/import/import-file.ts";

/** `${body}`: a variable as clients write it. */
export const ref = (body: string): string => `\${${body}}`;

export const imported = (content: unknown, path = "mcp.json"): ImportedFile =>
  importFile(path, new TextEncoder().encode(typeof content === "string" ? content : JSON.stringify(content)));

/** The only server of a file with this entry. */
export function server(entry: unknown, path = "mcp.json", root = "mcpServers", beside: object = {}): ImportedServer {
  const { servers, error } = imported({ ...beside, [root]: { s: entry } }, path);
  const [only] = servers;
  if (only === undefined) throw new Error(error ?? "no server");
  return only;
}

/** In how many of the four places a field of the source stands. */
export function placesOf(field: string, { entry, mapped, notCarried, unknown }: ImportedServer): number {
  const places = [
    Object.hasOwn(entry, field),
    Object.hasOwn(mapped, field),
    notCarried.some((one) => one.field === field),
    unknown.some((one) => one.field === field),
  ];
  return places.filter(Boolean).length;
}
