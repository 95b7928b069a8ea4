/** What must be true of every life, from the log, the servers' own memory and what the agents were told. Each fault is one sentence that begins with its rule. */

import { kindOf } from "../../actors/address.ts";
import { evolve } from "../../actors/define.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { Capability, Flight } from "../../events/call.ts";
import type { Envelope } from "../../events/envelope.ts";
import { verifyDeep } from "../../src/audit/deep.ts";
import { actorKinds } from "../../src/runtime/actors.ts";
import { didNothing, LIMITS, type Life, SERVERS, SESSIONS } from "./life.ts";

interface CallStory {
  readonly capability: Capability;
  readonly session: string;
  readonly key?: string;
  dispatched?: Envelope;
  repeats: number;
  settled?: Envelope;
  end?: Envelope;
  unclaimed: boolean;
  /** What its doubt was resolved to. */
  turnedOut?: "not_applied";
  /** Its outcome is news for a session; how often it ever was, and how often the log says that it was told. */
  isNews: boolean;
  news: number;
  told: number;
}
type Data = Readonly<Record<string, unknown>>;
const dataOf = (event: Envelope) => event.data as Data;

export interface Book {
  readonly faults: string[];
  /** Reads what was added to the log, and compares it with states and servers. Only when everything is at rest. */
  check(): void;
  /** At the end of a life in which everything was answered. */
  close(): void;
}

export function keepBook(life: Life): Book {
  const faults: string[] = [];
  const fault = (rule: string, detail: string) => void faults.push(`${rule}: ${detail}`);
  const stories = new Map<string, CallStory>();
  const states = new Map<string, unknown>();
  const doubts = new Map<string, Flight & { server: string; since: number }>();
  let after = 0;

  const read = (event: Envelope) => {
    const { type, stream, call = "" } = event;
    const data = dataOf(event);
    const actor = actorKinds[kindOf(stream)];
    if (actor) states.set(stream, evolve(actor, states.get(stream) ?? actor.initialState, event));
    const story = stories.get(call);
    if (type === "turn.failed") fault("no turn fails", String(data["error"]));
    if (type === "call.requested" || type === "call.refused") {
      if (story) fault("a call begins once", call);
      const made: CallStory = {
        capability: (data["capability"] as Capability | undefined) ?? "read",
        session: stream,
        ...(typeof data["key"] === "string" && { key: `${SESSIONS[stream.slice(8)]} ${data["key"]}` }),
        repeats: 0,
        unclaimed: false,
        isNews: false,
        news: 0,
        told: 0,
        ...(type === "call.refused" && { end: event }),
      };
      stories.set(call, made);
    } else if (type.startsWith("call.") && !story) return fault("nothing of a call precedes its request", `${type} ${call}`);
    if (!story) return;
    if (type === "call.dispatched") {
      if (story.dispatched) fault("a call is dispatched once", call);
      story.dispatched = event;
      twinRule(event);
    }
    if (type === "call.repeated") {
      if (!story.dispatched || story.settled || story.capability === "mutating") fault("only what runs and cannot act is repeated", call);
      story.repeats++;
    }
    if (type === "call.settled") {
      if (!story.dispatched || story.settled) fault("a dispatched call is settled once", call);
      story.settled = event;
      if (data["certainty"] === "in_doubt") doubts.set(call, { ...(story.dispatched?.data as Flight), server: stream, since: event.at });
    }
    if (type === "call.resolved" && !doubts.delete(call)) fault("only a doubt is resolved", call);
    if (type === "call.resolved" && data["outcome"] === "not_applied") story.turnedOut = "not_applied";
    if (type === "call.unclaimed") {
      if (story.end) isNews(story);
      else story.unclaimed = true;
    }
    if (type === "call.answered") {
      if (story.end) fault("a call ends once", call);
      story.end = event;
      if (story.unclaimed && story.capability !== "read") isNews(story);
      const expected = story.settled ? dataOf(story.settled)["certainty"] : "not_applied";
      if (data["certainty"] !== expected) fault("the end says what the outcome said", call);
      for (const notice of (data["notices"] as string[] | undefined) ?? []) {
        const told = stories.get(notice);
        if (!told?.isNews) fault("a notice is announced once", notice);
        if (told) Object.assign(told, { isNews: false, told: told.told + 1 });
      }
    }
  };
  const isNews = (story: CallStory) => Object.assign(story, { isNews: true, news: story.news + 1 });
  const twinRule = (event: Envelope) => {
    const { agent, tool, digest, capability, call } = event.data as Flight;
    if (capability !== "mutating" || tool === "safe") return;
    for (const doubt of doubts.values())
      if (doubt.server === event.stream && doubt.agent === agent && doubt.tool === tool && doubt.digest === digest)
        if (doubt.since > event.at - LIMITS.twinMs) fault("no twin of a doubt goes out", `${call} is a twin of ${doubt.call}`);
  };

  const compareServers = () => {
    const legs = Map.groupBy(life.sent, ({ nonce }) => life.callOf.get(nonce) ?? "");
    for (const [call, sent] of legs) {
      const story = stories.get(call);
      if (sent.length > 1 + (story?.repeats ?? 0)) fault("a call is sent once, unless it is repeated", call);
      if (sent.some(({ filled }, leg) => filled.length !== leg)) fault("each leg has one argument more than the last", call);
      if (sent.some(({ intended }) => !intended) || !story?.dispatched) fault("the intent is durable before the call is sent", call);
      const certainty = story?.settled && dataOf(story.settled)["certainty"];
      const last = sent.at(-1)?.outcome;
      if (certainty === "not_applied" && story?.capability !== "read" && !sent.every(didNothing))
        fault("not_applied is certain", `${call} reached a server, which said ${last?.kind} in the end`);
      if (certainty === "answered" && (last === undefined || last.kind === "lost" || sent.every(didNothing)))
        fault("answered means answered", call);
      if (certainty === "in_doubt" && story?.capability === "read") fault("a read is never in doubt", call);
    }
  };
  const compareKeys = () => {
    const bound = new Map<string, string>();
    for (const [call, { key, dispatched, end, turnedOut }] of stories) {
      if (key === undefined || !dispatched) continue;
      const before = bound.get(key);
      if (before !== undefined) fault("a key is sent once unless it is free again", `${key}: ${before} and ${call}`);
      const didNothing = turnedOut === "not_applied" || (end && dataOf(end)["certainty"] === "not_applied");
      if (!didNothing) bound.set(key, call);
    }
  };
  const compareStates = () => {
    const { runtime, connections, views, openCalls } = life.world;
    for (const [stream, state] of states)
      if (!Bun.deepEquals(state, runtime.stateOf(stream))) fault("the state is the fold of the log", stream);
    const open = [...stories].filter(([, { end }]) => !end).map(([call]) => call);
    const held = Object.keys(SESSIONS).flatMap((id) => Object.keys((runtime.stateOf(`session/${id}`) as SessionState).open));
    if (!Bun.deepEquals(new Set(open), new Set(held))) fault("every call is open in its session or has ended", `${open} / ${held}`);
    if (openCalls.size !== open.length) fault("no call is kept in memory after its end", `${openCalls.size} of ${open.length}`);
    for (const server of ["builtin", ...SERVERS]) {
      const { inFlight, waiting, connected, inDoubt } = runtime.stateOf(`server/${server}`) as ServerState;
      const flying = Object.keys(inFlight).length;
      if (flying > LIMITS.slotsPerServer || waiting.length > LIMITS.waitingPerServer) fault("the limits hold", server);
      const ready = connected && connections.of(server)?.state === "connected";
      if (ready && waiting.length > 0 && flying < LIMITS.slotsPerServer) fault("no call waits beside a free slot", server);
      const listed = views.doubts().filter((doubt) => doubt.server === server);
      if (listed.length !== Object.keys(inDoubt).length) fault("the views list the doubts", server);
    }
  };
  /** What the agents were told, against what the log says. */
  const compareTold = () => {
    const shown = new Map<string, number>();
    const delivered = new Set(life.asked.flatMap(({ end }) => (end && !end.reason?.startsWith("nobody waits") ? [end.call] : [])));
    for (const { end } of life.asked) for (const notice of end?.notices ?? []) shown.set(notice, (shown.get(notice) ?? 0) + 1);
    const pending = Object.keys(SESSIONS).flatMap((id) => (life.world.runtime.stateOf(`session/${id}`) as SessionState).notices);
    for (const [call, { told, isNews, news, capability, dispatched, end }] of stories) {
      const times = shown.get(call) ?? 0;
      if (times > told) fault("a notice is shown once", call);
      if (isNews && !pending.includes(call)) fault("no outcome is forgotten", `${call} was to be announced`);
      if (told > 0 && times === 0 && !isNews && life.number === 0) fault("a notice that nobody got is announced again", call);
      const asked = life.asked.find(({ nonce }) => life.callOf.get(nonce) === call);
      if (!asked || capability === "read" || !dispatched || !end || news > 0) continue;
      if (asked.life === life.number && !delivered.has(call)) fault("an outcome that nobody got is announced", call);
      if (end.position > (life.begunAt[asked.life + 1] ?? Number.POSITIVE_INFINITY)) fault("a restart announces what it ended", call);
    }
    for (const { key, end, after: made, nonce } of life.asked) {
      const earlier = end && stories.get(end.call)?.end;
      const isFree = earlier && earlier.position <= made && dataOf(earlier)["certainty"] === "not_applied";
      if (key !== undefined && isFree && !life.callOf.has(nonce)) fault("a key is free again when nothing was done", key);
    }
  };
  return {
    faults,
    check() {
      for (const event of life.log.page({ after, limit: 100_000 })) {
        read(event);
        after = event.position;
      }
      compareServers();
      compareKeys();
      compareStates();
    },
    close() {
      this.check();
      const open = [...stories].filter(([, { end }]) => !end).map(([call]) => call);
      if (open.length > 0) fault("every call comes to an end", `${open}`);
      for (const { end, life: of, nonce } of life.asked)
        if (!end && of === life.number) fault("everybody who waits is answered", `${nonce}`);
      compareTold();
      for (const { detail } of verifyDeep(life.log, "test").mismatches) fault("every turn can be decided again", detail);
    },
  };
}
