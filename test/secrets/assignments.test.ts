/** Values beside the name of a credential, in the ways of programs, configuration files and JSON. */
import { describe, expect, test } from "bun:test";
import { walk } from "./made.ts";
import { scrub, scrubValue } from "./scrubbed.ts";

const value = walk("abcdefghijkLMNOPQ0123456789", 28);

describe("a value with a credential's name", () => {
  const forms = [
    "API_KEY=§",
    "export SERVICE_TOKEN='§'",
    'client_secret: "§"',
    "client_secret: §",
    '{"api_key":"§","n":1}',
    '{\\"api_key\\":\\"§\\"}',
    "{\n  'apiKey': '§'\n}",
    'const apiKey = "§";',
    'apiKey := "§"',
    "apiKey := `§`",
    'apiKey ::= "§"',
    'API_KEY ?= "§"',
    '$apiKey .= "§"',
    'var apiKey string = "§"',
    'const apiKey: string = "§"',
    '"apiKey" => "§"',
    'headers["X-Api-Key"] = "§"',
    "X-Api-Key: §",
    "spring.datasource.password=§",
    "[db]\npassword = §\nuser = a",
    "Server=a;Database=b;User Id=c;Password=§;Encrypt=true",
    "deploy --api-key § --region eu",
    "deploy --password=§",
    '$env:API_TOKEN = "§"',
    '<add key="ClientSecret" value="§" />',
    "<apiKey>§</apiKey>",
    "<apiKey>\n  §\n</apiKey>",
    'System.setProperty("API_TOKEN", "§")',
    '{"name":"API_TOKEN","value":"§"}',
    "- name: API_TOKEN\n  value: §",
    "//registry.example.org/:_authToken=§",
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§==;EndpointSuffix=b",
    "SECRET_KEY_BASE=§",
    "dbPassword2 = '§'",
  ];
  test.each(forms)("%s", (form) => {
    const scrubbed = scrub(form.replace("§", value));
    expect(scrubbed).not.toContain(value);
    expect(scrubbed.replace(/<(?:credential|password)>(==)?/, "§")).toBe(form.replace("§==", "§"));
  });

  test("passwords may be short and simple where they are quoted", () => {
    expect(scrub('password = "hunter2"')).toBe('password = "<password>"');
    expect(scrub("password: hunter2\n")).toBe("password: <password>\n");
    expect(scrub('"passphrase": "roojssoeep"')).toBe('"passphrase": "<password>"');
  });

  test("a token in it gives its own name", () => {
    expect(scrub(`TOKEN="ghp_${walk("abcdefXYZ0123456789", 36)}"`)).toBe('TOKEN="<github>"');
  });

  test("a name behind which no secret stands", () => {
    for (const text of [
      "password: string",
      'password: ""',
      "secret?: string | undefined",
      "const token = getTokenFromHeader(req)",
      "const password = process.env.DB_PASSWORD",
      `PASSWORD=\${DB_PASSWORD}`,
      `token: \${{ secrets.GITHUB_TOKEN }}`,
      "export GITHUB_TOKEN=$(gh auth token)",
      "api_key: <your key>",
      "API_KEY=your-api-key-here",
      "password=********",
      "apiKey: $OPENAI_API_KEY",
      'apiKey: "replace-me"',
      "max_tokens: 4096",
      '"nextPageToken": "CAUQAA1b2c3d4e5f6g7h"',
      "user: nginx",
      "key: default/gpt-5-mini.llm",
      "key: node-role.kubernetes.io/master",
      "- key: session.id",
      "publicKey = 'AAAAB3NzaC1yc2EAAAADAQABAAABAQ'",
      "MONKEYS = bananas_and_more1",
      "guard: event.password === 'foobar123'",
      "if (token == 'abc123def456') {",
      "secret: Flag.string('x1').pipe(y)",
      "token = headerToken2",
      "please enter your password: ",
      "--key-file ./tls1.key",
      "PASSWORD_FILE=/run/secrets/db1",
      'secretRef: "vault://kv/data/app1"',
      '"tokenizer": "cl100k_base"',
      '{"token_type":"Bearer","expires_in":3600}',
      'std::token::kind = "abc123def456"',
    ])
      expect(scrub(text)).toBe(text);
  });
});

test.each([
  "my password is §",
  "use the work mailbox, my password is §.",
  "The API key is §, and nobody else has it",
  'the secret is "§"!',
  "the  access_token  is  §",
])("a value in a sentence: %s", (sentence) => {
  const scrubbed = scrub(sentence.replace("§", value));
  expect(scrubbed).not.toContain(value);
  expect([scrubbed.startsWith(sentence.split("§")[0] ?? ""), scrubbed.endsWith(sentence.split("§")[1] ?? "")]).toEqual([true, true]);
});
test.each([
  "password is required",
  "Your password is incorrect.",
  "The secret is out!",
  "the token is expired, log in again",
  "the password is stored in /etc/shadow",
  "the key is user_id_2",
  "password is SHA256-hashed",
  "is §",
  "this § is",
])("a sentence about a credential is none: %s", (sentence) => {
  expect(scrub(sentence)).toBe(sentence);
});

describe("members of JSON", () => {
  test("count by their key, at any depth, in lists, and beside a name", () => {
    expect(scrubValue({ a: [{ password: "hunter2", user: "me" }], tokens: 7 })).toEqual({
      a: [{ password: "<password>", user: "me" }],
      tokens: 7,
    });
    expect(scrubValue({ client: { secrets: [value, "word"] } })).toEqual({ client: { secrets: ["<credential>", "word"] } });
    expect(scrubValue({ env: [{ name: "DB_PASSWORD", value: "hunter2x" }] })).toEqual({
      env: [{ name: "DB_PASSWORD", value: "<password>" }],
    });
    expect(scrubValue({ auths: { "r.example.org": { auth: Buffer.from("me:pw").toString("base64") } } })).toEqual({
      auths: { "r.example.org": { auth: "<authorization>" } },
    });
    expect(scrubValue({ apiKey: ` ${value}\n` })).toEqual({ apiKey: " <credential>\n" });
  });

  test("stay where the name or the value is an ordinary one", () => {
    const ordinary = {
      key: "PROJ-123",
      token_count: "128000",
      tokenType: "Bearer",
      password: "string",
      nextToken: value,
      secretName: "db-credentials-1",
      api_key: `\${API_KEY}`,
      author: value,
      credentials: "include",
    };
    expect(scrubValue(ordinary)).toEqual(ordinary);
  });
});

describe("a Kubernetes Secret", () => {
  const encoded = (text: string) => Buffer.from(text).toString("base64");
  test("written as YAML", () => {
    const manifest = (a: string, b: string) =>
      `apiVersion: v1\ndata:\n  # both\n  extra: ${a}\n  .dockercfg: |\n    ${b}\nkind: Secret\nmetadata:\n  name: YWJjZGVmZ2hpag==\n`;
    expect(scrub(manifest(encoded("first one"), encoded("the second one")))).toBe(manifest("<kubernetes>", "<kubernetes>"));
    const other = manifest(encoded("first one"), encoded("the second one")).replace("Secret", "ConfigMap");
    expect(scrub(other)).toBe(other);
  });

  test("as a value", () => {
    const secret = { kind: "Secret", metadata: { name: "a" }, data: { extra: encoded("word 1234567") } };
    expect(scrubValue(secret)).toEqual({ ...secret, data: { extra: "<credential>" } });
    expect(scrubValue({ ...secret, kind: "ConfigMap" })).toEqual({ ...secret, kind: "ConfigMap" });
  });
});
