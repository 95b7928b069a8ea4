/** Modern servers that ask instead of answering: what comes back, how the call goes on, and what they are told of us. */
import { afterEach, describe, expect, test } from "bun:test";
import { accept, asked, asking, askingOverHttp, askingOverStdio, further, stopAll } from "./asking-support.ts";
import { open, textOf } from "./support.ts";

afterEach(stopAll);

describe.each([
  ["HTTP", askingOverHttp],
  ["stdio", askingOverStdio],
] as const)("a server over %s", (_, start) => {
  test("asks, and does its work once it is answered", async () => {
    const server = start();
    const { downstream } = await open(server.target, { elicitation: true });
    const mail = asking("send_mail", { to: "bob" });
    const reply = await downstream.call(mail);
    expect(asked(reply)).toEqual({
      kind: "input_required",
      requests: {
        which: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: "Which mailbox?",
            requestedSchema: { type: "object", properties: { mailbox: { type: "string", enum: ["work", "home"] } }, required: ["mailbox"] },
          },
        },
      },
      requestState: expect.stringMatching(/^v1\./),
    });
    expect(server.executed()).toEqual([]);
    expect(textOf(await further(downstream, mail, reply, { which: accept({ mailbox: "home" }) }))).toBe("mail to bob from home");
    expect(server.executed()).toEqual(["mail to bob from home"]);
  });

  test("asks several things at once, and in several rounds", async () => {
    const { target, executed } = start();
    const { downstream } = await open(target, { elicitation: true });
    const both = asking("introduce");
    const reply = await downstream.call(both);
    expect(Object.keys(asked(reply).requests)).toEqual(["first", "second"]);
    const answers = { first: accept({ name: "Ann" }), second: accept({ name: "Bo", age: 7 }) };
    const done = 'introduced {"first":{"name":"Ann"},"second":{"name":"Bo","age":7}}';
    expect(textOf(await further(downstream, both, reply, answers))).toBe(done);

    const interview = asking("interview", { rounds: 3 });
    let round = await downstream.call(interview);
    for (const word of ["to", "be", "or"]) round = await further(downstream, interview, round, { next: accept({ word }) });
    expect(textOf(round)).toBe("interviewed to be or");
    expect(executed()).toEqual([done, "interviewed to be or"]);
  });

  test("hears that nobody wants to answer, and may ask for what is missing once more", async () => {
    const { target, executed } = start();
    const { downstream } = await open(target, { elicitation: true });
    const mail = asking("send_mail", { to: "bob" });
    const reply = await downstream.call(mail);
    expect(asked(await further(downstream, mail, reply, {})).requests).toHaveProperty("which");
    expect(await further(downstream, mail, reply, { which: { action: "decline" } })).toMatchObject({ result: { isError: true } });
    expect(await further(downstream, mail, reply, { which: { action: "cancel" } })).toMatchObject({ result: { isError: true } });
    expect(executed()).toEqual([]);
  });

  test("may only want to be called again", async () => {
    const { downstream } = await open(start().target, { elicitation: true });
    const reply = await downstream.call(asking("come_back"));
    expect(asked(reply).requests).toEqual({});
    expect(textOf(await further(downstream, asking("come_back"), reply, {}))).toBe("came back");
  });

  test("does not know its own state when it was changed, or is too old", async () => {
    const { downstream } = await open(start().target, { elicitation: true });
    const mail = asking("send_mail", { to: "bob" });
    const { requestState = "" } = asked(await downstream.call(mail));
    const answers = { which: accept({ mailbox: "home" }) };
    const changed = { ...mail, inputResponses: answers, requestState: `${requestState.slice(0, -3)}AAA` };
    expect(await downstream.call(changed)).toMatchObject({ kind: "rpc_error", code: -32602 });
    const late = await open(start(-5).target, { elicitation: true });
    expect(await further(late.downstream, mail, await late.downstream.call(mail), answers)).toMatchObject({
      kind: "rpc_error",
      code: -32602,
    });
  });

  test("goes on with a call after it was started again, and does it again when it is told twice", async () => {
    const first = await open(start().target, { elicitation: true });
    const mail = asking("send_mail", { to: "bob" });
    const reply = await first.downstream.call(mail);
    await first.downstream.close();
    const next = start();
    const { downstream } = await open(next.target, { elicitation: true });
    const answers = { which: accept({ mailbox: "work" }) };
    for (let i = 0; i < 2; i++) expect(textOf(await further(downstream, mail, reply, answers))).toBe("mail to bob from work");
    expect(next.executed()).toHaveLength(2);
  });

  test.each([
    ["the caller does not say that it deals with questions", { elicitation: true }, {}],
    ["the caller only deals with tasks", { elicitation: true }, { accepts: { tasks: true } }],
    ["the connection must not ask", { elicitation: false }, { accepts: { questions: true } }],
  ])("refuses to ask when %s", async (_why, options, accepts) => {
    const { target, executed } = start();
    const { downstream } = await open(target, options);
    expect(await downstream.call({ tool: "send_mail", arguments: { to: "bob" }, ...accepts })).toMatchObject({
      kind: "rpc_error",
      code: -32021,
      data: { requiredCapabilities: { elicitation: {} } },
    });
    expect(executed()).toEqual([]);
    expect(textOf(await downstream.call({ tool: "plain", arguments: { value: 1 } }))).toBe("plain 1");
  });

  test.each(["state", "schema", "many", "fields", "message", "imitation", "endless"])(
    "is passed on as it came, also when it is hostile (%s)",
    async (variant) => {
      const { downstream, closed } = await open(start().target, { elicitation: true });
      const reply = asked(await downstream.call(asking("hostile", { variant })));
      if (variant === "state") expect(reply.requestState).toHaveLength(1024 * 1024);
      expect(Object.keys(reply.requests)).toHaveLength(variant === "many" ? 10_000 : 1);
      expect(closed).toEqual([]);
    },
  );
});
