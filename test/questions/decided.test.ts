/** A person's decision by a form of a client of 2026-07-28: the request ends with it, and its retry brings the vote. */
import { describe, expect, test } from "bun:test";
import { sessionAddress } from "../../actors/address.ts";
import type { ApprovalPolicy } from "../../events/policy.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { fakeServer, harness, memoryLog, text } from "../harness.ts";
import { supervised } from "../system/approval-fixture.ts";

const SHOWS = { era: "modern", elicitation: true, tasks: false } as const;
const RULES = [{ name: "ask", tool: "files__act", action: "ask", reason: "look first" }] as const;
const accept = (decision: string, instructions?: string) => ({
  approval: { action: "accept", content: { decision, ...(instructions && { instructions }) } },
});

async function asked(more: Parameters<typeof harness>[0] = {}) {
  const files = fakeServer();
  const place = await harness({ servers: { files }, policy: { rules: RULES as never }, ...more });
  const ada = await place.session("s_1");
  const first = (await ada.call("files__act", { path: "/tmp" }, { abilities: SHOWS })) as unknown as {
    resultType: string;
    requestState: string;
    inputRequests: { approval: { method: string; params: { message: string; requestedSchema: object } } };
  };
  const { requestState } = first;
  const retry = (inputResponses: object, args = { path: "/tmp" }, by = ada) =>
    by.call("files__act", args, { abilities: SHOWS, requestState, inputResponses: inputResponses as never });
  const approval = () => place.views.approvals(0)[0];
  return { ...place, files, ada, first, requestState, retry, approval };
}

describe("within the hold", () => {
  test("the person is asked, and an approved call runs once and is the retry's answer", async () => {
    const { files, first, retry, settle, types, failures, approval } = await asked();
    expect(first.resultType).toBe("input_required");
    expect(first.inputRequests.approval.method).toBe("elicitation/create");
    expect(first.inputRequests.approval.params.message).toContain("May act of files");
    expect(files.calls).toHaveLength(0);
    const second = retry(accept("approve"));
    await settle();
    expect(approval()).toMatchObject({ status: "approved", votes: [{ by: "client:ada", channel: "client", seat: "client" }] });
    files.calls[0]?.answer(text("done"));
    expect((await second).content[0]?.text).toBe("done");
    expect((await retry(accept("approve"))).content[0]?.text).toBe("done"); // the same retry again
    expect(files.calls).toHaveLength(1);
    expect(types("session/s_1").filter((type) => type === "approval.requested")).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  test.each([
    { said: accept("deny"), status: "denied" },
    { said: { approval: { action: "decline" } }, status: "denied" },
    { said: accept("revise", "only the drafts"), status: "revised" },
  ])("$status: nothing is sent, now and when it comes again", async ({ said, status }) => {
    const { files, retry, approval } = await asked();
    for (const answer of [await retry(said), await retry(said)])
      expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: "approval_denied" } } });
    expect(approval()?.status).toBe(status as never);
    expect(files.calls).toHaveLength(0);
  });

  test("who does not say is no vote: the call waits for others, and is asked about again without an answer", async () => {
    const { retry, clock, requestState, ada, approval, settle } = await asked();
    const again = (await ada.call("files__act", { path: "/tmp" }, { abilities: SHOWS, requestState })) as unknown as { resultType: string };
    expect(again.resultType).toBe("input_required");
    const cancelled = retry({ approval: { action: "cancel" } });
    await settle();
    expect(approval()?.votes).toEqual([]);
    await clock.advance(15_000);
    expect(await cancelled).toMatchObject({ isError: true, structuredContent: { error: { code: "approval_pending" } } });
  });

  test("an operator who is faster decides: the retry gets what came of it", async () => {
    const { files, runtime, retry, settle, approval } = await asked();
    const vote = { type: "vote", approval: approval()?.id, by: "operator:root", channel: "rest", verdict: "approve" };
    await runtime.enter(sessionAddress("s_1"), vote as never);
    await settle();
    files.calls[0]?.answer(text("done"));
    await settle();
    expect((await retry(accept("deny"))).content[0]?.text).toBe("done");
    expect(approval()?.votes).toHaveLength(1);
  });
});

describe("after the hold", () => {
  test("an approval makes the identical call run with the retry, once", async () => {
    const { files, retry, settle, clock } = await asked();
    await clock.advance(16_000);
    const second = retry(accept("approve"));
    await settle();
    files.calls[0]?.answer(text("done"));
    expect((await second).content[0]?.text).toBe("done");
    expect((await retry(accept("approve"))).content[0]?.text).toBe("done");
    expect(files.calls).toHaveLength(1);
  });

  test("it is of no use for another call", async () => {
    const { files, retry, clock } = await asked();
    await clock.advance(16_000);
    const other = (await retry(accept("approve"), { path: "/etc" })) as unknown as { resultType: string };
    expect(other.resultType).toBe("input_required");
    expect(files.calls).toHaveLength(0);
  });

  test("too late is too late", async () => {
    const { files, retry, clock } = await asked();
    await clock.advance(400_000);
    expect(await retry(accept("approve"))).toMatchObject({ isError: true, structuredContent: { error: { code: "approval_pending" } } });
    expect(files.calls).toHaveLength(0);
  });

  test("a restart changes nothing", async () => {
    const log = memoryLog();
    const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
    const { requestState } = await asked({ log, sealed });
    const files = fakeServer();
    const place = await harness({ servers: { files }, policy: { rules: RULES as never }, log, sealed });
    const ada = await place.session("s_1");
    const second = ada.call("files__act", { path: "/tmp" }, { abilities: SHOWS, requestState, inputResponses: accept("approve") });
    await place.settle();
    files.calls[0]?.answer(text("done"));
    expect((await second).content.at(-1)?.text).toBe("done");
    expect(place.failures).toEqual([]);
  });
});

describe("who has no seat", () => {
  test.each([
    { why: "the risk is above what it may decide", approvals: { clientMaxRisk: "trivial" } },
    { why: "it is no approver", approvals: { approvers: ["operator"] } },
  ] as { why: string; approvals: Partial<ApprovalPolicy> }[])("is not asked: $why", async ({ approvals }) => {
    const files = fakeServer();
    const { session, clock, settle } = await harness({ servers: { files }, policy: supervised(approvals) });
    const call = (await session("s_1")).call("files__act", {}, { abilities: SHOWS });
    await settle();
    await clock.advance(15_000);
    expect(await call).toMatchObject({ structuredContent: { error: { code: "approval_pending" } } });
  });

  test("another agent cannot bring the decision, nor can it be brought for another tool", async () => {
    const { files, session, requestState, ada, approval } = await asked();
    const bob = await session("s_2", "bob");
    const stolen = { abilities: SHOWS, requestState, inputResponses: accept("approve") };
    expect(await bob.call("files__act", { path: "/tmp" }, stolen)).toMatchObject({
      structuredContent: { error: { code: "invalid_arguments" } },
    });
    expect(await ada.call("files__look", {}, stolen)).toMatchObject({ structuredContent: { error: { code: "invalid_arguments" } } });
    expect(approval()?.votes).toEqual([]);
    expect(files.calls).toHaveLength(0);
  });
});
