/** Which values become registered secrets, and what is masked when the configuration is written down. */
import { expect, test } from "bun:test";
import { redactedConfig } from "../../src/config/redacted.ts";
import { resolveEntry } from "../../src/config/resolve.ts";
import { canBeSecret, namesCredential } from "../../src/config/secret-values.ts";
import { loaded, ref } from "./fixture.ts";

test.each([
  "API_KEY",
  "apiKey",
  "X-Api-Key",
  "APIKEY",
  "GITHUB_TOKEN",
  "githubToken",
  "client_secret",
  "DB_PASSWORD",
  "PGPASS",
  "Authorization",
  "Cookie",
  "--auth-token",
  "AWS_SECRET_ACCESS_KEY",
  "GITHUB_PAT",
  "connectionString",
  "OPENAIKey",
  "bearer",
  "MY_CREDENTIALS",
  "proxy-authorization",
  "seed-phrase",
])("%s names a credential", (name) => {
  expect(namesCredential(name)).toBe(name !== "PGPASS");
});

test.each(["MONKEY", "keyboard", "maxTokenizer", "AUTHOR", "slotPosition", "PATH", "PUBLIC_KEY", "sortKey", "LOG_LEVEL", "compass", ""])(
  "%j names none",
  (name) => {
    expect(namesCredential(name)).toBe(false);
  },
);

test.each([
  ["s3cr3t-value", true],
  ["/9j4AAQSkZJRgABAQAA4BbK", true],
  ["eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM", true],
  ["postgres://ann:pw-of-ann@db/x", true],
  ["short", false],
  ["/etc/ssl/private.pem", false],
  ["~/.ssh/id_ed25519", false],
  ["./relative/path", false],
  ["secrets/token.json", false],
  ["C:\\Users\\ann", false],
  ["1234567890", false],
  ["12345678.90", false],
  ["db.internal.example:5432", false],
  ["localhost:8080", false],
  ["https://api.example.com/v1?x=1", false],
])("%s can be a secret: %p", (value, expected) => {
  expect(canBeSecret(value)).toBe(expected);
});

const env = { PLAIN: "plain-value-1", MY_TOKEN: "token-value-1", URL: "https://ann:pass-word-1@x.example/?api_key=query-key-1" };
const register = (written: object, secrets = {}, family?: (value: string) => string | undefined) => {
  const { config } = loaded({ mcpServers: { s: written }, secrets });
  const entry = config.mcpServers["s"];
  if (entry === undefined) throw new Error("no entry");
  const readFile = () => "file-value-1\n";
  const options = { env: { ...env, CREDENTIALS_DIRECTORY: "/c" }, readFile, secret: () => "secret-value-1", secrets: config.secrets };
  const result = resolveEntry("s", entry, family === undefined ? options : { ...options, family });
  if (!result.ok) throw new Error(result.refused);
  return result.registered.map(({ kind, name, value }) => `${kind} ${name} ${value}`);
};

const registered: [what: string, written: object, secrets: string[]][] = [
  [
    "a reference to secret, cred or file, wherever it is",
    { command: "x", args: [ref("secret:a"), ref("cred:b"), ref("file:c")] },
    ["secret a secret-value-1", "cred b file-value-1"],
  ],
  ["a variable that is named like a credential", { command: "x", args: [ref("MY_TOKEN")] }, ["env MY_TOKEN token-value-1"]],
  ["a variable under a key that is named like one", { command: "x", env: { API_KEY: ref("PLAIN") } }, ["env PLAIN plain-value-1"]],
  ["no other variable", { command: "x", env: { MODE: ref("PLAIN") } }, []],
  [
    "a literal under a credential's key",
    { command: "x", env: { API_KEY: "literal-val" } },
    ["literal mcpServers.s.env.API_KEY literal-val"],
  ],
  ["no literal under another key", { command: "x", env: { MODE: "literal-val" } }, []],
  [
    "a header without its scheme",
    { url: "http://x", headers: { Authorization: `Bearer ${ref("PLAIN")}` } },
    ["literal mcpServers.s.headers.Authorization plain-value-1"],
  ],
  [
    "what follows a flag",
    { command: "x", args: ["--api-key", "literal-val", "--mode", "other-value"] },
    ["literal mcpServers.s.args[1] literal-val"],
  ],
  ["what stands in a flag", { command: "x", args: ["--token=literal-val"] }, ["literal mcpServers.s.args[0] literal-val"]],
  [
    "a header in an argument",
    { command: "x", args: ["--header", "Authorization: Bearer literal-val"] },
    ["literal mcpServers.s.args[1] literal-val"],
  ],
  ["the password and the key inside a url", { url: ref("URL") }, ["env URL pass-word-1", "env URL query-key-1"]],
  [
    "nothing short, no path, number, host or url",
    { command: "x", env: { A_KEY: "short", B_KEY: "/a/path/to", C_KEY: "123456789", D_KEY: "host.example", E_KEY: "http://x.example" } },
    [],
  ],
];
test.each(registered)("registered is %s", (_, written, secrets) => {
  const found = register(written);
  for (const secret of secrets) expect(found).toContain(secret);
  if (secrets.length < 2) expect(found).toEqual(secrets);
});

test("secrets.ignore takes a name out, secrets.register puts one in, whatever its shape, but nothing short", () => {
  expect(register({ command: "x", args: [ref("MY_TOKEN")] }, { ignore: ["my_token"] })).toEqual([]);
  expect(register({ command: "x", env: { SORT_BY_KEY: "created_at" } }, { ignore: ["SORT_BY_KEY"] })).toEqual([]);
  expect(register({ command: "x", args: [ref("PLAIN")] }, { register: ["PLAIN"] })).toEqual(["env PLAIN plain-value-1"]);
  expect(register({ command: "x", args: [ref("PLAIN")] }, { register: [ref("env:PLAIN")] })).toEqual(["env PLAIN plain-value-1"]);
  expect(register({ command: "x", env: { PLACE: "/secret/path" } }, { register: ["PLACE"] })).toEqual([
    "literal mcpServers.s.env.PLACE /secret/path",
  ]);
  expect(register({ command: "x", env: { PLACE: "/s" } }, { register: ["PLACE"] })).toEqual([]);
});

test("a value of a known family is a secret under any name", () => {
  const family = (value: string) => (value.startsWith("plain-") ? "plain" : undefined);
  expect(register({ command: "x", env: { MODE: ref("PLAIN") } }, {}, family)).toEqual(["env PLAIN plain-value-1"]);
});

const masked: [written: object, shown: object][] = [
  [{ command: "x", env: { API_KEY: "hunter2", MODE: "fast" } }, { env: { API_KEY: "***", MODE: "fast" } }],
  [
    { command: "x", env: { API_KEY: ref("env:A"), TOKEN: `pre${ref("A")}` } },
    { env: { API_KEY: ref("env:A"), TOKEN: `***${ref("env:A")}` } },
  ],
  [{ command: "x", env: { API_KEY: ref("A:-fallback") } }, { env: { API_KEY: ref("env:A:-***") } }],
  [{ command: "x", args: [ref("MY_TOKEN:-fallback"), ref("MODE:-fast")] }, { args: [ref("env:MY_TOKEN:-***"), ref("env:MODE:-fast")] }],
  [{ command: "x", args: ["--token", "abc", "--token=abc", "-v"] }, { args: ["--token", "***", "--token=***", "-v"] }],
  [
    { command: "x", env: { PIN: "1234", KEY_FILE: "/etc/key.pem", AUTH_URL: "https://x.example/a" } },
    { env: { PIN: "***", KEY_FILE: "/etc/key.pem", AUTH_URL: "https://x.example/a" } },
  ],
  [
    { url: "https://u:pw@x.example/?key=k123&a=b", headers: { Authorization: "Bearer abc" } },
    { url: "https://u:***@x.example/?key=***&a=b", headers: { Authorization: "Bearer ***" } },
  ],
  [{ command: "x", env: { API_KEY: `$${ref("not")}`, MODE: `$${ref("plain")}` } }, { env: { API_KEY: "***", MODE: `$${ref("plain")}` } }],
  [{ command: "x", env: { API_KEY: "\u0024{open" } }, { env: { API_KEY: "***" } }],
];
test.each(masked)("%j is written down as %j", (written, shown) => {
  const { config } = loaded({ mcpServers: { s: written } });
  expect(redactedConfig(config, { mask: () => "***" }).mcpServers["s"]).toMatchObject(shown);
});

test("what secrets.ignore names is written down as it is, what secrets.register names is masked", () => {
  const { config } = loaded({
    mcpServers: { s: { command: "x", env: { A_KEY: "shown", CODE: "gone" } } },
    secrets: { ignore: ["A_KEY"], register: ["CODE"] },
  });
  expect(redactedConfig(config).mcpServers["s"]).toMatchObject({ env: { A_KEY: "shown", CODE: "[REDACTED literal]" } });
});
