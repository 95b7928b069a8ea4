/** kill -9 around every event of a task that asks, is stopped or is announced: it is never lost, asks nothing twice, and its outcome is told once. */
import { describe, expect, test } from "bun:test";
import { taskServer } from "../../fixtures/servers/task-server.ts";
import { until } from "../daemon-fixture.ts";
import { type Agent, around, type Commit, type Desk, type Life, liveOn, openDesk, type Reply, typesOf } from "./desk.ts";
import { programUnderTest } from "./gateway.ts";

const binary = programUnderTest();
/** Looking may be repeated. */
const WITH_TASKS = { elicitation: { mode: "handback" }, tasks: true, tools: { release: { capability: "read" } } };
const LONG_MS = 60_000;

interface Seen {
  /** As the agent got it. */
  readonly started: Reply;
  readonly question: string;
  readonly cancelled: Reply;
  readonly told: Reply;
}
type Saw = { -readonly [K in keyof Seen]?: Seen[K] };

const idOf = (started: Reply): string => (started.structured["task"] as { id: string }).id;
const look = (agent: Agent) => agent.call("desk__release", { key: "nothing" });
const isOver = ({ settledAt }: Readonly<Record<string, unknown>>): boolean => settledAt !== undefined;
const openOf = async (agent: Agent) => (await agent.questions()).filter(({ status }) => status === "open");
const answer = (agent: Agent, id = "") => agent.call("mcp_answer", { question_id: id, answers: { name: "ada" } });

/** Answers what is asked until it is over. */
async function follow(agent: Agent, seen: Saw = {}) {
  const given = new Set<string>();
  return until("the task is over", async () => {
    const open = await openOf(agent);
    expect(open.length).toBeLessThanOrEqual(1);
    const id = open[0]?.["id"];
    if (id !== undefined && !given.has(id)) {
      seen.question = id;
      given.add(id);
      expect(await answer(agent, id)).toMatchObject({ isError: false });
    }
    return (await agent.tasks()).find(isOver);
  });
}

/** The tool, its arguments, what is in its result, and the end of its task. */
const WAY = {
  survey: ["survey", {}, "survey accept", "completed"],
  quick: ["quick", { value: "ada" }, "quick ada", "completed"],
  endless: ["endless", {}, "", "cancelled"],
} as const;
type Way = keyof typeof WAY;

const start = async (agent: Agent, seen: Saw, way: Way): Promise<string> => {
  const [tool, args] = WAY[way];
  seen.started = await agent.call(`desk__${tool}`, args);
  return idOf(seen.started);
};
const ACTS = {
  survey: async (agent: Agent, seen: Saw) => {
    const id = await start(agent, seen, "survey");
    await follow(agent, seen);
    seen.told = await agent.call("call_status", { id });
  },
  quick: async (agent: Agent, seen: Saw) => {
    await start(agent, seen, "quick");
    await follow(agent, seen);
    await look(agent);
  },
  endless: async (agent: Agent, seen: Saw) => {
    const id = await start(agent, seen, "endless");
    seen.cancelled = await agent.call("mcp_cancel_task", { task_id: id });
    await follow(agent, seen);
    seen.told = await agent.call("call_status", { id });
  },
} satisfies Record<Way, unknown>;

/** How often it was said in passing what became of it. */
const noticesOf = ({ heard }: Agent, id = ""): number => heard.filter((text) => text.includes(`, task ${id})`)).length;

type Point = NonNullable<Life<Seen>["point"]>;
const goOn =
  (desk: Desk, way: Way, point?: Point) =>
  async (agent: Agent, seen: Saw): Promise<void> => {
    const [tool, args, result, end] = WAY[way];
    const carriedOut = () => desk.executed().filter((what) => !what.startsWith("release"));
    let [task, ...others] = await agent.tasks();
    expect(others).toEqual([]);
    if (seen.started) expect(task?.["id"]).toBe(idOf(seen.started));
    if (seen.question) expect((await agent.questions()).map(({ id }) => id)).toContain(seen.question);
    const { structured } = await agent.call("call_status");
    const doubts = structured["doubts"] as readonly unknown[];
    expect(doubts.length).toBeLessThanOrEqual(1);
    if (task === undefined && doubts.length > 0) {
      // It was sent, and nobody knows what it became: it is not sent again.
      expect(await agent.call(`desk__${tool}`, args)).toMatchObject({ code: "in_doubt" });
      expect(carriedOut().length).toBeLessThanOrEqual(1);
      return;
    }
    expect(doubts).toEqual([]);
    if (task === undefined) {
      expect(carriedOut()).toEqual([]);
      await ACTS[way](agent, seen);
      [task] = await agent.tasks();
    }
    const { id, delivered: wasDelivered } = (task ?? {}) as { id?: string; delivered?: boolean };
    const listed = structured["tasks"] as readonly unknown[];
    if (seen.started && listed.length === 0) expect((await agent.tasks()).filter(isOver)).toHaveLength(1);
    if (way === "endless" && !seen.cancelled) await agent.call("mcp_cancel_task", { task_id: id });
    expect(await follow(agent)).toMatchObject({ id, status: end });

    // It is told in passing, unless the agent was told when it asked; an answer that the kill cut off is not told again.
    await look(agent);
    if (!wasDelivered && point !== "before:task.delivered") expect(noticesOf(agent, id)).toBe(1);
    const status = await agent.call("call_status", { id });
    expect(status.structured).toMatchObject({ id, status: end });
    expect(JSON.stringify(status.structured["result"] ?? "")).toContain(result);
    await look(agent);
    expect(noticesOf(agent, id)).toBeLessThanOrEqual(1);
    expect(await agent.tasks()).toMatchObject([{ id, delivered: true }]);

    expect(carriedOut()).toHaveLength(1);
    expect(desk.heard.filter(({ answered }) => answered.length > 0)).toHaveLength(way === "survey" ? 1 : 0);
    if (way === "endless") expect(desk.heard.some(({ method }) => method === "tasks/cancel")).toBe(true);
    expect(await openOf(agent)).toEqual([]);
    expect((await agent.call("call_status")).structured).toMatchObject({ open: [], doubts: [] });
  };

const live = (way: Way, point?: Point) => {
  const desk = openDesk(taskServer());
  return liveOn<Seen>(binary, { desk, entry: WITH_TASKS, ...(point && { point }), act: ACTS[way], goOn: goOn(desk, way, point) });
};
/** Two at a time. */
const both = (way: Way, points: readonly [Point, Point]) => Promise.all(points.map((point) => live(way, point)));

/** In this order, without those of the agent's other calls. */
const COMMITS: readonly Commit[] = [
  ["task.started", "call.suspended", "call.unclaimed"],
  ["task.polled"],
  ["call.questioned", "question.opened", "outcome.noted"],
  ["question.answered", "task.polled:2"],
  ["call.settled:2", "call.answered:2", "task.settled"],
  ["outcome.told", "task.delivered"],
];

test(
  "a task is written down in these commits, and all of it is known after a kill",
  async () => {
    const turns = await live("survey");
    for (const commit of COMMITS) expect(turns).toContainEqual(typesOf(commit));
  },
  LONG_MS,
);

describe("kill -9 around", () => {
  test.each(COMMITS.map((commit) => [commit.join(" "), commit] as const))(
    "%s: a task that asks is not lost, and told once",
    (_, commit) => both("survey", around(commit)).then(() => undefined),
    LONG_MS,
  );
  test.each([
    ["the sealing of the server's own id, and of the question", "sealed:task", "sealed:question"],
    ["the server's work on the answers", { method: "tasks/update", moment: "before" }, { method: "tasks/update", moment: "after" }],
    ["the note that they arrived, and a look at its state", "sealed:task:2", { method: "tasks/get", moment: "after" }],
  ] as const)("%s: its answers are sent once", (_, one, other) => both("survey", [one, other]).then(() => undefined), LONG_MS);
  test.each([["task.settled"], ["task.delivered"]])(
    "%s: an outcome is told in passing, once",
    (event) => both("quick", around([event])).then(() => undefined),
    LONG_MS,
  );
  test(
    "the wish to stop it: it stays, and its server hears it",
    async () => {
      await both("endless", around(["task.cancelling"]));
      await both("endless", [
        { method: "tasks/cancel", moment: "before" },
        { method: "tasks/cancel", moment: "after" },
      ]);
      await both("endless", around(["task.settled"]));
    },
    LONG_MS,
  );
});
