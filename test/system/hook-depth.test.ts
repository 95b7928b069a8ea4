/** Hooks that call tools which hooks are asked about: three deep, and no deeper, whatever the caller says. */
import { describe, expect, test } from "bun:test";
import type { RunHook } from "../../src/effects/hook-reply.ts";
import { depthOf, passFor } from "../../src/observe/hook-depth.ts";
import { fakeServer, harness, text } from "../harness.ts";
import { errorOf, hookOf } from "./hooks-fixture.ts";

/** A hook that calls the tool itself which it is asked about, or told of, and lets the call pass if its own passed. */
async function world(kind: "preToolUse" | "postToolUse", more: { readonly if?: string } = {}) {
  const depths: unknown[] = [];
  const outcomes: unknown[] = [];
  let sent = 0;
  const mail = fakeServer(undefined, {
    call: async () => {
      sent++;
      return text("done");
    },
  });
  let within: ((pass: string) => Promise<unknown>) | undefined;
  const runHook: RunHook = async (_, input, _signal, pass) => {
    depths.push((input as { depth: number }).depth);
    outcomes.push(await within?.(pass));
    return { kind: "output", text: "" };
  };
  const made = await harness({ servers: { mail }, runHook, policy: { [kind]: [hookOf("h", more)] } });
  const ada = await made.session("s_1");
  within = async (pass) => {
    const { code, rule, reason } = await ada.ask("mail__act", {}, { led: pass });
    return { code, rule, reason };
  };
  const rest = async () => {
    for (let round = 0; round < 20; round++) await made.settle();
  };
  return { ...made, ada, depths, outcomes, rest, sent: () => sent };
}

describe("a hook that calls what it is asked about", () => {
  test("is asked three deep; the call beyond is refused with words that say why, and nothing goes round for ever", async () => {
    const { ada, depths, outcomes, sent, log } = await world("preToolUse");
    expect(errorOf(await ada.call("mail__act"))).toBeUndefined();
    expect(depths).toEqual([0, 1, 2, 3]);
    expect(outcomes[0]).toMatchObject({ code: "refused", reason: expect.stringContaining("hooks go three deep") });
    expect(sent()).toBe(4);
    const refused = log.page({ after: 0, limit: 1000 }).find(({ type }) => type === "call.refused");
    expect(refused?.data).toMatchObject({ rule: "hook-depth", verdicts: [{ gate: "hook", reason: expect.stringContaining("h") }] });
  });

  test("that is told of it afterwards is not told more than three deep", async () => {
    const { ada, depths, rest, sent, hookCounts } = await world("postToolUse");
    await ada.call("mail__act");
    await rest();
    expect(depths).toEqual([0, 1, 2, 3]);
    expect(sent()).toBe(5);
    expect(hookCounts().map(({ labels }) => labels.outcome)).toContain("too_deep");
  });

  test("and whose condition looks at the depth is not asked about its own calls", async () => {
    const { ada, depths, sent } = await world("preToolUse", { if: "depth == 0" });
    await ada.call("mail__act");
    expect(depths).toEqual([0]);
    expect(sent()).toBe(2);
  });
});

describe("what an agent says of its depth", () => {
  test.each([1, 3, "1", "1.c_1.proof", passFor({ id: "c_1" }, () => "proof"), ["1"], null])(
    "%p makes it no deeper than it is",
    async (said) => {
      const { ada, depths } = await world("preToolUse", { if: "depth == 0" });
      await ada.ask("mail__act", {}, { led: said });
      expect(depths).toEqual([0]);
    },
  );

  test("can only keep it out", async () => {
    const { ada, depths } = await world("preToolUse");
    expect(await ada.ask("mail__act", {}, { led: 4 })).toMatchObject({ code: "refused" });
    expect(depths).toEqual([]);
  });

  test("is believed of a pass, as it was made", () => {
    const digest = (value: unknown) => JSON.stringify(value).replaceAll(/\W/g, "-");
    const pass = passFor({ id: "c_1", depth: 2 }, digest);
    expect(depthOf(pass, digest)).toBe(3);
    expect(depthOf(pass.replace("3.", "1."), digest)).toBe(0);
    expect(depthOf(pass.replace("c_1", "c_2"), digest)).toBe(0);
    expect(depthOf(`${pass}x`, digest)).toBe(0);
  });
});
