/** States survive JSON. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { pack, unpack } from "../../src/runtime/pack.ts";

const state = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.string().filter((key) => key !== "$map" && key !== "__proto__"),
      tie("value"),
      { maxKeys: 4, noNullPrototype: true },
    ),
    fc.array(fc.tuple(fc.string(), tie("value")), { maxLength: 4 }).map((entries) => new Map(entries)),
  ),
})).value;

test("whatever an actor's state holds comes back equal", () => {
  fc.assert(fc.property(state, (value) => expect(unpack(JSON.parse(JSON.stringify(pack(value))))).toEqual(value)));
});
