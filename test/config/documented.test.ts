/** The tables of the configuration say what the schema says. */
import { expect, test } from "bun:test";
import { DEFAULT_SURFACE } from "../../actors/catalogue.ts";
import { configJsonSchema } from "../../src/config/schema.ts";

interface Shape {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape;
}

const page = await Bun.file(new URL("../../docs/operations.md", import.meta.url).pathname).text();
const rowsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
const rows = rowsOf(page);
const rowOf = (key: string, among = rows) => among.find(([, keys = ""]) => keys.split(", ").includes(`\`${key}\``));
/** An entry has keys that the top level has, too. */
const entryRows = rowsOf(page.split("| key of an entry |")[1] ?? "");
const schema = configJsonSchema() as Shape;
const propertiesOf = (shape: Shape | undefined) => Object.entries(shape?.properties ?? {});
const group = (name: string) => propertiesOf(schema.properties?.[name]);

/** `bridge.drift` is documented by its two keys. */
const nested = (prefix: string, properties: readonly [string, Shape][]): [string, Shape][] =>
  properties.flatMap(([key, shape]) =>
    shape.properties ? nested(`${prefix}${key}.`, propertiesOf(shape)) : [[`${prefix}${key}`, shape] as [string, Shape]],
  );
const entry = propertiesOf(schema.properties?.["mcpServers"]?.additionalProperties);

test.each(propertiesOf(schema).map(([key]) => key))("the key %s has a row", (key) => {
  expect(rowOf(key)).toBeDefined();
});

const GROUPS = ["bridge", "limits", "policy", "approvals", "hooks", "elicitation", "tasks"];
const grouped = GROUPS.flatMap((name) => nested(`${name}.`, group(name)));

/** A block of its own is documented by the common one. */
const withoutBlock = (shape: Shape): Shape => (shape.properties ? {} : shape);
const documented = [
  ...grouped.map(([key, shape]) => [key, shape, rows] as const),
  ...entry.map(([key, shape]) => [key, withoutBlock(shape), entryRows] as const),
];

test.each(documented)("%s has a row with its default", (key, shape, among) => {
  const [, , shown] = rowOf(key, among) ?? [];
  expect(shown).toBeDefined();
  if (shape.default !== undefined)
    expect(shown).toBe(`\`${typeof shape.default === "string" ? shape.default : JSON.stringify(shape.default)}\``);
});

test.each(propertiesOf(schema.properties?.["auth"]?.additionalProperties).map(([key]) => key))("a profile's %s has a row", (key) => {
  expect(rowOf(key)).toBeDefined();
});

test.each(group("secrets").map(([key]) => key))("secrets.%s has a row", (key) => {
  expect(rowOf(`secrets.${key}`)).toBeDefined();
});

test("the mode is the one that holds without a configuration", () => {
  expect(rowOf("bridge.wrapperMode")?.[2]).toBe(`\`${DEFAULT_SURFACE.wrapperMode}\``);
});

test("no row of these tables names a key that is not there", () => {
  const known = grouped.map(([key]) => key);
  const named = rows
    .flatMap(([, keys = ""]) => keys.split(", ").map((key) => key.replaceAll("`", "")))
    .filter((key) => GROUPS.some((name) => key.startsWith(`${name}.`)));
  expect(named.toSorted()).toEqual(known.toSorted());
});

test("every key of a group is described in the printed schema", () => {
  const all = [...GROUPS.flatMap(group), ...group("secrets"), ...entry];
  expect(all.filter(([, { description }]) => description === undefined).map(([key]) => key)).toEqual([]);
});
