/** A session that has read a stranger's words and private data asks before it writes to the outside: whatever the order, and nobody else. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY } from "../../actors/policy/defaults.ts";
import type { Label } from "../../events/policy.ts";
import { fakeServer, harness, text, tool } from "../harness.ts";

const labels: Record<string, Label[]> = { browse: ["untrusted"], vault: ["private"], post: ["external"] };

async function world(of: Readonly<Record<string, Label[]>> = labels) {
  const hints = (name: string) => (name === "open" ? { openWorldHint: true } : undefined);
  const web = fakeServer(["browse", "vault", "post", "open", "write"].map((name) => tool(name, hints(name))));
  const capabilities = { browse: "read", vault: "read", "*": "mutating" } as const;
  const made = await harness({ servers: { web }, policy: DEFAULT_POLICY, policies: { web: { capabilities, labels: of } } });
  await made.settle();
  const session = await made.session("s_1");
  return async (...names: string[]) => {
    const outcomes: string[] = [];
    for (const name of names) {
      void session.ask(`web__${name}`);
      await made.settle();
      outcomes.push(web.calls.length > 0 ? "sent" : "not sent");
      for (const { answer } of web.calls.splice(0)) answer(text("done"));
      await made.settle();
    }
    return outcomes;
  };
}

describe("a write to the outside", () => {
  test.each([
    [["browse", "post"], "sent"],
    [["vault", "post"], "sent"],
    [["browse", "vault", "write"], "sent"],
    [["browse", "vault", "post"], "not sent"],
    [["vault", "write", "browse", "post"], "not sent"],
    [["browse", "vault", "open"], "not sent"],
  ])("after %p is %s", async (names, outcome) => {
    const call = await world();
    expect((await call(...names)).at(-1)).toBe(outcome);
  });

  test("is not asked for where nobody has said what is private", async () => {
    const call = await world({});
    expect(await call("browse", "vault", "post", "open")).toEqual(["sent", "sent", "sent", "sent"]);
  });
});
