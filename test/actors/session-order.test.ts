import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NOW } from "../given.ts";
import { askOf, limited, sessionUnder } from "./limit-fixture.ts";

const READ = "mail__list";
const WRITE = "mail__send_mail";
const ORDER = { parallelReads: 2, orderedWrites: true };
const capabilities = { capabilities: { list: "read", send_mail: "mutating" } } as const;
const ordered = limited(ORDER, capabilities);

/** Calls that are asked for and end; tells which run. */
function run(catalogue = ordered) {
  const session = sessionUnder(catalogue);
  const running: string[] = [];
  const note = (events: readonly { type: string; data: object }[]) => {
    for (const { type, data } of events) {
      const { call, stage } = data as { call: string; stage?: string };
      if ((type === "call.requested" && !stage) || type === "call.admitted") running.push(call);
      if (type === "call.answered" && running.includes(call)) running.splice(running.indexOf(call), 1);
    }
    return running.join(" ");
  };
  return {
    session,
    note,
    ask: (call: string) => note(session.step(NOW, askOf(call, call, call.startsWith("r") ? READ : WRITE))),
    end: (call: string) => note(session.step(NOW, { type: "settle", call, certainty: "answered" })),
  };
}

describe("calls of a session that keeps an order", () => {
  test("reads run side by side up to the limit", () => {
    const { ask, end } = run();
    ask("r1");
    ask("r2");
    expect(ask("r3")).toBe("r1 r2");
    expect(end("r1")).toBe("r2 r3");
  });

  test("writes run one after the other, beside reads that came before them", () => {
    const { ask, end } = run();
    ask("r1");
    ask("w1");
    expect(ask("w2")).toBe("r1 w1");
    expect(end("w1")).toBe("r1 w2");
  });

  test("no read overtakes an earlier write, also when the write itself waits", () => {
    const { ask, end } = run();
    for (const call of ["w1", "w2", "r1", "r2", "r3"]) expect(ask(call)).toBe("w1");
    expect(end("w1")).toBe("w2");
    expect(end("w2")).toBe("r1 r2");
    expect(end("r2")).toBe("r1 r3");
  });

  test("without a limit of reads they only wait for writes; without an order of writes only reads wait", () => {
    const unlimited = run(limited({ ...ORDER, parallelReads: 0 }, capabilities));
    for (const call of ["r1", "r2", "r3"]) unlimited.ask(call);
    expect(unlimited.ask("w1")).toBe("r1 r2 r3 w1");
    expect(unlimited.ask("r4")).toBe("r1 r2 r3 w1");
    const free = run(limited({ ...ORDER, orderedWrites: false }, capabilities));
    for (const call of ["w1", "w2", "r1", "r2"]) free.ask(call);
    expect(free.ask("r3")).toBe("w1 w2 r1 r2");
  });

  test("the default profile holds nothing back and keeps no record", () => {
    const { session, ask } = run(limited({}, capabilities));
    for (const call of ["w1", "w2", "r1", "r2", "r3"]) ask(call);
    expect(Object.values(session.state.open).some(({ counted, queued }) => counted ?? queued)).toBe(false);
  });

  test("one that waits ends at its deadline, and can be cancelled", () => {
    const { session, ask } = run();
    for (const call of ["w1", "w2", "w3"]) ask(call);
    expect(session.step(NOW + 59_999, { type: "wake", key: "queue:w2" })).toEqual([]);
    expect(session.step(NOW + 60_000, { type: "wake", key: "queue:w2" })).toMatchObject([
      { type: "call.answered", data: { call: "w2", certainty: "not_applied", code: "timeout" } },
    ]);
    expect(session.step(NOW, { type: "cancel", call: "w3", by: "client" })).toMatchObject([
      { type: "call.unclaimed", data: { call: "w3", cancel: true } },
      { type: "call.answered", data: { call: "w3", certainty: "not_applied", code: "cancelled", unclaimed: true } },
    ]);
    expect(Object.keys(session.state.open)).toEqual(["w1"]);
  });

  test("a read that waits ends when its client leaves; a write goes out when its turn comes", () => {
    const { session, ask, end } = run();
    for (const call of ["w1", "w2", "r1"]) ask(call);
    session.step(NOW, { type: "leave", call: "r1" });
    session.step(NOW, { type: "leave", call: "w2" });
    expect(Object.keys(session.state.open)).toEqual(["w1", "w2"]);
    expect(end("w1")).toBe("w2");
  });

  test("one that may not be called any more is refused when its turn comes, and the next one goes out", () => {
    const { session, note, ask } = run();
    for (const call of ["w1", "w2", "r1"]) ask(call);
    const denied = limited(ORDER, { ...capabilities, deniedTools: ["send_mail"] });
    expect(note(session.step(NOW, { type: "settle", call: "w1", certainty: "answered" }, denied))).toBe("r1");
    expect(Object.keys(session.state.open)).toEqual(["r1"]);
  });

  test("so many may wait, and no more", () => {
    const small = { ...ordered, limits: { ...ordered.limits, waitingPerServer: 2 } };
    const { session, ask } = run(small);
    for (const call of ["w1", "w2", "w3"]) ask(call);
    expect(session.step(NOW, askOf("w4", "w4", WRITE))).toMatchObject([{ type: "call.refused", data: { code: "overloaded" } }]);
  });

  test("whatever is asked and whenever it ends: never two writes, never too many reads, nothing overtakes, all of them run", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom("r", "w"), fc.nat(5)), { maxLength: 60 }), (steps) => {
        const { session, ask, end } = run();
        const asked: string[] = [];
        const done = new Set<string>();
        const started: string[] = [];
        const check = (running: string) => {
          const now = running === "" ? [] : running.split(" ");
          for (const call of now) if (!started.includes(call)) started.push(call);
          expect(now.filter((call) => call.startsWith("w")).length).toBeLessThanOrEqual(1);
          expect(now.filter((call) => call.startsWith("r")).length).toBeLessThanOrEqual(2);
          for (const read of now.filter((call) => call.startsWith("r")))
            for (const earlier of asked.slice(0, asked.indexOf(read)))
              if (earlier.startsWith("w") && now.includes(earlier)) expect(started.indexOf(earlier)).toBeLessThan(started.indexOf(read));
          return now;
        };
        let now: string[] = [];
        const finish = (call: string | undefined) => {
          if (call === undefined) return;
          for (const read of now.filter((one) => one.startsWith("r")))
            expect(asked.slice(0, asked.indexOf(read)).filter((one) => one.startsWith("w") && !done.has(one))).toEqual([]);
          done.add(call);
          now = check(end(call));
        };
        for (const step of steps)
          if (typeof step === "number") finish(now[step]);
          else {
            asked.push(`${step}${asked.length}`);
            now = check(ask(asked.at(-1) ?? ""));
          }
        while (now.length > 0) finish(now[0]);
        expect(session.state.open).toEqual({});
        expect(started).toEqual(asked);
      }),
    );
  });
});
