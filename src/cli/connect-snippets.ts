/** How each client writes down a server: the shape, the file, and how it names a token that stands elsewhere. */

export const CLIENTS = ["claude", "claude-code", "vscode", "cursor", "codex", "gemini", "zed"] as const;
export type ClientName = (typeof CLIENTS)[number];

/** What the client is pointed to. */
export type Gateway =
  | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "http"; readonly url: string; readonly needsToken: boolean; readonly session?: string };

export interface Snippet {
  readonly file: string;
  readonly snippet: string;
  /** What else has to be done. */
  readonly notes: readonly string[];
}

interface Client {
  readonly file: string;
  /** The key under which servers stand. */
  readonly root: string;
  /** Fields beside `command` and `args`, where the client wants some. */
  readonly stdio?: Readonly<Record<string, unknown>>;
  /** Without it the client's file knows no addresses. `token`: how a value names a token that stands elsewhere. */
  readonly http?: {
    readonly url: string;
    readonly more?: Readonly<Record<string, unknown>>;
    readonly token: string;
    readonly note: string;
    /** What stands beside the servers, when there is a token. */
    readonly beside?: Readonly<Record<string, unknown>>;
  };
}

const NAME = "toolcrib";
const VARIABLE = "TOOLCRIB_TOKEN";
const SET_VARIABLE = `set ${VARIABLE} in the client's environment to the token of its agent`;
const INPUT = "toolcrib-token";

const claudeFolder: Readonly<Record<string, string>> = {
  darwin: "~/Library/Application Support/Claude",
  win32: "%APPDATA%\\Claude",
};

/** All but Codex, which writes TOML. */
const JSON_CLIENTS: Readonly<Record<Exclude<ClientName, "codex">, Client>> = {
  claude: { file: `${claudeFolder[process.platform] ?? "~/.config/Claude"}/claude_desktop_config.json`, root: "mcpServers" },
  "claude-code": {
    file: ".mcp.json of the project, or ~/.claude.json",
    root: "mcpServers",
    stdio: { type: "stdio" },
    http: { url: "url", more: { type: "http" }, token: `\${${VARIABLE}}`, note: SET_VARIABLE },
  },
  vscode: {
    file: ".vscode/mcp.json, or the user's mcp.json (command MCP: Open User Configuration)",
    root: "servers",
    stdio: { type: "stdio" },
    http: {
      url: "url",
      more: { type: "http" },
      token: `\${input:${INPUT}}`,
      note: "the client asks for the token of its agent once",
      beside: { inputs: [{ type: "promptString", id: INPUT, description: "Token of the agent for toolcrib", password: true }] },
    },
  },
  cursor: {
    file: "~/.cursor/mcp.json, or .cursor/mcp.json of the project",
    root: "mcpServers",
    http: { url: "url", token: `\${env:${VARIABLE}}`, note: SET_VARIABLE },
  },
  gemini: {
    file: "~/.gemini/settings.json, or .gemini/settings.json of the project",
    root: "mcpServers",
    http: { url: "httpUrl", token: `$${VARIABLE}`, note: SET_VARIABLE },
  },
  zed: {
    file: "~/.config/zed/settings.json (command zed: open settings)",
    root: "context_servers",
    stdio: { source: "custom" },
    http: { url: "url", token: "TOKEN", note: "write the token of its agent in place of TOKEN: this client fills in no variables" },
  },
};

/** Undefined when the client cannot be pointed there. */
export function snippetFor(client: ClientName, gateway: Gateway): Snippet | undefined {
  if (client === "codex") return codex(gateway);
  const { file, root, stdio = {}, http } = JSON_CLIENTS[client];
  const json = (server: object, beside: object = {}) => JSON.stringify({ ...beside, [root]: { [NAME]: server } }, null, 2);
  if (gateway.kind === "stdio") {
    const { command, args } = gateway;
    return { file, snippet: json({ ...stdio, command, args }), notes: [] };
  }
  if (http === undefined) return undefined;
  const { url, needsToken } = gateway;
  const headers = headersOf(gateway, `Bearer ${http.token}`);
  const server = { ...http.more, [http.url]: url, ...(headers !== undefined && { headers }) };
  return { file, snippet: json(server, needsToken ? http.beside : {}), notes: needsToken ? [http.note] : [] };
}

function headersOf({ needsToken, session }: Extract<Gateway, { kind: "http" }>, authorization: string) {
  const headers = { ...(needsToken && { Authorization: authorization }), ...(session !== undefined && { "Toolcrib-Session": session }) };
  return Object.keys(headers).length === 0 ? undefined : headers;
}

function codex(gateway: Gateway): Snippet {
  const file = "~/.codex/config.toml";
  const toml = (fields: Readonly<Record<string, string>>) =>
    [`[mcp_servers.${NAME}]`, ...Object.entries(fields).map(([key, value]) => `${key} = ${value}`)].join("\n");
  // A JSON text is a basic string of TOML as well.
  const text = (value: string) => JSON.stringify(value).replaceAll("\u007f", "\\u007F");
  if (gateway.kind === "stdio")
    return { file, snippet: toml({ command: text(gateway.command), args: `[${gateway.args.map(text).join(", ")}]` }), notes: [] };
  const { url, needsToken, session } = gateway;
  const token: Record<string, string> = needsToken ? { bearer_token_env_var: text(VARIABLE) } : {};
  const named: Record<string, string> = session === undefined ? {} : { http_headers: `{ "Toolcrib-Session" = ${text(session)} }` };
  return { file, snippet: toml({ url: text(url), ...token, ...named }), notes: needsToken ? [SET_VARIABLE] : [] };
}
