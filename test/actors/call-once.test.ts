import { describe, expect, test } from "bun:test";
import type { SessionCommand } from "../../actors/session-commands.ts";
import { NOW } from "../given.ts";
import { askOf, limited, sessionUnder } from "./limit-fixture.ts";

type Settle = Extract<SessionCommand, { readonly type: "settle" }>;
const under = (tool = "list") => sessionUnder(limited({}, { callOnce: [tool] }));
const after = (...settle: Partial<Settle>[]) => {
  const session = under();
  session.step(NOW, askOf("c_1"));
  for (const end of settle) session.step(NOW, { type: "settle", call: "c_1", certainty: "answered", ...end });
  return session;
};

describe("a tool that a session may call once", () => {
  test("is called once when two calls are made at the same time", () => {
    expect(after().step(NOW, askOf("c_2", "d2"))).toMatchObject([
      { type: "call.refused", data: { code: "refused", rule: "callOnce", verdicts: [{ gate: "call-once", outcome: "deny" }] } },
    ]);
  });

  test.each([
    ["answered", {}],
    ["in doubt", { certainty: "in_doubt", code: "timeout" }],
  ] as const)("is spent when its call is %s", (_, end) => {
    expect(after(end).ask(NOW, "d2")).toBe(false);
  });

  test.each([
    ["did nothing", { certainty: "not_applied", code: "not_connected" }],
    ["was refused by its server", { certainty: "not_applied", code: "in_doubt", twin: "c_0" }],
    ["ended with an error of the tool's own", { isError: true }],
  ] as const)("may be called again when its call %s", (_, end) => {
    const session = after(end);
    expect(session.ask(NOW, "d2", "r")).toBe(true);
    expect(session.ask(NOW, "d3", "r")).toBe(false);
  });

  test("may be called again when somebody has found that the doubtful call did nothing", () => {
    for (const by of ["agent:ada", "operator:grace"]) {
      const session = after({ certainty: "in_doubt", code: "timeout" });
      session.step(NOW, { type: "resolved", call: "c_1", outcome: "applied", by });
      expect(session.ask(NOW, "d2")).toBe(false);
      session.step(NOW, { type: "resolved", call: "c_1", outcome: "not_applied", by });
      expect(session.ask(NOW, "d2")).toBe(true);
    }
  });

  test("leaves the other tools alone, and * names them all", () => {
    const session = under();
    for (let call = 0; call < 3; call++) expect(session.ask(NOW, "d1", "r", "mail__send_mail")).toBe(true);
    const strict = under("*");
    expect(strict.ask(NOW, "d1", "r", "mail__send_mail")).toBe(true);
    expect(strict.ask(NOW, "d1", "r", "mail__send_mail")).toBe(false);
    expect(strict.ask(NOW, "d1", "r", "mail__list")).toBe(true);
  });
});
