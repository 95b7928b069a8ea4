import { describe, expect, test } from "bun:test";
import { Session } from "../../actors/session.ts";
import { CallAnswered, CallRefused, CallRequested, CallUnclaimed } from "../../events/call.ts";
import { SessionBequeathed, SessionInherited, SessionOpened } from "../../events/session.ts";
import { given } from "../given.ts";
import { catalogueOf } from "./fixtures.ts";

const opening = { agent: "ada", name: "desk", client: "cli", era: "legacy", profile: "default" } as const;
const opened = SessionOpened(opening);
const args = { to: "grace@example.org" };
const ask = { type: "ask", call: "c_1", name: "mail__send_mail", digest: "d1", timeoutMs: 60_000, payload: args } as const;
const request = {
  call: "c_1",
  name: "mail__send_mail",
  digest: "d1",
  timeoutMs: 60_000,
  server: "mail",
  tool: "send_mail",
  capability: "mutating",
  rule: "default-allow",
} as const;
const requested = CallRequested(request, args);
const settle = { type: "settle", call: "c_1", certainty: "answered" } as const;

describe("a session", () => {
  test("is opened once", () => {
    given(Session)
      .when({ type: "open", ...opening })
      .emits(opened);
    given(Session, opened)
      .when({ type: "open", ...opening })
      .emits();
  });

  test("asks the server that the catalogue names", () => {
    const { rule: _r, server: _s, ...dispatch } = request;
    given(Session, opened)
      .as("session/s_1")
      .with(catalogueOf())
      .when(ask)
      .emits(requested)
      .causes({
        type: "tell",
        to: "server/mail",
        command: { type: "dispatch", session: "s_1", agent: "ada", scope: { profile: "default", client: "cli" }, ...dispatch },
      });
  });

  test("takes the operator's word on what a tool may do, then a trusted server's, else it is mutating", () => {
    const capability = (policy: Parameters<typeof catalogueOf>[0], name: string) => {
      const [event] = given(Session, opened)
        .with(catalogueOf(policy))
        .when({ ...ask, name }).events;
      return event?.type === "call.requested" ? event.data.capability : undefined;
    };
    expect(capability({}, "mail__list")).toBe("mutating");
    expect(capability({ trusted: true }, "mail__list")).toBe("read");
    expect(capability({ trusted: true }, "mail__send_mail")).toBe("mutating");
    expect(capability({ capabilities: { "*": "idempotent", list: "read" } }, "mail__list")).toBe("read");
    expect(capability({ capabilities: { "*": "idempotent" }, trusted: true }, "mail__list")).toBe("idempotent");
  });

  test.each([
    ["a tool that nobody offers", "mail__burn", {}, "unknown-tool"],
    ["a tool that its server entry denies", "mail__send_mail", { deniedTools: ["SEND_mail"] }, "server-tool-lists"],
    ["a tool outside the allowed ones", "mail__send_mail", { allowedTools: ["list"] }, "server-tool-lists"],
    ["a tool both allowed and denied", "mail__list", { allowedTools: ["list"], deniedTools: ["list"] }, "server-tool-lists"],
  ])("refuses %s as not found, and answers at once", (_, name, policy, rule) => {
    const reason = "no such tool is offered here";
    given(Session, opened)
      .with(catalogueOf(policy))
      .when({ ...ask, name })
      .emits(CallRefused({ call: "c_1", name, code: "tool_not_found", rule }, { arguments: args, reason }))
      .causes({ type: "refuse", call: "c_1", code: "tool_not_found", rule, reason });
  });

  test("refuses what the door found fault with, whatever the tool", () => {
    const refusal = { code: "invalid_arguments", rule: "bounds" } as const;
    const payload = { arguments: args, reason: "too deep" };
    given(Session, opened)
      .with(catalogueOf())
      .when({ ...ask, refusal, payload })
      .emits(CallRefused({ call: "c_1", name: "mail__send_mail", ...refusal }, payload))
      .causes({ type: "refuse", call: "c_1", ...refusal, reason: "too deep" });
  });

  test("answers with the outcome, once", () => {
    const answered = CallAnswered({ call: "c_1", certainty: "answered" });
    given(Session, opened, requested).when(settle).emits(answered).causes({ type: "reply", call: "c_1", certainty: "answered" });
    given(Session, opened, requested, answered).when(settle).emits();
  });
});

describe("a client that leaves", () => {
  test("cancels a read, and nobody is told of it later", () => {
    const read = CallRequested({ ...request, capability: "read" });
    given(Session, opened, read)
      .when({ type: "leave", call: "c_1" })
      .emits(CallUnclaimed({ call: "c_1", cancel: true }))
      .causes({ type: "tell", to: "server/mail", command: { type: "cancel", call: "c_1", by: "client" } });
    expect(given(Session, opened, read, CallUnclaimed({ call: "c_1", cancel: true })).when(settle).state.notices).toEqual([]);
  });

  test("cancels nothing else: the outcome is announced with the next result, once", () => {
    const left = CallUnclaimed({ call: "c_1", cancel: false });
    given(Session, opened, requested).when({ type: "leave", call: "c_1" }).emits(left).causes();
    const second = CallRequested({ ...request, call: "c_2" });
    const past = [opened, requested, left, CallAnswered({ call: "c_1", certainty: "answered" }), second] as const;
    given(Session, ...past)
      .when({ ...settle, call: "c_2" })
      .emits(CallAnswered({ call: "c_2", certainty: "answered", notices: ["c_1"] }));
    const told = CallAnswered({ call: "c_2", certainty: "answered", notices: ["c_1"] });
    given(Session, ...past, told, CallRequested({ ...request, call: "c_3" }))
      .when({ ...settle, call: "c_3" })
      .emits(CallAnswered({ call: "c_3", certainty: "answered" }));
  });

  test("hears once more what an answer told that verifiably was not written", () => {
    given(Session, opened)
      .when({ type: "undelivered", calls: ["c_1"] })
      .emits(CallUnclaimed({ call: "c_1", cancel: false }));
  });

  test("with an explicit cancel stops a call of any kind, once", () => {
    const state = given(Session, opened, requested);
    state.when({ type: "cancel", call: "c_1", by: "client" }).emits(CallUnclaimed({ call: "c_1", cancel: true }));
    given(Session, opened, requested, CallUnclaimed({ call: "c_1", cancel: true }))
      .when({ type: "cancel", call: "c_1", by: "client" })
      .emits();
  });
});

test("what was asked for natively leaves the notices to the next result that has room for them", () => {
  const noticed = CallUnclaimed({ call: "c_0", cancel: false });
  const native = CallRequested({ ...request, native: true });
  const answered = CallAnswered({ call: "c_1", certainty: "answered" });
  given(Session, opened, noticed, native).when(settle).emits(answered);
  given(Session, opened, noticed, native, answered, CallRequested({ ...request, call: "c_2" }))
    .when({ ...settle, call: "c_2" })
    .emits(CallAnswered({ call: "c_2", certainty: "answered", notices: ["c_0"] }));
});

describe("a doubt that is resolved", () => {
  test("is announced when somebody else resolved it", () => {
    given(Session, opened)
      .when({ type: "resolved", call: "c_1", by: "server" })
      .emits(CallUnclaimed({ call: "c_1", cancel: false }));
  });
  test("is not announced to the agent that said it", () => {
    given(Session, opened).when({ type: "resolved", call: "c_1", by: "agent:ada" }).emits();
  });
});

describe("a session that is gone", () => {
  const left = CallUnclaimed({ call: "c_1", cancel: false });
  const over = CallAnswered({ call: "c_1", certainty: "in_doubt", code: "in_doubt" });

  test("leaves nobody waiting after a restart", () => {
    given(Session, opened, requested).whenRestarted().emits(left);
    given(Session, opened, requested, left).whenRestarted().emits();
  });

  test("hands what it has not announced to its heir", () => {
    given(Session, opened, requested, left, over)
      .as("session/s_1")
      .when({ type: "bequeath", to: "s_2" })
      .emits(SessionBequeathed({ to: "s_2", calls: ["c_1"] }))
      .causes({ type: "tell", to: "session/s_2", command: { type: "inherit", from: "s_1", calls: ["c_1"] } });
  });

  test("hands on what turns up later, too", () => {
    given(Session, opened, requested, left, SessionBequeathed({ to: "s_2", calls: [] }))
      .when({ type: "settle", call: "c_1", certainty: "in_doubt", code: "timeout" })
      .emits(
        CallAnswered({ call: "c_1", certainty: "in_doubt", code: "timeout", unclaimed: true }),
        SessionBequeathed({ to: "s_2", calls: ["c_1"] }),
      );
  });

  test("an heir announces what it inherited", () => {
    given(Session, opened)
      .when({ type: "inherit", from: "s_1", calls: ["c_1"] })
      .emits(SessionInherited({ from: "s_1", calls: ["c_1"] }));
    given(Session, opened, SessionInherited({ from: "s_1", calls: ["c_1"] }), CallRequested({ ...request, call: "c_2" }))
      .when({ ...settle, call: "c_2" })
      .emits(CallAnswered({ call: "c_2", certainty: "answered", notices: ["c_1"] }));
  });
});

test("a session is quiet when nothing is open", () => {
  expect(Session.isQuiet(given(Session, opened).when({ type: "leave", call: "c_9" }).state)).toBe(true);
  expect(Session.isQuiet(given(Session, opened, requested).when({ type: "leave", call: "c_9" }).state)).toBe(false);
});
