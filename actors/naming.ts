/** Names that every client accepts: `{server}__{tool}`, cut stably where they are too long. */

/** Of the 8 hex digits and the dash in front of them. */
const SUFFIX_LENGTH = 9;

const sanitised = (part: string): string => part.replace(/[^A-Za-z0-9_-]/gu, "-");

/** What the names of a server's tools begin with. */
export const typedPrefix = (server: string): string => `${sanitised(server)}__`;

/** How names are made: by configuration. Clients put their own prefix in front (`mcp__toolcrib__` is 15 of the 64 characters they allow). */
export interface NameRules {
  readonly naming: "prefixed" | "bare";
  readonly maxLength: number;
}

/** `suffix` is 8 hex digits of a digest over server id and tool: the same tool is always cut to the same name, and no two to one. */
export function typedName(server: string, tool: string, suffix: string, { naming, maxLength }: NameRules): string {
  if (naming === "bare") return tool;
  const name = `${typedPrefix(server)}${sanitised(tool)}`;
  return name.length <= maxLength ? name : `${name.slice(0, maxLength - SUFFIX_LENGTH)}-${suffix}`;
}

/** The tool that a prompt is published as: `{server}__{prompt}-prompt`. */
export const promptToolName = (server: string, prompt: string, suffix: string, rules: NameRules): string =>
  typedName(server, `${prompt}-prompt`, suffix, rules);

/** The prompt itself, for clients that know prompts: `{server}__{prompt}`, never cut. */
export const promptName = (server: string, prompt: string, naming: NameRules["naming"]): string =>
  naming === "bare" ? prompt : `${typedPrefix(server)}${sanitised(prompt)}`;
