/** Which keys a schema allows at a place: what an unknown key is compared with. */
import { z } from "zod";
import type { KeyPath } from "./problems.ts";

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The part of JSON Schema that zod writes for nested shapes. */
interface Shape {
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | false;
  readonly items?: Shape;
}

/** Writing out a schema takes some milliseconds, and a file may have many slips. */
const shapes = new WeakMap<z.ZodType, Shape>();

/** The property names that `schema` knows for the object at `path`; none when it is no object there. */
export function keysAllowedAt(schema: z.ZodType, path: KeyPath): readonly string[] {
  const shape = shapes.get(schema) ?? (z.toJSONSchema(schema, { io: "input" }) as Shape);
  shapes.set(schema, shape);
  return keysAt(shape, path) ?? [];
}

function keysAt(shape: Shape | false | undefined, path: KeyPath): readonly string[] | undefined {
  if (shape === undefined || shape === false) return undefined;
  for (const option of shape.anyOf ?? []) {
    const found = keysAt(option, path);
    if (found !== undefined) return found;
  }
  const [key, ...rest] = path;
  const { properties } = shape;
  if (key === undefined) return properties === undefined ? undefined : Object.keys(properties);
  if (properties !== undefined && Object.hasOwn(properties, key)) return keysAt(properties[key], rest);
  return keysAt(typeof key === "number" ? shape.items : shape.additionalProperties, rest);
}
