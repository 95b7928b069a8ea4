/** Hooks between calls and whatever runs them: what they are told, what their answers may bring back, and how often they did what. */
import { REGISTRY } from "../../actors/address.ts";
import type { Catalogue } from "../../actors/catalogue.ts";
import type { CallAnswered } from "../../events/call.ts";
import type { EventOf } from "../../events/define.ts";
import type { Hook } from "../../events/policy.ts";
import { type AdmissionPorts, look, scopeOf } from "../calls/admission.ts";
import { movedFrom } from "../calls/moved.ts";
import type { OpenCall, OpenCalls } from "../calls/open-calls.ts";
import type { CallViews } from "../calls/views.ts";
import { type Consult, createConsult } from "../effects/consult.ts";
import { MAX_HOOK_BYTES, type RunHook } from "../effects/hook-reply.ts";
import { createInform } from "../effects/inform.ts";
import { MAX_HOOK_DEPTH, passFor } from "../observe/hook-depth.ts";
import { hooksAbout } from "../observe/hooks.ts";
import type { Batch } from "../runtime/event-log.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Vault } from "../secrets/vault.ts";

export interface HookPorts {
  readonly runtime: Pick<Runtime, "enter" | "catalogue" | "stateOf">;
  readonly clock: Clock;
  readonly openCalls: OpenCalls;
  readonly views: Pick<CallViews, "call" | "resultOf">;
  /** Of a call that has ended in the background. */
  readonly callOfTask: (call: string) => SentCall | undefined;
  readonly vault: Pick<Vault, "conceal" | "redactText">;
  readonly admission: AdmissionPorts;
  readonly run: RunHook;
  /** 128 unguessable bits. */
  readonly randomId: () => string;
}
type SentCall = Pick<OpenCall, "id" | "name" | "session" | "agent" | "arguments" | "depth">;
export interface HookCount {
  readonly labels: { readonly event: string; readonly hook: string; readonly outcome: string };
  value: number;
}
export interface Hooks {
  readonly consult: (effect: Consult, from: string) => void;
  /** Tells hooks of the calls that a commit has ended. */
  readonly ended: (batch: Batch) => void;
  readonly counts: () => readonly HookCount[];
}

export function createHooks({ runtime, clock, openCalls, views, callOfTask, vault, admission, run, randomId }: HookPorts): Hooks {
  const counts = new Map<string, HookCount>();
  const countFor = (event: string) => (hook: string, outcome: string) => {
    const key = `${event}\n${hook}\n${outcome}`;
    const count = counts.get(key) ?? { labels: { event, hook, outcome }, value: 0 };
    counts.set(key, { ...count, value: count.value + 1 });
  };
  const count = countFor("postToolUse");
  const inform = createInform({ clock, run, count });

  const describe = ({ id, name, session, agent, depth = 0 }: SentCall) => {
    const offer = runtime.catalogue().names.get(name);
    return (
      offer && {
        callId: id,
        session: admission.sessionName(session),
        agent,
        server: offer.server,
        tool: offer.tool,
        name: offer.name,
        depth,
      }
    );
  };
  const cover = (args: OpenCall["arguments"], session: string) => {
    const originals = new Map<string, string>();
    const doubtful = new Set<string>();
    const { value } = vault.conceal(args, {
      session,
      hidden: (marker, original) => {
        if ((originals.get(marker) ?? original) !== original) doubtful.add(marker);
        originals.set(marker, original);
      },
    });
    for (const marker of doubtful) originals.delete(marker); // it stands for two things
    return { value, originals };
  };

  const consult = createConsult({
    runtime,
    clock,
    openCalls,
    run,
    cover,
    describe,
    passFor: (call) => passFor(call, admission.digest),
    look: (call, args) => {
      const { name, via, session, agent, depth = 0 } = call;
      const target = { name, ...(via && { via }) };
      const catalogue = runtime.stateOf(REGISTRY) as Catalogue;
      const looked = look(target, args, undefined, { session, agent, ...scopeOf(call), depth }, catalogue, admission);
      const moved = movedFrom(call, catalogue);
      return moved ? { ...looked, refusal: moved } : looked;
    },
    redact: vault.redactText,
    randomId,
    count: countFor("preToolUse"),
  });

  const tell = (hooks: readonly Hook[], { call, certainty, code, isError }: EventOf<typeof CallAnswered>["data"], at: number) => {
    const open = openCalls.get(call);
    const sent = open ? open.capability && open : callOfTask(call); // without: it was never sent
    const about = sent && describe(sent);
    if (!about) return;
    const { arguments: args, session } = sent;
    const result = open ? open.result : views.resultOf(call);
    const began = views.call(call)?.requestedAt ?? at;
    const { hooks: meant } = hooksAbout(hooks, { ...args, args, ...about });
    const end = { certainty, isError: isError === true, ...(code && { code }), durationMs: at - began };
    const input = () => ({
      event: "postToolUse",
      ...about,
      arguments: cover(admission.builtin.recorded(sent.name, args), session).value,
      ...end,
      ...bounded(result),
    });
    const isTooDeep = (sent.depth ?? 0) > MAX_HOOK_DEPTH; // what it calls would be told of, too, and so on
    for (const hook of hooks)
      if (meant.includes(hook.name)) isTooDeep ? count(hook.name, "too_deep") : inform(hook, input, passFor(sent, admission.digest));
  };

  return {
    consult,
    ended({ events, at }) {
      const { postToolUse } = runtime.catalogue().policy;
      if (postToolUse.length === 0) return;
      for (const { type, data } of events) {
        const answered = data as EventOf<typeof CallAnswered>["data"];
        if (type === "call.answered" && answered.rule === undefined) tell(postToolUse, answered, at);
      }
    },
    counts: () => [...counts.values()],
  };
}

/** A longer result is told as the beginning of its JSON. */
function bounded(result: OpenCall["result"]): { readonly result?: unknown; readonly isCut?: true } {
  if (!result) return {};
  const text = JSON.stringify(result);
  return text.length <= MAX_HOOK_BYTES && Buffer.byteLength(text) <= MAX_HOOK_BYTES
    ? { result }
    : { result: Buffer.from(text).subarray(0, MAX_HOOK_BYTES).toString(), isCut: true };
}
