/** The log read anew, event by event, beside the client's and the server's own records: what must hold after any crash. */

import type { Envelope } from "../../../events/envelope.ts";
import { argumentsIn } from "../../../src/calls/asked.ts";
import type { Acknowledged } from "./load.ts";

export interface Call {
  readonly call: string;
  readonly key: string;
  readonly capability: string;
  dispatched?: number;
  settled?: number;
  end?: { readonly position: number; readonly certainty: string; readonly code: string | undefined };
}

export interface Ledger {
  /** Events in global order, each once. */
  fold(events: readonly Envelope[]): void;
  /** Every answer that the client got stands in what was folded so far. */
  checkAcknowledged(answers: readonly Acknowledged[]): void;
  /** Further keys that the server carried out: none twice, none that the log did not know before, none that it calls not applied. */
  noteActs(keys: readonly string[]): void;
  /** At the end: every call has ended, and what was answered was carried out. */
  checkEnds(): void;
  /** Mutating calls that were sent after a position and have no end yet. */
  mutatingInFlight(since: number): number;
  readonly position: number;
  /** Ended calls by certainty. */
  readonly ends: Readonly<Record<string, number>>;
  /** What does not hold, in words. */
  readonly violations: readonly string[];
}

type Data = Readonly<Record<string, unknown>>;
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export function createLedger(): Ledger {
  const byCall = new Map<string, Call>();
  const byKey = new Map<string, Call>();
  const open = new Map<string, Call>();
  const acted = new Set<string>();
  const ends: Record<string, number> = {};
  const violations: string[] = [];
  let position = 0;
  const wrong = (text: string) => void violations.push(text);

  const checkActed = ({ key, end: of }: Call) => {
    if (of?.certainty === "not_applied") wrong(`${key} was carried out, the log says not_applied (${of.code})`);
  };
  const begin = (event: Envelope, data: Data) => {
    const call = String(data["call"]);
    const key = String((argumentsIn(event.type, event.payload) as Data | undefined)?.["key"]);
    const made: Call = { call, key, capability: String(data["capability"] ?? "none") };
    if (byCall.has(call)) wrong(`the call ${call} begins twice`);
    if (byKey.has(key)) wrong(`the key ${key} was asked for twice`);
    byCall.set(call, made);
    byKey.set(key, made);
    open.set(call, made);
  };
  const end = (event: Envelope, data: Data) => {
    const call = byCall.get(String(data["call"]));
    if (!call) return wrong(`${event.type} at ${event.position} ends a call that never began`);
    if (call.end) wrong(`the call ${call.call} ends twice: at ${call.end.position} and at ${event.position}`);
    const certainty = textOf(data["certainty"]) ?? "not_applied";
    if (call.dispatched !== undefined && call.settled === undefined) wrong(`the call ${call.call} ends before it is settled`);
    if (certainty === "in_doubt" && call.capability === "read") wrong(`the read ${call.call} is in doubt`);
    call.end = { position: event.position, certainty, code: textOf(data["code"]) };
    open.delete(call.call);
    if (acted.has(call.key)) checkActed(call);
    const name = event.type === "call.refused" ? "refused" : certainty;
    ends[name] = (ends[name] ?? 0) + 1;
  };
  const step = (event: Envelope, data: Data, name: "dispatched" | "settled") => {
    const call = byCall.get(String(data["call"]));
    if (!call) return wrong(`${event.type} at ${event.position} is of a call that never began`);
    if (call[name] !== undefined) wrong(`the call ${call.call} is ${name} twice: at ${call[name]} and at ${event.position}`);
    if (call.end) wrong(`the call ${call.call} is ${name} after its end`);
    if (name === "settled" && call.dispatched === undefined) wrong(`the call ${call.call} is settled and was never dispatched`);
    call[name] = event.position;
  };

  const on: Readonly<Record<string, (event: Envelope, data: Data) => void>> = {
    "call.requested": begin,
    "call.refused": (event, data) => {
      begin(event, data);
      end(event, data);
    },
    "call.dispatched": (event, data) => step(event, data, "dispatched"),
    "call.settled": (event, data) => step(event, data, "settled"),
    "call.answered": end,
    /** Recorded after the recovery: whatever a predecessor left open has its end by now. */
    "process.started": (event) => {
      for (const { call } of open.values()) wrong(`the call ${call} is still open after the restart at ${event.position}`);
    },
    "turn.failed": (event, data) => wrong(`a turn failed at ${event.position}: ${JSON.stringify(data)}`),
  };

  return {
    fold(events) {
      for (const event of events) {
        if (event.position !== position + 1) wrong(`position ${event.position} follows ${position}`);
        position = event.position;
        on[event.type]?.(event, event.data as Data);
      }
    },
    checkAcknowledged(answers) {
      for (const { key, certainty, call, code, text } of answers) {
        const known = byKey.get(key);
        if (!known?.end)
          wrong(`the client was told that ${key} is ${certainty}, but the log ${known ? "has no end of it" : "does not know it"}`);
        else if (known.end.certainty !== certainty)
          wrong(`the client was told that ${key} is ${certainty}, the log says ${known.end.certainty}`);
        else if (known.end.code !== code) wrong(`the client was told ${code} for ${key}, the log says ${known.end.code}`);
        if (call !== undefined && known && known.call !== call)
          wrong(`the client was told ${call} for ${key}, the log calls it ${known.call}`);
        if (text !== undefined && text !== key) wrong(`the answer of ${key} was given as the answer of ${text}`);
      }
    },
    noteActs(keys) {
      for (const key of keys) {
        if (acted.has(key)) wrong(`${key} was carried out twice`);
        acted.add(key);
        const call = byKey.get(key);
        if (call?.dispatched === undefined) wrong(`${key} was carried out, but the log does not know that it was sent`);
        else checkActed(call);
      }
    },
    checkEnds() {
      for (const { call, key, capability, end: of } of byCall.values()) {
        if (!of) wrong(`the call ${call} never ended`);
        else if (of.certainty === "answered" && capability === "mutating" && !acted.has(key))
          wrong(`${key} is answered, but was never carried out`);
      }
    },
    mutatingInFlight: (since) =>
      [...open.values()].filter(({ capability, dispatched }) => capability === "mutating" && (dispatched ?? 0) > since).length,
    get position() {
      return position;
    },
    ends,
    violations,
  };
}
