/** Brings rules into force. What has not been sent yet is looked at again in the same breath, so that nothing goes out by what was found out under the rules before. */
import { REGISTRY, serverAddress, sessionAddress } from "../../actors/address.ts";
import { type Catalogue, isAt, placeIn, serverOf } from "../../actors/catalogue.ts";
import { hookKey } from "../../actors/gates/hook.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { Hook, Observed } from "../../events/policy.ts";
import { scopeOf } from "../calls/admission.ts";
import { movedFrom } from "../calls/moved.ts";
import type { OpenCall, OpenCalls } from "../calls/open-calls.ts";
import type { CallViews } from "../calls/views.ts";
import { observe } from "../observe/observation.ts";
import type { Command } from "../runtime/event-log.ts";
import type { Runtime } from "../runtime/turn.ts";

export interface NewRulesPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
  readonly openCalls: Pick<OpenCalls, "all">;
  readonly views: Pick<CallViews, "sessionName">;
  readonly redact: (text: string) => string;
}

/** Enters a configuration into the registry. Resolves when it is durable; what waits has been looked at by then. */
export type ApplyRules = (command: Command) => Promise<void>;

export function createApplyRules({ runtime, openCalls, views, redact }: NewRulesPorts): ApplyRules {
  const catalogue = () => runtime.stateOf(REGISTRY) as Catalogue;

  function look(call: OpenCall, by: Catalogue): Observed {
    const offer = by.names.get(call.name);
    if (!offer) return {};
    const of = { agent: call.agent, session: () => views.sessionName(call.session), schema: undefined, depth: call.depth ?? 0, redact };
    const observed = observe({ catalogue: by, offer, arguments: call.arguments, ...of });
    const moved = movedFrom(call, by);
    return { ...observed, ...(moved && { guards: [{ rule: moved.rule, reason: moved.reason }] }) };
  }

  function lookAgain(call: OpenCall, before: Catalogue, now: Catalogue): void {
    const offer = now.names.get(call.name);
    if (!offer) return; // judged by its name when its turn comes
    const session = runtime.stateOf(sessionAddress(call.session)) as SessionState;
    const { checking, asking, queued } = session.open[call.id] ?? {};
    const isOurs = checking ?? asking ?? queued;
    const { waiting } = runtime.stateOf(serverAddress(offer.server)) as ServerState;
    const waits = isOurs ? undefined : waiting.find(({ call: id }) => id === call.id);
    if (!isOurs && !waits) return;
    const to = isOurs ? sessionAddress(call.session) : serverAddress(offer.server);
    const enter = (told: Command) => void runtime.enter(to, told).catch(() => undefined); // recorded as turn.failed
    const approved = (queued ?? waits)?.covered ?? [];
    if (approved.length > 0 && hasMoved(offer.server, before, now)) {
      enter({ type: "cancel", call: call.id, by: MOVED });
      return;
    }
    const found = look(call, now);
    const unasked = newHooks(look(call, before), before.policy.preToolUse, found, now.policy.preToolUse);
    const observed = { ...found, ...(unasked.length > 0 && { unasked }) };
    const command = { type: "observe", call: call.id, observed };
    const scope = scopeOf({ ...call, profile: session.profile });
    enter(isOurs ? command : { ...command, scope });
  }

  return (command) => {
    const before = catalogue();
    const applied = runtime.enter(REGISTRY, command);
    const now = catalogue();
    for (const call of openCalls.all()) lookAgain(call, before, now);
    return applied;
  };
}

/** What people have approved, they have approved for where its server was. */
const MOVED = "the configuration, which points its server to another address";
function hasMoved(server: string, before: Catalogue, now: Catalogue): boolean {
  const place = placeIn(before, server);
  return place !== undefined && !isAt(serverOf(now, server), place);
}

/** Those about a call that were not, or were others, before. */
function newHooks(was: Observed, earlier: readonly Hook[], is: Observed, present: readonly Hook[]): string[] {
  const keyOf = (hooks: readonly Hook[], name: string) => hooks.filter((hook) => hook.name === name).map(hookKey)[0];
  return (is.hooks ?? []).filter((name) => !was.hooks?.includes(name) || keyOf(earlier, name) !== keyOf(present, name));
}
