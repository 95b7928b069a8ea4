/** The models that the configuration names, and what they are asked for by themselves: summaries of servers. */
import { REGISTRY } from "../../actors/address.ts";
import { createLlm, type Llm } from "../llm/client.ts";
import type { Tiers } from "../llm/tiers.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Kernel } from "./kernel.ts";
import { createSummaries } from "./summaries.ts";

export interface LanguagePorts {
  /** Not looked at before the first configuration. */
  readonly kernel: () => Pick<Kernel, "runtime" | "definitions" | "factsOf" | "onCommitted">;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** One line for the operator. */
  readonly say: (line: string) => void;
  /** The way to ask; the default is over HTTP. */
  readonly llm?: Llm;
}
export interface Language {
  readonly llm: Llm;
  /** What a model said of a server as it is now, if one did. */
  readonly summaryOf: (server: string) => string | undefined;
  /** These tiers are in force. */
  configure(tiers: Tiers): void;
  stop(): void;
}

export function createLanguage({ kernel, clock, redact, say, llm = createLlm({ clock, redact }) }: LanguagePorts): Language {
  const summaries = createSummaries({ kernel, llm, clock, say });
  let unlisten: (() => void) | undefined;
  return {
    llm,
    summaryOf: summaries.of,
    configure(tiers) {
      const isNew = JSON.stringify(tiers) !== JSON.stringify(llm.tiers());
      llm.configure(tiers);
      unlisten ??= kernel().onCommitted(({ events }) => {
        if (events.some(({ stream }) => stream === REGISTRY)) summaries.look();
      });
      summaries.look(isNew);
    },
    stop() {
      unlisten?.();
      summaries.stop();
    },
  };
}
