/** What a request lets people do who may have to decide on its call: think longer, or say so by a form of its client. */
import type { OpenCall } from "./open-calls.ts";

type Waiting = { readonly [K in "onProgress" | "askPerson" | "abilities" | "native"]?: OpenCall[K] | undefined };

/** As commands say it. `heard`: its client does not give up so soon. */
export const waitsForPeople = ({ onProgress, askPerson, abilities, native }: Waiting) => ({
  ...((onProgress || abilities?.tasks) && { heard: true }),
  ...((askPerson || showsDecision({ abilities, native })) && { client: true }),
});

/** A client of 2026-07-28 is asked by ending its request with a form. */
export const showsDecision = ({ abilities, native }: Pick<Waiting, "abilities" | "native">): boolean =>
  abilities?.era === "modern" && abilities.elicitation && native !== true;
