/** A kernel whose profile asks before it changes anything, with one server and the ways to vote. */
import { DEFAULT_APPROVALS, DEFAULT_POLICY, SUPERVISED_PROFILE } from "../../actors/policy/defaults.ts";
import type { ApprovalPolicy, Policy } from "../../events/policy.ts";
import { fakeServer, harness, memoryLog, text } from "../harness.ts";

export const supervised = (approvals: Partial<ApprovalPolicy> = {}): Partial<Policy> => ({
  profiles: { ...DEFAULT_POLICY.profiles, default: { ...SUPERVISED_PROFILE, approvals: { ...DEFAULT_APPROVALS, ...approvals } } },
});
export const HOLD_MS = 15_000;
export const EXPIRES_MS = 300_000;

export async function place(approvals: Partial<ApprovalPolicy> = {}, log = memoryLog(), more: Partial<Policy> = {}) {
  const mail = fakeServer();
  const kernel = await harness({ servers: { mail }, policy: { ...supervised(approvals), ...more }, log });
  const { ask, call } = await kernel.session("s_1");
  const pending = () => kernel.views.approvals(0).filter(({ status }) => status === "pending");
  const vote = async (id: string, verdict: string, by = "operator:root", words: object = {}) => {
    const channel = by.startsWith("cli:") ? "cli" : "rest";
    await kernel.runtime.enter("session/s_1", { type: "vote", approval: id, by, channel, verdict, payload: words });
    await kernel.settle();
  };
  /** A call that is on its way to its approval. */
  const asked = async (args: Record<string, unknown> = {}) => {
    const result = call("mail__act", args);
    await kernel.settle();
    return { result, id: pending().at(-1)?.id ?? "" };
  };
  const answerNext = async (words: string) => {
    mail.calls.at(-1)?.answer(text(words));
    await kernel.settle();
  };
  return { ...kernel, mail, ask, call, pending, vote, asked, answerNext };
}
export const errorOf = (result: { structuredContent?: { error?: Record<string, unknown> } }) => result.structuredContent?.error;
