/** kill -9 around every event of a call that asks: the question is never lost and never answered twice, and what the agent was shown stays true. */
import { describe, expect, test } from "bun:test";
import { askingServer } from "../../fixtures/servers/asking-server.ts";
import { type Agent, around, type Commit, type Desk, type Life, liveOn, openDesk, type Reply, typesOf } from "./desk.ts";
import { programUnderTest } from "./gateway.ts";

const binary = programUnderTest();
const HANDED_BACK = { elicitation: { mode: "handback" } };
const ANSWER = { answers: { mailbox: "work" } };
const DECLINE = { decline: true };
const LONG_MS = 60_000;
const ACT = "mail to bob from work";

interface Seen {
  /** The question, as the agent got it and as an operator sees it. */
  readonly asked: Reply;
  readonly row: Record<string, string>;
  /** What the call came to. */
  readonly told: Reply;
}
type Point = NonNullable<Life<Seen>["point"]>;
type Saw = { -readonly [K in keyof Seen]?: Seen[K] };

const idOf = (asked: Reply): string => (asked.structured["question"] as { id: string }).id;
/** Times in words change. */
const steady = (text: string): string => text.replaceAll(/\d+ (second|minute|hour)s?/g, "a while");
const send = (agent: Agent) => agent.call("desk__send_mail", { to: "bob" });
const answer = (agent: Agent, question: string, given: object = { answers: { mailbox: "work" } }) =>
  agent.call("mcp_answer", { question_id: question, ...given });

const act =
  (given: object) =>
  async (agent: Agent, seen: Saw): Promise<void> => {
    seen.asked = await send(agent);
    [seen.row] = (await agent.questions()) as [Record<string, string>];
    seen.told = await answer(agent, idOf(seen.asked), given);
  };

/** Whether the answers were given, and what came of it; by whoever knows only what the agent knew. */
const goOn =
  (desk: Desk, given: object, point?: Point) =>
  async (agent: Agent, seen: Saw): Promise<void> => {
    const isDecline = "decline" in given;
    const rows = await agent.questions();
    expect(rows.length).toBeLessThanOrEqual(1);
    if (seen.asked) expect(rows.map(({ id }) => id)).toEqual([idOf(seen.asked)]);
    const { structured } = await agent.call("call_status");
    const doubts = structured["doubts"] as readonly { id: string }[];
    const [question] = rows;
    if (question?.["status"] === "open") {
      if (seen.row) expect(question).toEqual(seen.row);
      expect(structured["questions"]).toMatchObject([{ id: question["id"], status: "open" }]);
      const shown = await agent.call("call_status", { id: question["id"] });
      if (seen.asked) expect(steady(shown.text)).toBe(steady(seen.asked.text));
      expect(doubts).toEqual([]);
      expect(desk.executed()).toEqual([]);
      seen.told = await answer(agent, question["id"] ?? "", given);
      expect(seen.told.text).toContain(isDecline ? "which: decline" : ACT);
    } else if (question === undefined && doubts.length === 0) {
      // Nothing of it was written down: the agent makes the call again.
      expect(desk.executed()).toEqual([]);
      const asked = await send(agent);
      seen.told = await answer(agent, idOf(asked), given);
      expect(seen.told.text).toContain(isDecline ? "which: decline" : ACT);
    } else if (question === undefined) {
      expect(await send(agent)).toMatchObject({ code: "in_doubt" });
    } else {
      const status = await agent.call("call_status", { id: question["callId"] });
      const end = status.structured["status"];
      expect(doubts.map(({ id }) => id)).toEqual(end === "in_doubt" ? [question["callId"] ?? ""] : []);
      expect(typeof point === "object" ? ["in_doubt"] : ["in_doubt", "answered"]).toContain(end as string); // the server was at work
      if (end === "answered") expect(JSON.stringify(status.structured["result"])).toContain(isDecline ? "which: decline" : ACT);
      if (seen.told) expect(end).toBe("answered");
    }
    const [settled] = await agent.questions();
    if (settled) {
      expect(settled["status"]).toBe(isDecline ? "declined" : "answered");
      const again = await answer(agent, settled["id"] ?? "", given);
      expect(again.isError).toBe(true);
      expect(again.text).toContain(isDecline ? "it was declined already" : "it was answered already");
    }
    expect(desk.executed().length).toBeLessThanOrEqual(1);
    if (seen.told && !isDecline) expect(desk.executed()).toEqual([ACT]);
    expect(desk.heard.filter(({ answered }) => answered.length > 0).length).toBeLessThanOrEqual(1);
    expect((await agent.call("call_status")).structured["open"]).toEqual([]);
  };

/** In this order; `:2` are those of `mcp_answer`. */
const COMMITS: readonly Commit[] = [
  ["call.requested", "call.dispatched"],
  ["call.questioned", "question.opened", "call.suspended", "call.unclaimed"],
  ["call.requested:2", "call.dispatched:2"],
  ["question.answered", "call.resumed", "call.claimed"],
  ["call.settled", "call.answered"],
  ["call.settled:2", "call.answered:2"],
];
const DECLINED: Commit = ["question.declined", "call.resumed", "call.claimed"];

const live = (given: object, point?: Point) => {
  const desk = openDesk(askingServer());
  return liveOn<Seen>(binary, { desk, entry: HANDED_BACK, ...(point && { point }), act: act(given), goOn: goOn(desk, given, point) });
};
/** Two at a time. */
const both = (given: object, points: readonly [Point, Point]) => Promise.all(points.map((point) => live(given, point)));

test(
  "a call that asks is written down in these commits, and all of it is known after a kill",
  async () => {
    const turns = await live(ANSWER);
    const from = turns.findIndex((turn) => turn.includes("call.requested"));
    expect(turns.slice(from, from + COMMITS.length)).toEqual(COMMITS.map(typesOf));
  },
  LONG_MS,
);

describe("kill -9 around", () => {
  test.each(COMMITS.map((commit) => [commit.join(" "), commit] as const))(
    "%s: the question is answered once",
    (_, commit) => both(ANSWER, around(commit)).then(() => undefined),
    LONG_MS,
  );
  test.each([
    ["the first request", "before_send", "after_answer"],
    ["the request of mcp_answer", "before_send:2", "sealed:question"],
    ["the request that takes the answers", "before_send:3", "after_answer:2"],
  ] as const)("%s: the question is answered once", (_, one, other) => both(ANSWER, [one, other]).then(() => undefined), LONG_MS);
  test(
    "the work of the server on the answers: the call is in doubt, its question answered",
    async () => {
      await both(ANSWER, [
        { method: "tools/call", moment: "before" },
        { method: "tools/call", moment: "after" },
      ]);
    },
    LONG_MS,
  );
  test(
    "a question that an operator has: nothing was done, and nothing is in doubt",
    async () => {
      const desk = openDesk(askingServer());
      const entry = { elicitation: { mode: "auto", responder: "operator" } };
      const done = async (agent: Agent) => {
        const [question] = await agent.questions();
        expect(question).toMatchObject({ status: "lapsed", way: "operator" });
        const status = await agent.call("call_status", { id: question?.["callId"] });
        expect(status.structured["error"]).toEqual({ code: "cancelled", certainty: "not_applied" });
        expect((await agent.call("call_status")).structured).toMatchObject({ open: [], doubts: [] });
        expect(desk.executed()).toEqual([]);
      };
      await liveOn<Seen>(binary, { desk, entry, point: "after:question.opened", act: act(ANSWER), goOn: done });
    },
    LONG_MS,
  );
  test(
    "a refusal to answer: it is given once",
    async () => {
      await both(DECLINE, around(DECLINED));
      await both(DECLINE, ["before_send:3", "after_answer:2"]);
    },
    LONG_MS,
  );
});
