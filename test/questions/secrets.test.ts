/** What somebody answers reaches its server and nobody else: it stands in no table, not in what is sealed, and not in what others are told. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY } from "../../actors/policy/defaults.ts";
import { createQuestionMetrics } from "../../src/doors/metrics-questions.ts";
import type { RunHook } from "../../src/effects/hook-reply.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { memoryLog, text } from "../harness.ts";
import { hookOf } from "../system/hooks-fixture.ts";
import { asks, form, handedBack, lastOf, mailPlace, questionIn } from "./fixture.ts";

const FREE = form("What is it called?", { name: { type: "string" } }, ["name"]);
const ONE = "xylophone seventeen umbrella";
const TWO = "marzipan forty locomotive";
const DEFAULT = "gooseberry nine lighthouse";

/** A place that is looked into afterwards: every table, everything sealed, every metric. */
function watched() {
  const log = memoryLog();
  const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
  const metrics = createQuestionMetrics((stream) => stream);
  const inside = (): string => {
    const tables = log.query<{ name: string }>("select name from sqlite_schema where type = 'table'");
    const rows = tables.flatMap(({ name }) => log.query<Record<string, unknown>>(`select * from "${name}"`));
    const shown = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value));
    const kept = sealed.names("question").map(({ name }) => sealed.get("question", name) ?? "");
    for (const event of log.page({ after: 0, limit: 10_000 })) metrics.handlers[event.type]?.(event as never);
    return [...rows.flatMap((row) => Object.values(row).map(shown)), ...kept, metrics.text()].join("\n");
  };
  return { log, sealed, holds: (value: string) => inside().includes(value) };
}

describe("nothing is kept of an answer", () => {
  test("that went to the server, while its call runs, when it asks again, and when it is over", async () => {
    const { holds, ...about } = watched();
    const { mail, place, ada, answer } = await handedBack(asks({ one: FREE }), {}, about);
    const { told } = await answer({ answers: { name: ONE } });
    expect(lastOf(mail).inputResponses).toEqual({ one: { action: "accept", content: { name: ONE } } });
    expect(holds(ONE)).toBe(false);
    mail.calls[1]?.answer(asks({ two: FREE }) as never);
    const next = questionIn(await told);
    expect(holds(ONE)).toBe(false);
    await answer({ answers: JSON.stringify({ name: TWO }) }, {}, ada, next);
    mail.calls[2]?.answer(text("sent"));
    await place.settle();
    for (const value of [ONE, TWO]) expect(holds(value)).toBe(false);
    expect(about.sealed.names("question")).toEqual([]);
    expect(holds("call.resumed")).toBe(true);
  });

  test("that was not sent: it did not fit, came too late, or stands where none is expected", async () => {
    const { holds, ...about } = watched();
    const { answer, ada, id } = await handedBack(asks({ one: FREE }), {}, about);
    await answer({ answers: { nickname: ONE } });
    await answer({ answers: ONE });
    await answer({ answers: { name: ONE } }, {}, ada, "q_none");
    await answer({ question_id: id, answers: [ONE] });
    await answer({ question_id: id, answer: { name: ONE }, Answers: { name: ONE }, name: ONE });
    await answer({ question_id: { name: ONE }, decline: ONE });
    await ada.call("mcp__toolcrib__MCP_Answer", { question_id: id, answers: { name: ONE } });
    await ada.call("mcp_invoke_tool", { server_name: "builtin", tool_name: "mcp_answer", arguments: { answers: { name: ONE } } });
    expect(holds(ONE)).toBe(false);
  });

  test("by an agent that may not answer", async () => {
    const { holds, ...about } = watched();
    const { answer, place } = await handedBack(asks({ one: FREE }), {}, about);
    await place.configure({}, "d2", { global: { ...DEFAULT_POLICY.global, deny: ["mcp_answer"] } });
    await answer({ answers: { name: ONE } });
    expect(holds(ONE)).toBe(false);
  });

  test("of an operator", async () => {
    const { holds, ...about } = watched();
    const { mail, place, id } = await handedBack(asks({ one: FREE }), {}, about);
    const outcome = await place.questions.answer({ id, given: { answers: { name: ONE } }, by: "operator:eve" });
    await place.settle();
    expect([outcome.ok, JSON.stringify(lastOf(mail).inputResponses).includes(ONE), holds(ONE)]).toEqual([true, true, false]);
  });

  test("by hooks that are told of the end of calls", async () => {
    const told: string[] = [];
    const runHook: RunHook = async (_, input) => {
      told.push(JSON.stringify(input));
      return { kind: "output", text: "" };
    };
    const policy = { postToolUse: [hookOf("watch", { observe: true })] };
    const { mail, place, answer } = await handedBack(asks({ one: FREE }), {}, { policy, runHook });
    const { told: outcome } = await answer({ answers: { name: ONE } });
    mail.calls[1]?.answer(text("sent"));
    await outcome;
    await place.settle();
    expect([told.some((input) => input.includes("mcp_answer")), told.some((input) => input.includes(ONE))]).toEqual([true, false]);
  });

  test("of the other forms of its round: defaults are the operator's, and only sealed", async () => {
    const { holds, ...about } = watched();
    const nick = form("And for short?", { nick: { type: "string" } }, ["nick"]);
    const { mail, answer } = await handedBack(asks({ one: FREE, nick }), { defaults: { nick: DEFAULT } }, about);
    await answer({ answers: { name: ONE } });
    expect(lastOf(mail).inputResponses).toEqual({
      one: { action: "accept", content: { name: ONE } },
      nick: { action: "accept", content: { nick: DEFAULT } },
    });
    expect(holds(ONE)).toBe(false);
  });
});

test("what was sealed opens in no other place, and a question whose seal is gone lapses", async () => {
  const { holds: _, ...about } = watched();
  const { place, id, answer } = await handedBack(asks({ one: FREE }), {}, about);
  about.sealed.remove("question", id);
  const refused = await (await answer({ answers: { name: ONE } })).told;
  expect([refused.isError, place.views.question(id)?.status, place.views.doubts("ada")]).toEqual([true, "lapsed", []]);
});

test("a secret in what a server asks is not shown", async () => {
  const secret = "hunter2-hunter2-hunter2";
  const vaulted = await mailPlace({}, { secrets: [{ name: "MAIL", value: secret }] });
  const result = await vaulted.interrupted(asks({ which: form(`Is it ${secret}?`, { size: { enum: ["s", "m"] } }) }));
  expect(JSON.stringify(result)).not.toContain(secret);
});

test("a secret that stands where a long message is cut is hidden whole", async () => {
  const secret = "correct-horse-battery-staple";
  const { mail, place, ada } = await mailPlace({}, { secrets: [{ name: "passphrase", value: secret }] });
  const call = ada.call("mail__send", { to: "bob" });
  await place.settle();
  const message = `${"m".repeat(7980)}${secret} and more`;
  mail.calls[0]?.answer(asks({ one: form(message, { name: { type: "string" } }) }) as never);
  await place.settle();
  mail.calls[1]?.answer(text("done"));
  expect(JSON.stringify(await call)).not.toContain("correct-horse");
  const [asked] = place.log.page({ after: 0, limit: 100, type: "call.questioned" });
  expect(JSON.stringify(asked?.payload)).toContain("mmm");
  expect(JSON.stringify(asked?.payload)).not.toContain("correct-horse");
});

describe("a secret in a server's form", () => {
  const secrets = [{ name: "token", value: "open-sesame-1234" }];
  const holding = (property: object) => asks({ one: form("Which?", { name: { type: "string", ...property } }) });

  test.each([
    ["a title", { title: "as open-sesame-1234" }],
    ["a description", { description: "open-sesame-1234" }],
    ["the title of an option", { oneOf: [{ const: "a", title: "open-sesame-1234" }] }],
    ["the other way to title one", { enum: ["a"], enumNames: ["open-sesame-1234"] }],
  ])("that is %s is shown to nobody, and the question can be answered", async (_, property) => {
    const { mail, result, answer } = await handedBack(holding(property), {}, { secrets });
    expect(JSON.stringify(result)).toContain("[REDACTED secret #");
    expect(JSON.stringify(result)).not.toContain("open-sesame-1234");
    await answer({ answers: { name: "a" } });
    expect(lastOf(mail).inputResponses).toEqual({ one: { action: "accept", content: { name: "a" } } });
  });

  test("that is an option declines it: nobody could be shown what to choose", async () => {
    const { mail, place, ada } = await mailPlace({}, { secrets });
    const told = ada.call("mail__send", { to: "bob" });
    await place.settle();
    mail.calls[0]?.answer(holding({ enum: ["open-sesame-1234", "b"] }) as never);
    await place.settle();
    expect(lastOf(mail).inputResponses).toEqual({ one: { action: "decline" } });
    mail.calls[1]?.answer(text("not sent"));
    expect(JSON.stringify(await told)).not.toContain("open-sesame-1234");
  });

  test("whose marker somebody gives back as an answer is no answer", async () => {
    const { mail, place, id } = await handedBack(holding({ title: "as open-sesame-1234" }), {}, { secrets });
    const given = { answers: { name: "[REDACTED secret #0123abcd]" } };
    expect(await place.questions.answer({ id, given, by: "operator:eve" })).toMatchObject({ ok: false, status: 422 });
    expect(mail.calls).toHaveLength(1);
    expect(place.views.question(id)).toMatchObject({ status: "open" });
  });
});
