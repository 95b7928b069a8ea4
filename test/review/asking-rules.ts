/** The rules of a random life with questions and tasks, and how its operator changes them. */
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import type { Elicitation } from "../../events/elicitation.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { type Drawn, SERVERS, TTL_MS } from "./asking-draws.ts";

export type Configuration = "as it was" | "declines" | "no tasks" | "without lab" | "without desk";

/** Over what was configured before. */
const UNTASKED = { tasks: undefined } as Partial<ServerPolicy>;
const CAPABILITIES = { act: "mutating", look: "read" } as const;

export function configurationOf(of: Drawn, how: Configuration) {
  const rules = (mode: Elicitation["mode"], responder: string | undefined): Elicitation => ({
    ...DEFAULT_ELICITATION,
    mode: how === "declines" ? "decline" : mode,
    maxPerCall: of.maxPerCall,
    defaults: { color: "red" },
    handbackTtlMinutes: TTL_MS / 60_000,
    ...(responder !== undefined && { responder }),
  });
  const policies: Record<string, Partial<ServerPolicy>> = {
    lab: { capabilities: CAPABILITIES, elicitation: rules(of.lab, of.labResponder), ...(how === "no tasks" ? UNTASKED : { tasks: true }) },
    desk: { capabilities: CAPABILITIES, elicitation: rules("auto", of.desk) },
    old: { capabilities: CAPABILITIES, elicitation: rules("auto", of.old) },
  };
  const names = SERVERS.filter((name) => how !== `without ${name}`);
  return { policies, names };
}
