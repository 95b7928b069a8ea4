import { expect, test } from "bun:test";
import { describeFailure } from "../../src/calls/failure.ts";

const refused = { certainty: "not_applied", code: "invalid_arguments", notices: [] } as const;

test("an error names the call that it ended, the call in doubt that stands in its way, or none where none was made", () => {
  expect(describeFailure({ ...refused, call: "c_1-0" }, "mail__send").callId).toBe("c_1-0");
  expect(describeFailure({ ...refused, code: "in_doubt", call: "c_2-0", twin: "c_1-0" }, "mail__send").callId).toBe("c_1-0");
  expect(describeFailure({ ...refused, call: "" }, "mail__send")).not.toHaveProperty("callId");
});
