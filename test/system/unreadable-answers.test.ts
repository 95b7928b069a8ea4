/** A server that answers with what cannot be read: the call is in doubt, and its agent hears that there was an answer. */
import { expect, test } from "bun:test";
import { unread } from "../../src/mcp/downstream/call-outcome.ts";
import { fakeServer, harness } from "../harness.ts";
import { errorOf } from "./approval-fixture.ts";

test("what is said is not that the connection has ended", async () => {
  const mail = fakeServer();
  const { session, settle } = await harness({ servers: { mail } });
  const { call } = await session("s_1");
  const result = call("mail__act");
  await settle();
  mail.calls[0]?.answer(unread("it has neither a result nor an error"));
  const told = await result;
  expect(errorOf(told)).toMatchObject({ code: "execution_failed", certainty: "in_doubt" });
  expect(told.content[0]?.text).toContain("its answer cannot be read: it has neither a result nor an error");
});
