/** The block that a person puts into a configuration, and secrets that go into the store instead. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseTemplate } from "../../src/config/references.ts";
import { blockOf, moveSecrets } from "../../src/import/block.ts";
import { imported, ref } from "./support.ts";

const none = () => undefined;
const file = (mcpServers: object, path = "mcp.json") => imported({ mcpServers }, path);

test("the same server of two clients stands in it once, another one of that name gets its own", () => {
  const block = blockOf([
    file({ git: { command: "git-mcp" }, empty: {} }, "one.json"),
    file({ git: { command: "git-mcp", args: [] }, Git: { command: "other" } }, "two.json"),
    file({ git: { command: "third" }, crib: { command: "toolcrib", args: ["stdio"] } }, "three.json"),
  ]);
  expect(block.mcpServers).toEqual({ git: { command: "git-mcp" }, "Git-2": { command: "other" }, "git-3": { command: "third" } });
  expect(block.warnings).toEqual([
    "empty of one.json is left out: it cannot be used here",
    "git of three.json is called git-3: another server has its name",
    "crib of three.json is left out: it is toolcrib itself",
  ]);
});

test("literal secrets become references, their values are handed over by name", () => {
  const source = file({
    a: {
      command: "x",
      args: ["--api-key", "key-of-a-program", "--token=token-of-a-program"],
      env: { API_KEY: "key-of-an-env", OTHER: "plain" },
    },
    b: { url: "https://u:pass-of-a-url@a.example/?token=token-of-a-url", headers: { Authorization: "Bearer token-of-a-header" } },
    c: { command: "x", env: { API_KEY: "another-key-of-an-env", PASSWORD: ref("GIVEN:-default-password") } },
  });
  const { files, values } = moveSecrets([source], none);
  const entries = Object.fromEntries(files.flatMap(({ servers }) => servers.map(({ name, entry }) => [name, entry])));
  expect(entries["a"]).toEqual({
    command: "x",
    args: ["--api-key", ref("secret:a.api-key"), `--token=${ref("secret:a.token")}`],
    env: { API_KEY: ref("secret:API_KEY"), OTHER: "plain" },
  });
  expect(entries["b"]).toEqual({
    url: `https://u:${ref("secret:b.url")}@a.example/?token=${ref("secret:b.b.url")}`,
    headers: { Authorization: `Bearer ${ref("secret:b.Authorization")}` },
  });
  expect(entries["c"]).toEqual({ command: "x", env: { API_KEY: ref("secret:c.API_KEY"), PASSWORD: ref("secret:PASSWORD") } });
  expect(Object.fromEntries(values)).toEqual({
    "a.api-key": "key-of-a-program",
    "a.token": "token-of-a-program",
    API_KEY: "key-of-an-env",
    "b.url": "pass-of-a-url",
    "b.b.url": "token-of-a-url",
    "b.Authorization": "token-of-a-header",
    "c.API_KEY": "another-key-of-an-env",
    PASSWORD: "default-password",
  });
  expect(files[0]?.servers[0]?.secrets).toContainEqual({ field: "env.API_KEY", movedTo: "API_KEY" });
  expect(JSON.stringify(files)).not.toMatch(/-of-a-|default-password/);
});

test("what looks like a secret is one, whatever it is called", () => {
  const token = `ghp_${"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"}`;
  const { files, values } = moveSecrets([file({ a: { command: "x", args: [token], env: { WHERE: token } } })], none);
  expect([...values.values()]).toContain(token);
  expect(JSON.stringify(files)).not.toContain(token);
});

test("a name of the store that holds another value is left alone, one with the same value is used", () => {
  const source = file({ a: { command: "x", env: { API_KEY: "key-of-an-env" } } });
  const stored = (value: string) => (name: string) => (name === "API_KEY" ? value : undefined);
  expect([...moveSecrets([source], stored("something else")).values.keys()]).toEqual(["a.API_KEY"]);
  expect([...moveSecrets([source], stored("key-of-an-env")).values.keys()]).toEqual(["API_KEY"]);
});

test("whatever the secrets are, what is left is a valid entry without them that resolves to the same", () => {
  const value = fc.string({ unit: fc.constantFrom(..."abc019 $", ..."{}:/?&=-%"), minLength: 4, maxLength: 24 });
  fc.assert(
    fc.property(value, value, value, (one, two, three) => {
      const [plain] = [
        file({ a: { command: "x", env: { API_KEY: one }, args: ["--token", two, `--password=${three}`] } }, ".cursor/mcp.json"),
      ];
      const { files, values } = moveSecrets([plain], none);
      const filled = (text: unknown) =>
        parseTemplate(String(text))
          .map((piece) =>
            piece.kind === "text" ? piece.text : piece.kind === "secret" ? (values.get(piece.name) ?? "?") : `{${piece.name}}`,
          )
          .join("");
      const texts = (files: readonly (typeof plain)[]) =>
        files.flatMap(({ servers }) =>
          servers.flatMap(({ entry }) => [(entry["env"] as Record<string, string>)["API_KEY"], ...(entry["args"] as string[])]),
        );
      expect(texts(files).map(filled)).toEqual(texts([plain]).map(filled));
    }),
  );
});
