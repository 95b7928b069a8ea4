/** Who may decide on a call, and what the votes come to. */
import { describe, expect, test } from "bun:test";
import type { OpenApproval } from "../../actors/approvals/state.ts";
import { judgeVote, rosterOf, tally } from "../../actors/approvals/votes.ts";
import { DEFAULT_APPROVALS } from "../../actors/policy/defaults.ts";
import type { Vote } from "../../events/approval.ts";

type Strategy = OpenApproval["strategy"];
const approval = (more: Partial<OpenApproval>): OpenApproval => ({
  id: "a_1",
  call: "c_1",
  name: "mail__act",
  server: "mail",
  tool: "act",
  serverId: "aaaaaaaaaaaa",
  digest: "d1",
  reasons: [],
  risk: "medium",
  strategy: "any",
  seats: ["operator"],
  needed: 1,
  createdAt: 0,
  expiresAt: 300,
  grantTtlMs: 900,
  attempt: 1,
  round: 1,
  maxRounds: 2,
  votes: [],
  ...more,
});
const VERDICTS: Readonly<Record<string, Vote>> = { a: "approve", d: "deny", r: "revise" };
/** One letter a seat that has voted. */
const votes = (letters: string) =>
  [...letters].map((letter, at) => ({ by: `operator:${at}`, seat: `seat${at}`, verdict: VERDICTS[letter] ?? "deny" }));

describe("what votes come to", () => {
  test.each([
    ["any", 3, "", undefined],
    ["any", 3, "a", "approved"],
    ["any", 3, "d", "denied"],
    ["any", 3, "r", "revised"],
    ["any", 3, "ad", "denied"],
    ["any", 3, "ar", "revised"],
    ["any", 3, "rd", "denied"],
    ["all", 3, "aa", undefined],
    ["all", 3, "aaa", "approved"],
    ["all", 3, "ad", "denied"],
    ["all", 3, "r", undefined],
    ["all", 3, "ara", "revised"],
    ["all", 3, "rd", "denied"],
    ["quorum", 3, "a", undefined],
    ["quorum", 3, "aa", "approved"],
    ["quorum", 3, "ad", undefined],
    ["quorum", 3, "ada", "approved"],
    ["quorum", 3, "dd", "denied"],
    ["quorum", 3, "rr", "revised"],
    ["quorum", 3, "rd", "denied"],
    ["quorum", 4, "ada", undefined],
    ["quorum", 4, "adar", "denied"],
    ["quorum", 4, "arar", "revised"],
  ] as const)("%s of %p seats: %p is %p", (strategy, seats, letters, outcome) => {
    const needed = { any: 1, all: seats, quorum: Math.floor(seats / 2) + 1 }[strategy];
    const open = approval({ strategy, needed, seats: Array.from({ length: seats }, (_, at) => `seat${at}`) });
    expect(tally(open, votes(letters))).toBe(outcome);
  });

  test.each(["any", "all", "quorum"] as Strategy[])("%s where nobody is needed is denied", (strategy) => {
    expect(tally(approval({ strategy, needed: 0, seats: [] }), [])).toBe("denied");
  });

  test("in the last round a wish for a revision is a denial", () => {
    expect(tally(approval({ round: 2, maxRounds: 2 }), votes("r"))).toBe("denied");
    expect(tally(approval({ round: 1, maxRounds: 0 }), votes("r"))).toBe("denied");
  });
});

describe("who is asked", () => {
  const roster = (approvers: readonly string[], strategy: Strategy, risk: OpenApproval["risk"] = "medium", hasClient = true) =>
    rosterOf({ ...DEFAULT_APPROVALS, approvers: [...approvers], strategy }, risk, hasClient);

  test.each([
    [[], "any", undefined],
    [[" ", ""], "any", undefined],
    [["operator", "client"], "any", { seats: ["operator", "client"], needed: 1 }],
    [["ann", "bob", "cat"], "quorum", { seats: ["ann", "bob", "cat"], needed: 2 }],
    [["ann", "bob", "cat", "dan"], "quorum", { seats: ["ann", "bob", "cat", "dan"], needed: 3 }],
    [["ann", "ANN", "bob"], "all", { seats: ["ann", "bob"], needed: 2 }],
    [["operator", "operator"], "all", { seats: ["operator", "operator"], needed: 2 }],
  ] as const)("%p by %p", (approvers, strategy, expected) => {
    expect(roster(approvers, strategy)).toEqual(expected as ReturnType<typeof rosterOf>);
  });

  test("a client that cannot show a form, or a risk above what its person may decide, has no seat", () => {
    expect(roster(["client"], "any", "medium", false)).toBeUndefined();
    expect(roster(["client"], "any", "high")).toBeUndefined();
    expect(roster(["operator", "client"], "any", "high")).toEqual({ seats: ["operator"], needed: 1 });
  });

  test("who cannot be reached is needed all the same", () => {
    expect(roster(["operator", "client"], "all", "high")).toBeUndefined();
    expect(roster(["operator", "client"], "quorum", "medium", false)).toBeUndefined();
  });
});

describe("a vote", () => {
  const rest = (by: string) => ({ by: `operator:${by}`, channel: "rest" }) as const;
  const open = approval({ seats: ["ann", "operator", "client"], needed: 2, strategy: "quorum" });
  const after = (...cast: readonly (readonly [by: string, seat: string, verdict: Vote])[]) => ({
    ...open,
    votes: cast.map(([by, seat, verdict]) => ({ by, seat, verdict })),
  });

  test("fills one's own seat before one that anybody may fill, whatever the case of the name", () => {
    expect(judgeVote(open, rest("Ann"), "approve", 0)).toEqual({ seat: "ann" });
    expect(judgeVote(open, rest("bob"), "approve", 0)).toEqual({ seat: "operator" });
    expect(judgeVote(open, { by: "cli:1000", channel: "cli" }, "approve", 0)).toEqual({ seat: "operator" });
    expect(judgeVote(open, { by: "client:ada", channel: "client" }, "approve", 0)).toEqual({ seat: "client" });
  });

  test("of one person counts once", () => {
    const voted = after(["operator:ann", "ann", "approve"]);
    expect(judgeVote(voted, rest("ann"), "approve", 0)).toBe("repeated");
    expect(judgeVote(voted, rest("ann"), "deny", 0)).toBe("changed");
  });

  test("without a free seat does not count", () => {
    expect(judgeVote(after(["operator:bob", "operator", "approve"]), rest("cat"), "approve", 0)).toBe("foreign");
    expect(judgeVote(approval({ seats: ["ann"] }), rest("bob"), "approve", 0)).toBe("foreign");
    expect(judgeVote(approval({ seats: ["client"] }), rest("client"), "approve", 0)).toBe("foreign");
    expect(judgeVote(approval({ seats: ["ann"] }), { by: "cli:ann", channel: "cli" }, "approve", 0)).toBe("foreign");
  });

  test("that comes too late does not count, and a repeated one still is one", () => {
    expect(judgeVote(open, rest("ann"), "approve", 300)).toBe("expired");
    expect(judgeVote(after(["operator:ann", "ann", "approve"]), rest("ann"), "approve", 300)).toBe("repeated");
  });
});
