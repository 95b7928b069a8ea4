/** kill -9 around every event of a call whose older server asks on its connection: the question ends with us, and nothing is answered twice. */
import { describe, expect, test } from "bun:test";
import { legacyAskingServer } from "../../fixtures/servers/legacy-asking-server.ts";
import { until } from "../daemon-fixture.ts";
import { type Agent, around, type Commit, type Desk, type Life, liveOn, openDesk, type Reply, typesOf } from "./desk.ts";
import { programUnderTest } from "./gateway.ts";

const binary = programUnderTest();
const LONG_MS = 60_000;
const ACT = "mail to bob from work";

interface Seen {
  /** The id of the question, and the HTTP status of its answer. */
  readonly question: string;
  readonly status: number;
  readonly told: Reply;
}
type Point = NonNullable<Life<Seen>["point"]>;
type Saw = { -readonly [K in keyof Seen]?: Seen[K] };

const ANSWER = { answers: { mailbox: "work" } };
const send = (agent: Agent) => agent.call("desk__send_mail", { to: "bob" });
const opened = async (agent: Agent): Promise<string> => {
  await until("an operator sees the question", async () => (await agent.questions()).some(({ status }) => status === "open"));
  return (await agent.questions()).find(({ status }) => status === "open")?.["id"] ?? "";
};
const sent = async (agent: Agent, seen: Saw): Promise<void> => {
  const telling = send(agent);
  telling.catch(() => undefined);
  seen.question = await opened(agent);
  seen.status = await agent.decide(seen.question, ANSWER);
  seen.told = await telling;
};

const goOn =
  (desk: Desk, isAnswered: boolean | undefined) =>
  async (agent: Agent, seen: Saw): Promise<void> => {
    const rows = await agent.questions();
    expect(rows.length).toBeLessThanOrEqual(1);
    if (seen.question !== undefined) expect(rows.map(({ id }) => id)).toEqual([seen.question]);
    const [question] = rows;
    const { structured } = await agent.call("call_status");
    const doubts = structured["doubts"] as readonly { id: string }[];
    expect(structured).toMatchObject({ open: [] });
    expect(structured["questions"] ?? []).toEqual([]);
    if (question) {
      expect(["lapsed", "answered"]).toContain(question["status"] as string);
      if (isAnswered !== undefined) expect(question["status"]).toBe(isAnswered ? "answered" : "lapsed");
      if (seen.status === 200) expect(question["status"]).toBe("answered");
      expect(await agent.decide(question["id"] ?? "", ANSWER)).toBe(409);
      const end = (await agent.call("call_status", { id: question["callId"] })).structured;
      expect(end["status"]).toBe(doubts.length > 0 ? "in_doubt" : "answered");
      if (question["status"] === "lapsed") expect([end["status"], desk.executed()]).toEqual(["in_doubt", []]);
    }
    if (seen.told) expect(doubts).toEqual([]);
    else if (doubts.length > 0) expect(await send(agent)).toMatchObject({ code: "in_doubt" });
    if (desk.executed().length > 0 || seen.told) expect(desk.executed()).toEqual([ACT]);
    expect(desk.heard.filter(({ answered }) => answered.length > 0).length).toBeLessThanOrEqual(1);
    // The one place of its server is free.
    expect((await agent.call("desk__plain", { value: "again" })).text).toBe("plain again");
  };

/** In this order. */
const COMMITS: readonly Commit[] = [
  ["call.requested", "call.dispatched"],
  ["call.questioned", "question.opened"],
  ["question.answered"],
  ["call.resumed"],
  ["call.settled", "call.answered"],
];
const ENTRY = { elicitation: { mode: "auto", responder: "operator" } };

/** `isAnswered`: what the ledger says of the question afterwards, where that is certain. */
const live = (point?: Point, isAnswered?: boolean) => {
  const desk = openDesk(legacyAskingServer());
  const more = { limits: { slotsPerServer: 1 } };
  return liveOn<Seen>(binary, { desk, entry: ENTRY, more, ...(point && { point }), act: sent, goOn: goOn(desk, isAnswered) });
};

test(
  "a call whose server asks on its connection is written down in these commits",
  async () => {
    const turns = await live(undefined, true);
    const from = turns.findIndex((turn) => turn.includes("call.requested"));
    expect(turns.slice(from, from + COMMITS.length)).toEqual(COMMITS.map(typesOf));
  },
  LONG_MS,
);

describe("kill -9 around", () => {
  test.each(COMMITS.map((commit) => [commit.join(" "), commit] as const))(
    "%s: the call is in doubt, its question closed, its place free",
    (_, commit) => Promise.all(around(commit).map((point) => live(point))).then(() => undefined),
    LONG_MS,
  );
  test(
    "what is sealed of the question: it was never asked, and its call is in doubt",
    () => live("sealed:question").then(() => undefined),
    LONG_MS,
  );
  test(
    "the answer on its way to the server: it is answered, and given once",
    () => Promise.all((["before", "after"] as const).map((moment) => live({ method: "", moment }, true))).then(() => undefined),
    LONG_MS,
  );
});
