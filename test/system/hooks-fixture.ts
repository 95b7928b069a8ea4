/** The kernel with hooks that are functions, and a server that answers with what it was sent. */
import type { Hook } from "../../events/policy.ts";
import type { HookReply, RunHook } from "../../src/effects/hook-reply.ts";
import { fakeServer, harness, text } from "../harness.ts";

export interface Input {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}
export type Answers = Readonly<Record<string, (input: Input) => object | HookReply["kind"] | "never">>;

export const hookOf = (name: string, more: Partial<Hook> = {}): Hook => ({
  name,
  matcher: "",
  type: "command",
  digest: "h1",
  timeoutMs: 5000,
  onTimeout: "block",
  observe: false,
  ...more,
});

/** Hooks that are functions: an object is their output, a word how they end. */
function running(answers: Answers) {
  const inputs: Input[] = [];
  let ended = 0;
  const runHook: RunHook = (hook, input, signal) => {
    inputs.push(input as Input);
    const said = answers[hook.name]?.(input as Input) ?? "output";
    signal.addEventListener("abort", () => ended++, { once: true });
    if (said === "never") return new Promise(() => undefined);
    if (said === "failed") return Promise.resolve({ kind: "failed", reason: "it exited with code 3" });
    if (said === "blocked") return Promise.resolve({ kind: "blocked", words: "not today" });
    return Promise.resolve({ kind: "output", text: said === "output" ? "" : JSON.stringify(said) });
  };
  return { runHook, inputs, ended: () => ended };
}
export async function hookedWorld(hooks: readonly Hook[], answers: Answers, more: Parameters<typeof harness>[0] = {}) {
  const sent: unknown[] = [];
  const mail = fakeServer(undefined, {
    call: async (request) => {
      sent.push(request.arguments);
      return text(JSON.stringify(request.arguments));
    },
  });
  const hooked = running(answers);
  const kernel = await harness({
    servers: { mail },
    runHook: hooked.runHook,
    ...more,
    policy: { preToolUse: [...hooks], ...more.policy },
  });
  return { ...kernel, ...hooked, sent, ada: await kernel.session("s_1") };
}
export const errorOf = ({ structuredContent }: { structuredContent?: Record<string, unknown> }) =>
  structuredContent?.["error"] as { code: string; certainty: string } | undefined;
