/** Whatever a server answers, it is read as something: never an exception, and nothing that was not announced. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { isInterim } from "../../../src/mcp/downstream/downstream.ts";
import { replied } from "../../../src/mcp/downstream/interim.ts";

const oneOf = (...values: unknown[]) => fc.oneof(fc.constantFrom(...values), fc.jsonValue());
const result = fc.record(
  {
    resultType: oneOf("input_required", "task", "complete"),
    inputRequests: fc.oneof(
      fc.dictionary(fc.string(), fc.record({ method: oneOf("elicitation/create"), params: oneOf({}) })),
      fc.jsonValue(),
    ),
    requestState: oneOf("s"),
    taskId: oneOf("t", "x".repeat(600)),
    task: oneOf({ taskId: "t" }),
    pollIntervalMs: oneOf(100),
  },
  { requiredKeys: [] },
);
const message = fc.record({ result: fc.oneof(result, fc.jsonValue()), error: fc.jsonValue() }, { requiredKeys: [] });
const awaited = fc.record({ questions: fc.boolean(), tasks: fc.boolean() });

test("a reply is read as what was announced, or as an outcome", () => {
  fc.assert(
    fc.property(message, fc.constantFrom("legacy" as const, "modern" as const), awaited, (given, era, may) => {
      const reply = replied(given, era, may);
      if (!isInterim(reply)) return;
      if (reply.kind === "input_required") expect([era, may.questions]).toEqual(["modern", true]);
      else {
        expect(may.tasks).toBe(true);
        expect(reply.task.era).toBe(era);
        expect(reply.task.taskId.length).toBeWithin(1, 513);
      }
    }),
    { numRuns: 2000 },
  );
});
