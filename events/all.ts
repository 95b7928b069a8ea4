/** Every event definition there is, by type: what a log may hold. */
import { CallAdmitted } from "./admitted.ts";
import { approvalEvents } from "./approval.ts";
import { callEvents } from "./call.ts";
import { CallChecked, CallObserved } from "./checked.ts";
import type { EventDefinition } from "./define.ts";
import { CallClaimed, serverLegEvents } from "./leg.ts";
import { limitEvents } from "./limits.ts";
import { questionEvents } from "./question.ts";
import { registryEvents } from "./registry.ts";
import { CallRepeated } from "./repeat.ts";
import { serverEvents } from "./server.ts";
import { sessionEvents } from "./session.ts";
import { systemEvents } from "./system.ts";
import { taskEvents } from "./task.ts";

export const allEvents: readonly EventDefinition[] = [
  ...callEvents,
  CallChecked,
  CallObserved,
  CallAdmitted,
  CallRepeated,
  ...serverLegEvents,
  CallClaimed,
  ...questionEvents,
  ...taskEvents,
  ...limitEvents,
  ...approvalEvents,
  ...sessionEvents,
  ...serverEvents,
  ...registryEvents,
  ...systemEvents,
];

export const eventDefinitions: ReadonlyMap<string, EventDefinition> = new Map(allEvents.map((definition) => [definition.type, definition]));
