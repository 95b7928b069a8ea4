/** kill -9 around every commit of a call that its client follows as a task: its handle stays good, its question is answered once, and it has an end. */
import { describe, expect, test } from "bun:test";
import { askingServer } from "../../fixtures/servers/asking-server.ts";
import { until } from "../daemon-fixture.ts";
import { type Agent, around, type Commit, type Desk, type Json, type Life, liveOn, openDesk, typesOf } from "./desk.ts";
import { programUnderTest } from "./gateway.ts";

const binary = programUnderTest();
const LONG_MS = 60_000;
const ACT = "mail to bob from work";
const ANSWERS = { which: { action: "accept", content: { mailbox: "work" } } };

interface Seen {
  /** As the client got it. */
  readonly task: string;
  readonly inputRequests: unknown;
  readonly end: Json;
}
type Saw = { -readonly [K in keyof Seen]?: Seen[K] };
type Point = NonNullable<Life<Seen>["point"]>;

const send = async (agent: Agent, seen: Saw) => {
  const result = await agent.mcp("tools/call", "desk__send_mail", { name: "desk__send_mail", arguments: { to: "bob" } });
  if (result["resultType"] === "task") seen.task = String(result["taskId"]);
  return result;
};
/** Answers what it asks until it is over. */
const follow = async (agent: Agent, seen: Saw, task: string) => {
  const asked: unknown[] = [];
  seen.end = await until("the task is over", async () => {
    const now = await agent.mcp("tasks/get", task, { taskId: task });
    expect(now["taskId"]).toBe(task);
    if (now["inputRequests"] !== undefined && asked.length === 0) {
      seen.inputRequests = now["inputRequests"];
      asked.push(seen.inputRequests);
      await agent.mcp("tasks/update", task, { taskId: task, inputResponses: ANSWERS });
    }
    return ["working", "input_required"].includes(String(now["status"])) ? undefined : now;
  });
  return asked;
};
const act = async (agent: Agent, seen: Saw) => {
  await send(agent, seen);
  await follow(agent, seen, seen.task ?? "");
};

const goOn =
  (desk: Desk) =>
  async (agent: Agent, before: Saw): Promise<void> => {
    const seen: Saw = {};
    const [row, ...others] = await agent.tasks();
    expect(others).toEqual([]);
    if (before.task) expect(row?.["id"]).toBe(before.task);
    if (row === undefined && desk.executed().length === 0) {
      // Nobody has a handle: the call is made again, unless it was sent.
      const result = await send(agent, seen);
      if (seen.task === undefined) expect(JSON.stringify(result)).toContain("in_doubt");
    } else seen.task = row?.["id"] ?? "";
    if (seen.task === undefined) return;
    const asked = await follow(agent, seen, seen.task);
    if (asked.length > 0 && before.inputRequests) expect(asked).toEqual([before.inputRequests]);
    const text = JSON.stringify(seen.end?.["result"]);
    expect(seen.end).toMatchObject({ status: "completed" });
    if (before.end) expect(text).toBe(JSON.stringify(before.end["result"]));
    if (text.includes(ACT)) expect(desk.executed()).toEqual([ACT]);
    else expect(seen.end).toMatchObject({ result: { isError: true, structuredContent: { error: { code: "in_doubt" } } } });
    expect(desk.executed().length).toBeLessThanOrEqual(1);
    expect(desk.heard.filter(({ answered }) => answered.length > 0).length).toBeLessThanOrEqual(1);
    expect((await agent.questions()).filter(({ status }) => status === "open")).toEqual([]);
    await until("that it was told is known", async () => (await agent.tasks())[0]?.["delivered"]);
    expect((await agent.mcp("tasks/get", seen.task, { taskId: seen.task }))["result"]).toEqual(seen.end?.["result"]);
  };

const live = (point?: Point) => {
  const desk = openDesk(askingServer());
  const entry = { elicitation: { mode: "handback" } };
  return liveOn<Seen>(binary, { desk, entry, more: { tasks: { offer: "always" } }, ...(point && { point }), act, goOn: goOn(desk) });
};
/** Two at a time. */
const both = (points: readonly [Point, Point]) => Promise.all(points.map(live)).then(() => undefined);

const COMMITS: readonly Commit[] = [
  ["task.offered", "call.unclaimed"],
  ["call.questioned", "question.opened", "call.suspended", "task.polled", "call.unclaimed:2", "outcome.noted"],
  ["question.answered", "call.resumed", "task.polled:2"],
  ["call.settled", "call.answered", "task.settled"],
  ["outcome.told:2", "task.delivered"],
];

test(
  "it is written down in these commits, and all of it is known after a kill",
  async () => {
    const turns = await live();
    for (const commit of COMMITS) expect(turns).toContainEqual(typesOf(commit));
  },
  LONG_MS,
);

describe("kill -9 around", () => {
  test.each(COMMITS.map((commit) => [commit.join(" "), commit] as const))(
    "%s: its handle stays good",
    (_, commit) => both(around(commit)),
    LONG_MS,
  );
  test(
    "the work of the server on the answers: the call is in doubt, and its task is over",
    async () => {
      await both([
        { method: "tools/call", moment: "before" },
        { method: "tools/call", moment: "after" },
      ]);
    },
    LONG_MS,
  );
});
