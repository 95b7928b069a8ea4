/** Tools that are decided inside the turn and that people are asked about: what the agent said with them arrives, whoever approves and wherever. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY } from "../../actors/policy/defaults.ts";
import { approvalRoutes } from "../../src/doors/approvals.ts";
import { memoryLog } from "../harness.ts";
import { errorOf, place } from "./approval-fixture.ts";

const ASK = { name: "look-first", tool: "resolve_call", action: "ask", reason: "" } as const;
const NOTE = "looked into the outbox";

/** A call in doubt that its agent may resolve when a person agrees. */
async function doubtful() {
  const world = await place({}, memoryLog(), { profiles: DEFAULT_POLICY.profiles, rules: [ASK] });
  const { call, settle, clock, log } = world;
  const result = call("mail__act", { to: "grace" });
  await settle();
  await clock.advance(55_000);
  const error = errorOf(await result);
  const note = () => {
    const resolved = log.page({ after: 0, limit: 1000, type: "call.resolved" })[0];
    return resolved && log.payload(resolved.position);
  };
  return { ...world, note, args: { call: String(error?.["callId"]), outcome: "applied", note: NOTE } };
}

describe("a note that comes with a word on a call in doubt is kept when it was approved", () => {
  test("by an operator", async () => {
    const world = await doubtful();
    const { call, settle, pending, args, note, log, clock } = world;
    const resolved = call("resolve_call", args);
    await settle();
    const [open] = pending();
    const routes = approvalRoutes({ ...world, position: () => log.head.position, now: clock.now, tokenHashOf: () => undefined });
    const request = new Request(`http://x/v1/approvals/${open?.id}`, { method: "POST", body: JSON.stringify({ verdict: "approve" }) });
    await routes(request, new URL(request.url), { name: "root", tokenHash: "sha256:root", roles: ["decide"] });
    await settle();
    expect((await resolved).isError).toBeUndefined();
    expect(note()).toMatchObject({ note: NOTE });
  });

  test("by the client's own person", async () => {
    const { call, args, note } = await doubtful();
    const resolved = await call("resolve_call", args, { askPerson: async () => ({ verdict: "approve" }) });
    expect(resolved.isError).toBeUndefined();
    expect(note()).toMatchObject({ note: NOTE });
  });
});
