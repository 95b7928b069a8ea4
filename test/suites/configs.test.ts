/** Configuration files of real clients: every one is read, every server found, no field lost, nothing filled in. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Server, ServerName } from "../../src/config/server-schema.ts";
import { blockOf, moveSecrets } from "../../src/import/block.ts";
import { type ImportedFile, importFile } from "../../src/import/import-file.ts";
import { isPlainObject, readPlain } from "../../src/import/read.ts";
import { serversIn } from "../../src/import/roots.ts";
import { placesOf } from "../import/support.ts";

const suites = process.env["TOOLCRIB_SUITES"];
const folder = join(suites ?? "", "configs");

interface Expected {
  readonly file: string;
  readonly client: string;
  readonly servers: readonly { readonly name: string; readonly fields: readonly string[] }[];
}

describe.skipIf(suites === undefined)("configuration files of clients (set TOOLCRIB_SUITES to run)", () => {
  const index = (): Expected[] =>
    readFileSync(join(folder, "index.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Expected);
  const read = ({ file }: Expected): ImportedFile => importFile(join(folder, file), readFileSync(join(folder, file)));
  const sourcesOf = ({ file }: Expected) => {
    const plain = readPlain(file, readFileSync(join(folder, file)));
    return "value" in plain ? (serversIn(plain.value)?.servers ?? []) : [];
  };
  const all = () => index().map((expected) => ({ expected, found: read(expected) }));

  test("every file is read, and is of its client where anything tells that", () => {
    const files = all();
    expect(files.length).toBeGreaterThan(0);
    for (const { expected, found } of files) {
      expect(`${expected.file}: ${found.error}`).toBe(`${expected.file}: undefined`);
      expect(`${expected.file}: ${found.dialect}`).toBe(
        `${expected.file}: ${expected.client === "other" ? "mcp-servers" : expected.client}`,
      );
    }
  });

  test("every server is found, and every field of it stands in exactly one place", () => {
    let servers = 0;
    for (const { expected, found } of all()) {
      const names = found.servers.map(({ name, originalName }) => originalName ?? name);
      expect([expected.file, names]).toEqual([expected.file, expected.servers.map(({ name }) => name)]);
      for (const [i, { name, fields }] of expected.servers.entries()) {
        const server = found.servers[i];
        if (server === undefined) throw new Error(`${expected.file}: ${name} is not found`);
        servers++;
        for (const field of fields)
          expect(`${expected.file} ${name} ${field}: ${placesOf(field, server)}`).toBe(`${expected.file} ${name} ${field}: 1`);
      }
    }
    expect(servers).toBe(index().flatMap((expected) => expected.servers).length);
  });

  test("what is carried over is valid here under a valid name; what is not, is reported with a reason", () => {
    for (const { expected, found } of all())
      for (const { name, entry, warnings } of found.servers) {
        expect(ServerName.safeParse(name).success).toBe(true);
        const issues = Object.keys(entry).length === 0 ? [] : (Server.safeParse(entry).error?.issues ?? []);
        expect([expected.file, name, issues]).toEqual([expected.file, name, []]);
        if (Object.keys(entry).length === 0) expect(warnings.join()).toContain("cannot be used");
      }
  });

  test("no approval is carried over", () => {
    for (const { found } of all())
      for (const { entry } of found.servers) for (const key of Object.keys(entry)) expect(key).not.toMatch(/approv|always|trust/i);
  });

  test("every variable in a field that is carried over is still one, by the same name", () => {
    let variables = 0;
    for (const { expected, found } of all())
      for (const [i, { entry }] of sourcesOf(expected).entries()) {
        const server = found.servers[i];
        if (server === undefined || !isPlainObject(entry)) throw new Error(`${expected.file} has more servers`);
        const isCarried = (field: string) => Object.hasOwn(server.entry, field) || Object.hasOwn(server.mapped, field);
        const text = JSON.stringify(Object.entries(entry).filter(([field]) => isCarried(field)));
        const written = JSON.stringify(server.entry);
        for (const [, name] of text.matchAll(/\$\{(?:env:)?([A-Z][A-Z_]+)(?::-[^}]*)?\}/g)) {
          variables++;
          expect(`${expected.file} ${name}: ${written.includes(`\${env:${name}`)}`).toBe(`${expected.file} ${name}: true`);
        }
        if (text.includes("{input:")) expect(written).toMatch(/\$\{(?:secret|env):/);
      }
    expect(variables).toBeGreaterThan(0);
  });

  test("all of them together make one block, whose secrets can be moved out of it", () => {
    const files = all().map(({ found }) => found);
    const literals = files.flatMap(({ servers }) => servers.flatMap(({ secrets }) => secrets));
    expect(literals.length).toBeGreaterThan(0);
    const { files: moved, values } = moveSecrets(files, () => undefined);
    expect(values.size).toBeGreaterThan(0);
    const block = blockOf(moved);
    for (const entry of Object.values(block.mcpServers)) expect(Server.safeParse(entry).success).toBe(true);
    expect(moved.map(({ path }) => basename(path))).toEqual(index().map(({ file }) => file));
  });
});
