/** Every schema an event ever had must decode for ever, and none changes unnoticed. */
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { allEvents, eventDefinitions } from "../../events/all.ts";
import { decode } from "../../events/define.ts";

const FOLDER = "test/fixtures/events";
const LOCK = `${FOLDER}.lock.json`;
const golden = [...new Bun.Glob("*.json").scanSync(FOLDER)].sort();

describe("golden events", () => {
  test.each(golden)("%s decodes", async (file) => {
    const [, type = "", schema = ""] = /^(.+)\.(\d+)\.json$/.exec(file) ?? [];
    const definition = eventDefinitions.get(type);
    if (!definition) throw new Error(`${type} is gone: types are succeeded, never removed`);
    const raw: unknown = await Bun.file(`${FOLDER}/${file}`).json();
    const { data } = decode(definition, Number(schema), raw);
    if (Number(schema) === definition.schema) expect(data).toEqual(raw as object);
  });

  test("there is one for each schema of each event", () => {
    const wanted = allEvents.flatMap(({ type, schema }) => Array.from({ length: schema }, (_, index) => `${type}.${index + 1}.json`));
    expect(golden).toEqual(wanted.sort());
  });
});

test("an event's shape changes only with its schema number", async () => {
  const shapes = Object.fromEntries(allEvents.map(({ type, schema, data }) => [`${type}.${schema}`, z.toJSONSchema(data)]));
  if (process.env["UPDATE_EVENT_LOCK"] === "1") await Bun.write(LOCK, `${JSON.stringify(shapes, null, 2)}\n`);
  // A released schema may gain optional fields only; anything else needs an upcaster. See docs/events.md.
  expect(shapes).toEqual((await Bun.file(LOCK).json()) as typeof shapes);
});

test("an event of a newer release stops the reader", () => {
  const definition = allEvents[0];
  if (!definition) throw new Error("no events");
  expect(() => decode(definition, definition.schema + 1, {})).toThrow("newer release");
});

test("every type is defined once", () => {
  expect(eventDefinitions.size).toBe(allEvents.length);
});
