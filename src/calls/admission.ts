/** What is found out about a call before its turn: unwrapped, revealed, concealed, measured, digested. Pure functions over the original arguments. */
import type { Catalogue } from "../../actors/catalogue.ts";
import { authorise } from "../../actors/policy/allow.ts";
import type { ErrorCode } from "../../events/call.ts";
import type { Delivery, Via } from "../../events/delivery.ts";
import type { Narrowing, Observed } from "../../events/policy.ts";
import { CanonicalError } from "../observe/canonical.ts";
import { observe } from "../observe/observation.ts";
import { readAt } from "./moved.ts";
import type { Schema } from "./parameters.ts";
import { refuseIncomplete } from "./required-keys.ts";

export type Arguments = Readonly<Record<string, unknown>>;

export interface Refused {
  readonly code: ErrorCode;
  readonly rule: string;
  readonly reason: string;
}

/** The built-in tools, as far as admission needs them. */
export interface BuiltinForms {
  kindOf(name: string): "run" | "decide" | "unwrap" | undefined;
  /** What may be written down of the arguments of any tool. */
  recorded(name: string, args: Arguments): Arguments;
  check(name: string, args: Arguments): Refused | undefined;
  unwrap(
    name: string,
    args: Arguments,
    caller: Caller,
  ): { readonly name: string; readonly arguments: Arguments; readonly via: Via } | { readonly refusal: Refused };
  decide(name: string, args: Arguments, caller: Caller): Delivery | { readonly refusal: Refused };
}
export interface Caller {
  readonly session: string;
  readonly agent: string;
  /** Whose rules hold, and by which name its client goes. */
  readonly profile: string;
  readonly client?: string;
  readonly narrow?: Narrowing;
}
export const scopeOf = ({
  profile,
  client,
  narrow,
}: Pick<Caller, "profile" | "client" | "narrow">): Pick<Caller, "profile" | "client" | "narrow"> => ({
  profile,
  ...(client !== undefined && { client }),
  ...(narrow && { narrow }),
});
/** `isKeyed`: with an idempotency key. */
export interface Asking extends Caller {
  readonly isKeyed: boolean;
  /** How many hooks, each called from within another, have led to it. */
  readonly depth?: number;
}
export interface AdmissionPorts {
  readonly builtin: BuiltinForms;
  /** Markers become originals, or a sentence says why not. */
  readonly reveal: (
    args: Arguments,
    scope: { session: string; server: string },
  ) => { readonly ok: true; readonly value: Arguments } | { readonly ok: false; readonly message: string };
  readonly conceal: (args: Arguments, scope: { session: string }) => Arguments;
  /** Takes secrets out of names, keys and our own sentences, which may repeat what was asked. */
  readonly redact: (text: string) => string;
  readonly digest: (value: unknown) => string;
  /** A tool's input schema as its server declared it, by the hash of its definition. */
  readonly schemaOf: (hash: string) => Schema | undefined;
  /** The name of a session, by its id. */
  readonly sessionName: (session: string) => string;
  /** Why no call that may act can be admitted now: the disk is nearly full. */
  readonly closedFor: () => string | undefined;
  readonly brokenBound: (args: Arguments) => "elements" | "depth" | undefined;
}

export interface Admitted {
  readonly name: string;
  readonly via?: Via;
  /** As they will be sent. */
  readonly arguments: Arguments;
  /** As they will be stored. */
  readonly redacted: Arguments;
  readonly digest: string;
  /** For idempotency: over the arguments as received. Empty when nobody asked for it. */
  readonly receivedDigest: string;
  readonly refusal?: Refused;
  readonly deliver?: Delivery;
  readonly revealedAt?: string; // markers in them became originals, which is good for this place only
  /** For the gates, where there is something to say. */
  readonly observed?: Observed;
}

const MAX_NAME_LENGTH = 256;
const TOO_LARGE = {
  elements: "they hold more than 10,000 elements; send less at once",
  depth: "they are nested deeper than 64 levels",
};

const TOO_GREAT: Refused = {
  code: "invalid_arguments",
  rule: "number",
  reason: "a number in them is too great, as 1e400 is; send it as a string",
};

/** Whatever of it is stored or told holds no secret; a name that is offered is not looked at. */
export function admit(name: string, received: Arguments, caller: Asking, catalogue: Catalogue, ports: AdmissionPorts): Admitted {
  const admitted = examine(name, received, caller, catalogue, ports);
  const { refusal } = admitted;
  if (!refusal && catalogue.names.has(admitted.name)) return admitted;
  const told = refusal && { refusal: { ...refusal, reason: ports.redact(refusal.reason) } };
  return { ...admitted, name: ports.redact(admitted.name), ...told };
}

/** Undefined when they hold what JSON cannot say: parsers make infinity of 1e400. */
function digestsOf(sent: Arguments, received: unknown, digest: AdmissionPorts["digest"]) {
  try {
    return { digest: digest(sent), receivedDigest: received === undefined ? "" : digest(received) };
  } catch (error) {
    if (error instanceof CanonicalError) return undefined;
    throw error;
  }
}

function examine(name: string, received: Arguments, caller: Asking, catalogue: Catalogue, ports: AdmissionPorts): Admitted {
  const { isKeyed } = caller;
  const { builtin, reveal, conceal, brokenBound } = ports;
  const scope = { session: caller.session };
  const refused = (refusal: Refused, as: { name: string; via?: Via } = { name }): Admitted => {
    const redacted = conceal(builtin.recorded(name, received), scope);
    return { ...as, arguments: received, redacted, digest: "", receivedDigest: "", refusal };
  };
  if (name.length > MAX_NAME_LENGTH) {
    const refusal = {
      code: "invalid_arguments",
      rule: "name-length",
      reason: `a tool's name has at most ${MAX_NAME_LENGTH} characters`,
    } as const;
    return { name: `${name.slice(0, 40)}…`, arguments: received, redacted: {}, digest: "", receivedDigest: "", refusal };
  }
  const tooLarge = (as: { name: string; via?: Via }, exceeded: keyof typeof TOO_LARGE): Admitted => {
    const refusal = { code: "invalid_arguments", rule: "bounds", reason: TOO_LARGE[exceeded] } as const;
    return { ...as, arguments: received, redacted: {}, digest: "", receivedDigest: "", refusal };
  };
  const exceeded = brokenBound(received);
  if (exceeded) return tooLarge({ name }, exceeded);

  let target: { name: string; via?: Via } = { name };
  let args = received;
  const ruled = scopeOf(caller);
  if (authorise(catalogue, name, ruled).allowed && builtin.kindOf(name) === "unwrap") {
    const fault = builtin.check(name, received);
    if (fault) return refused(fault);
    const inner = builtin.unwrap(name, received, caller);
    if ("refusal" in inner) return refused(inner.refusal);
    target = { name: inner.name, via: inner.via };
    args = inner.arguments;
    const exceeds = args === received ? undefined : brokenBound(args); // they may have come as a text
    if (exceeds) return tooLarge(target, exceeds);
  }

  const verdict = authorise(catalogue, target.name, { ...ruled, via: target.via });
  const revealed = reveal(args, { ...scope, server: verdict.allowed ? verdict.offer.server : "" });
  if (!revealed.ok) return refused({ code: "invalid_arguments", rule: "redacted-value", reason: revealed.message }, target);
  const looked = look(target, revealed.value, isKeyed ? { name, arguments: received } : undefined, caller, catalogue, ports);
  return revealed.value === args || !verdict.allowed ? looked : { ...looked, ...readAt(catalogue, verdict.offer.server) };
}

/** Everything that is found out about arguments as they will be sent; also about those that a hook has rewritten. `received`: for idempotency. */
export function look(
  target: { readonly name: string; readonly via?: Via },
  args: Arguments,
  received: unknown,
  caller: Omit<Asking, "isKeyed">,
  catalogue: Catalogue,
  ports: AdmissionPorts,
): Admitted {
  const { builtin, conceal } = ports;
  const { session, agent, depth = 0 } = caller;
  const verdict = authorise(catalogue, target.name, { ...scopeOf(caller), via: target.via });
  const kind = verdict.allowed ? builtin.kindOf(target.name) : undefined;
  const redacted = conceal(builtin.recorded(target.name, args), { session });
  const digests = digestsOf(args, received, ports.digest);
  if (!digests) return { ...target, arguments: args, redacted, digest: "", receivedDigest: "", refusal: TOO_GREAT };
  const told = { ...target, arguments: args, redacted, ...digests };
  const schema = verdict.allowed && kind === undefined ? ports.schemaOf(verdict.offer.hash) : undefined;
  const about = { catalogue, arguments: args, schema, agent, depth, session: () => ports.sessionName(session), redact: ports.redact };
  const observed = verdict.allowed ? observe({ ...about, offer: verdict.offer }) : undefined;
  const admitted = observed ? { ...told, observed } : told;
  const incomplete = schema && refuseIncomplete(target.name, schema, args);
  if (incomplete) return { ...admitted, refusal: incomplete };
  const closed = verdict.allowed && verdict.capability !== "read" ? ports.closedFor() : undefined;
  if (closed !== undefined) return { ...admitted, refusal: { code: "overloaded", rule: "disk-space", reason: closed } };
  if (kind === undefined || kind === "unwrap") return admitted;
  const fault = builtin.check(target.name, args);
  if (fault) return { ...admitted, refusal: fault };
  if (kind === "run") return admitted;
  const decided = builtin.decide(target.name, args, caller);
  return "refusal" in decided ? { ...admitted, refusal: decided.refusal } : { ...admitted, deliver: decided };
}
