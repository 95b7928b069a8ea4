/** Names that every client accepts: `{server}__{tool}`, cut stably where they are too long. */

/** Clients put their own prefix in front (`mcp__toolcrib__` is 15 of the 64 characters they allow). */
export const MAX_NAME_LENGTH = 48;

const sanitised = (part: string): string => part.replace(/[^A-Za-z0-9_-]/gu, "-");

/** What the names of a server's tools begin with. */
export const typedPrefix = (server: string): string => `${sanitised(server)}__`;

/** `suffix` is 8 hex digits of a digest over server id and tool: the same tool is always cut to the same name, and no two to one. */
export function typedName(server: string, tool: string, suffix: string, naming: "prefixed" | "bare"): string {
  if (naming === "bare") return tool;
  const name = `${typedPrefix(server)}${sanitised(tool)}`;
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 9)}-${suffix}`;
}
