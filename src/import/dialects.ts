/** The dialects of clients: by which files and fields each is told, and how its texts and numbers are to be read. */

export type DialectName =
  | "amp"
  | "claude-code"
  | "claude-desktop"
  | "cline"
  | "codex"
  | "continue"
  | "copilot"
  | "cursor"
  | "gemini"
  | "kiro"
  | "mcp-hub"
  | "opencode"
  | "rockbot"
  | "roo"
  | "vscode"
  | "windsurf"
  | "zed"
  /** `mcpServers` of a client that cannot be told from others. */
  | "mcp-servers";

/** Where the servers stand in a file. */
export type Root = "mcpServers" | "mcpServers[]" | "servers" | "mcp.servers" | "mcp" | "context_servers" | "mcp_servers" | "amp.mcpServers";

export interface Dialect {
  readonly name: DialectName;
  /** Whether `$NAME` is a variable: anywhere in a text, or only where a word starts. Elsewhere it is plain text. */
  readonly dollar?: "anywhere" | "word";
  /** Nothing is expanded there, so what looks like a variable was meant otherwise, or by mistake. */
  readonly expandsNothing?: true;
  /** `timeout` is in seconds; elsewhere in milliseconds. */
  readonly seconds?: true;
  /** `url` is an address of the older SSE transport. */
  readonly urlIsSse?: true;
  /** `${file:}`, `${secret:}` and `${cred:}` mean what they mean here. */
  readonly ours?: true;
}

interface Known extends Dialect {
  readonly roots: readonly Root[];
  /** A file of this name, or in a folder of this name. */
  readonly path: RegExp;
  /** Fields that no other dialect of its root has, or that it is best known for. */
  readonly fields?: readonly string[];
}

/** In order of preference, where several fit. */
const KNOWN: readonly Known[] = [
  { name: "claude-desktop", roots: ["mcpServers"], path: /claude[-_]desktop|^Claude$/, expandsNothing: true },
  {
    name: "claude-code",
    roots: ["mcpServers"],
    path: /claude-code|^\.claude(?:\.json)?$|^(?:managed-|\.)mcp\.json$/i,
    fields: ["headersHelper", "alwaysLoad"],
  },
  {
    name: "gemini",
    roots: ["mcpServers"],
    path: /gemini/i,
    fields: ["httpUrl", "includeTools", "excludeTools", "trust", "authProviderType"],
    dollar: "anywhere",
    urlIsSse: true,
  },
  {
    name: "rockbot",
    roots: ["mcpServers"],
    path: /rockbot/i,
    fields: ["transportMode", "argGuards", "toolTimeoutMs", "taskTimeoutMinutes"],
    ours: true,
  },
  { name: "windsurf", roots: ["mcpServers"], path: /windsurf/i, fields: ["serverUrl"] },
  { name: "cursor", roots: ["mcpServers"], path: /cursor/i, fields: ["envFile"] },
  { name: "roo", roots: ["mcpServers"], path: /\broo\b/i, fields: ["alwaysAllow", "watchPaths"], seconds: true },
  { name: "cline", roots: ["mcpServers"], path: /cline/i, fields: ["autoApprove"], seconds: true },
  { name: "kiro", roots: ["mcpServers"], path: /kiro/i },
  { name: "copilot", roots: ["mcpServers"], path: /copilot/i, dollar: "anywhere" },
  { name: "mcp-hub", roots: ["mcpServers", "servers"], path: /mcp-?hub/i, dollar: "word" },
  { name: "vscode", roots: ["servers", "mcp.servers", "mcpServers"], path: /vscode|^Code\b/ },
  { name: "zed", roots: ["context_servers"], path: /\bzed\b/i, expandsNothing: true },
  { name: "codex", roots: ["mcp_servers"], path: /codex/i, expandsNothing: true },
  { name: "amp", roots: ["amp.mcpServers"], path: /\bamp\b/i },
  { name: "opencode", roots: ["mcp"], path: /opencode/i },
  { name: "continue", roots: ["mcpServers[]", "mcpServers"], path: /\bcontinue\b/i },
];
const PLAIN: Dialect = { name: "mcp-servers", dollar: "word" };
/** How much of a path tells the client: `Code/User/mcp.json`. */
const PATH_PARTS = 3;

/** The dialect of a file whose servers stand at `root`: told by its path, else by the fields of its servers, else by the root alone. */
export function dialectOf(file: string, root: Root, fields: ReadonlySet<string>, runsCommands: boolean): Dialect {
  const possible = KNOWN.filter(({ roots }) => roots.includes(root));
  for (const part of file.split(/[\\/]/).slice(-PATH_PARTS).reverse()) {
    const found = possible.find(({ path }) => path.test(part));
    if (found) return found;
  }
  if (runsCommands) return KNOWN.find(({ name }) => name === "mcp-hub") ?? PLAIN;
  const told = possible.find((dialect) => dialect.fields?.some((field) => fields.has(field)));
  return told ?? (root === "mcpServers" ? PLAIN : (possible.find(({ roots }) => roots[0] === root) ?? possible[0] ?? PLAIN));
}
