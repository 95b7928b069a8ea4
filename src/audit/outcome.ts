/** What an event says of the admission of a call: it may be made, it may not, or a person is asked. */
import type { CallRefused, CallRequested } from "../../events/call.ts";
import type { Event, EventOf } from "../../events/define.ts";
import type { Verdict } from "../../events/policy.ts";

export type Outcome = "allowed" | "refused" | "asked";
export interface Said {
  readonly outcome: Outcome;
  /** The operator's rule, or ours, that decided. */
  readonly rule: string;
}

type Requested = EventOf<typeof CallRequested>;
type Refused = EventOf<typeof CallRefused>;
/** The first event of a call. */
export type Admission = Requested | Refused;
export const isAdmission = (event: Event): event is Admission => event.type === "call.requested" || event.type === "call.refused";

/** A person would have had to be asked, and there was none. */
export const NOBODY = "no_approver";
/** What counts calls and outcomes depends on what was made of them: it is never decided again. Nor is whether there was room. */
const COUNTING: ReadonlySet<Verdict["gate"]> = new Set(["denials", "rate", "spin", "call-once"]);

const verdictsOf = ({ data }: Admission): readonly Verdict[] => data.verdicts ?? [];
const asks = (admission: Admission): Verdict | undefined => {
  const verdicts = verdictsOf(admission);
  return verdicts.some(({ outcome }) => outcome === "deny") ? undefined : verdicts.find(({ outcome }) => outcome === "ask");
};

export function saidBy(admission: Admission): Said {
  const { type, data } = admission;
  const asking = asks(admission);
  if (asking && data.rule !== NOBODY) return { outcome: "asked", rule: asking.rule };
  if (type === "call.refused") return { outcome: "refused", rule: data.rule };
  const passed = verdictsOf(admission).findLast(({ outcome }) => outcome === "pass");
  return { outcome: "allowed", rule: passed?.rule ?? data.rule };
}

/** The reason to ask somebody, of a call that was refused since there was nobody. */
export const askedNobody = (admission: Admission): string | undefined =>
  admission.type === "call.refused" && admission.data.rule === NOBODY ? asks(admission)?.rule : undefined;

export const isByLimit = (admission: Admission): boolean =>
  (admission.type === "call.refused" && admission.data.code === "overloaded") ||
  verdictsOf(admission).some(({ gate, outcome }) => outcome === "deny" && COUNTING.has(gate));
