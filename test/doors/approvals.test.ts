/** `/v1/approvals`: who sees what people are asked, and who may decide. */
import { describe, expect, test } from "bun:test";
import type { ApprovalPolicy } from "../../events/policy.ts";
import { approvalRoutes } from "../../src/doors/approvals.ts";
import type { KnownOperator, Role } from "../../src/doors/guard.ts";
import { errorOf, place } from "../system/approval-fixture.ts";

const operator = (name: string, roles: readonly Role[] = ["view", "decide"]): KnownOperator => ({
  name,
  tokenHash: `sha256:${name}`,
  roles,
});
const LOCAL: KnownOperator = { name: "cli:1000", tokenHash: "", roles: ["view", "decide", "admin"] };

async function door(approvals: Partial<ApprovalPolicy> = {}) {
  const world = await place(approvals);
  const routes = approvalRoutes({
    ...world,
    position: () => world.log.head.position,
    now: world.clock.now,
    tokenHashOf: (agent) => `sha256:${agent}`,
  });
  const answer = async (path: string, who: KnownOperator, body?: object) => {
    const request = new Request(`http://x${path}`, body && { method: "POST", body: JSON.stringify(body) });
    const response = await routes(request, new URL(request.url), who);
    await world.settle();
    return {
      status: response?.status,
      body: (await response?.json()) as Record<string, unknown> & { approvals: Record<string, unknown>[] },
    };
  };
  const list = async (query = "") => (await answer(`/v1/approvals${query}`, operator("vera", ["view"]))).body.approvals;
  const decide = (id: string, verdict: string, who = operator("root"), more: object = {}) =>
    answer(`/v1/approvals/${id}`, who, { verdict, ...more });
  return { ...world, answer, list, decide };
}

test("a row says what is asked, by whom, and why", async () => {
  const { asked, list, clock } = await door();
  const { id } = await asked({ to: "grace" });
  expect(await list()).toEqual([
    {
      id,
      callId: expect.stringMatching(/^c_/),
      session: "s_1",
      agent: "ada",
      server: "mail",
      tool: "act",
      name: "mail__act",
      arguments: { to: "grace" },
      reasons: ["autonomy:supervised: it may change something"],
      risk: "medium",
      status: "pending",
      createdAt: clock.now(),
      expiresAt: clock.now() + 300_000,
      attempt: 1,
      round: 1,
      strategy: "any",
      seats: ["operator"],
      needed: 1,
      votes: [],
    },
  ]);
  expect(id).toMatch(/^a_[0-9a-f]{32}$/);
});

test("closed ones are listed for a day, newest last", async () => {
  const { asked, list, decide, clock, answer } = await door();
  const first = await asked({ n: 1 });
  await decide(first.id, "deny");
  await clock.advance(10_000);
  const second = await asked({ n: 2 });
  expect((await list()).map(({ id }) => id)).toEqual([first.id, second.id]);
  expect((await list("?status=denied")).map(({ id }) => id)).toEqual([first.id]);
  expect((await answer("/v1/approvals?status=open", operator("vera"))).status).toBe(400);
  await clock.advance(86_400_001);
  expect((await list()).map(({ id }) => id)).toEqual([second.id]); // expired five minutes later
});

describe("a decision", () => {
  test.each([
    ["approve", "approved"],
    ["deny", "denied"],
  ])("%s resolves it, and the same verdict again is fine", async (verdict, status) => {
    const { asked, decide } = await door();
    const { id } = await asked();
    expect(await decide(id, verdict)).toMatchObject({ status: 200, body: { id, status } });
    expect(await decide(id, verdict)).toMatchObject({ status: 200, body: { status } });
    expect((await decide(id, verdict === "deny" ? "approve" : "deny")).status).toBe(409);
    expect((await decide(id, verdict, operator("bob"))).status).toBe(409);
  });

  test("is recorded while others have to decide too; a vote is final", async () => {
    const { asked, decide, views } = await door({ approvers: ["ann", "bob", "cat"], strategy: "quorum" });
    const { id } = await asked();
    expect(await decide(id, "approve", operator("ann"))).toMatchObject({ status: 202, body: { status: "pending" } });
    expect((await decide(id, "approve", operator("ann"))).status).toBe(200);
    expect((await decide(id, "deny", operator("ann"))).status).toBe(409);
    expect((await decide(id, "approve", operator("eve"))).status).toBe(403);
    expect((await decide(id, "approve", LOCAL)).status).toBe(403); // there is no seat for just anybody
    expect(await decide(id, "approve", operator("Bob"))).toMatchObject({ status: 200, body: { status: "approved" } });
    expect(views.approval(id)?.votes.map(({ by, seat }) => [by, seat])).toEqual([
      ["operator:ann", "ann"],
      ["operator:Bob", "bob"],
    ]);
  });

  test("on what nobody asked is unknown", async () => {
    expect((await (await door()).decide("a_00", "approve")).status).toBe(404);
  });

  test("after it has expired comes too late", async () => {
    const { asked, decide, clock } = await door({ holdMs: 900_000 });
    const { id } = await asked();
    await clock.advance(300_000);
    expect((await decide(id, "approve")).status).toBe(409);
  });

  test("is not the agent's own", async () => {
    const { asked, decide, mail } = await door();
    const { id } = await asked();
    expect((await decide(id, "approve", operator("ada"))).status).toBe(403);
    expect(mail.calls).toHaveLength(0);
  });

  test("of whoever may open the local socket counts as an operator's", async () => {
    const { asked, decide, views } = await door();
    const { id } = await asked();
    expect((await decide(id, "approve", LOCAL)).status).toBe(200);
    expect(views.approval(id)?.votes).toMatchObject([{ by: "cli:1000", channel: "cli", seat: "operator" }]);
  });

  test("to revise needs words for the agent, and they hold no secret", async () => {
    const { asked, decide, vault, log } = await door();
    vault.configure([{ name: "key", value: "correct-horse-battery" }]);
    const { id, result } = await asked();
    expect((await decide(id, "revise")).status).toBe(400);
    expect((await decide(id, "revise", operator("root"), { instructions: "x".repeat(1001) })).status).toBe(400);
    await decide(id, "revise", operator("root"), { instructions: "use correct-horse-battery" });
    const { content } = await result;
    expect(content.at(-1)?.text).toContain("[REDACTED");
    expect(JSON.stringify(log.page({ after: 0, limit: 1000 }))).not.toContain("correct-horse-battery");
  });

  test("to cancel is an administrator's", async () => {
    const { asked, decide } = await door();
    const { id, result } = await asked();
    expect((await decide(id, "cancel")).status).toBe(403);
    expect(await decide(id, "cancel", operator("adam", ["admin"]))).toMatchObject({ status: 200, body: { status: "cancelled" } });
    expect(errorOf(await result)).toMatchObject({ code: "approval_denied" });
    expect((await decide(id, "cancel", operator("adam", ["admin"]))).status).toBe(409);
  });
});
