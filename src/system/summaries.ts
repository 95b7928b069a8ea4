/** Summaries of servers by a model: asked for in the background when a surface is new, judged, recorded, and used as long as it stays the same. */
import { BUILTIN, REGISTRY } from "../../actors/address.ts";
import { promptsOf, type ServerEntry, serverOf, toolsOf } from "../../actors/catalogue.ts";
import { scanText } from "../../actors/definition-scan.ts";
import { authorise } from "../../actors/policy/allow.ts";
import { showInvisible } from "../../actors/visible-text.ts";
import type { Llm } from "../llm/client.ts";
import { TIERS } from "../llm/tiers.ts";
import type { ResourceList } from "../mcp/downstream/definitions.ts";
import type { Clock } from "../runtime/timers.ts";
import { type Described, summaryPrompt } from "../tools/summary-prompt.ts";
import { createFingerprints } from "./fingerprints.ts";
import type { Kernel } from "./kernel.ts";
import { createPauses } from "./pauses.ts";

export interface SummaryPorts {
  readonly kernel: () => Pick<Kernel, "runtime" | "definitions" | "factsOf">;
  readonly llm: Llm;
  readonly clock: Clock;
  /** For the operator: why a summary could not be had. */
  readonly say: (line: string) => void;
}
export interface Summaries {
  /** What a model said of the server as it is now, if one did. */
  of(server: string): string | undefined;
  /** Something may have changed: what has no summary is asked for, a moment later. `anew`: without waiting for pauses. */
  look(anew?: boolean): void;
  stop(): void;
}

/** Changes come in bursts. */
const SETTLE_MS = 500;
const AT_ONCE = 2;
/** 80 words are some 120; the rest is for models that think first. */
const MAX_TOKENS = 2000;
const MAX_CHARACTERS = 1000;

export function createSummaries({ kernel, llm, clock, say }: SummaryPorts): Summaries {
  const fingerprintOf = createFingerprints();
  const pauses = createPauses();
  const running = new Set<string>();
  const stopping = new AbortController();
  let armed: { readonly at: number; readonly disarm: () => void } | undefined;
  let lastProblem: string | undefined;

  const wake = (at: number) => {
    if (armed && armed.at <= at) return;
    armed?.disarm();
    const disarm = clock.after(Math.max(0, at - clock.now()), () => {
      armed = undefined;
      ask();
    });
    armed = { at, disarm };
  };
  const tier = () => TIERS.find((one) => llm.tiers()[one]);
  const fingerprintNow = (id: string): string | undefined => {
    const catalogue = kernel().runtime.catalogue();
    const server = [...catalogue.servers.values()].find((one) => one.id === id);
    return server && fingerprintOf(catalogue, server);
  };
  const isWanted = (server: ServerEntry): boolean => {
    const catalogue = kernel().runtime.catalogue();
    const { name, refused, policy, summary } = server;
    if (name === BUILTIN || refused !== undefined || policy.summary !== undefined) return false;
    const hasTools = toolsOf(server).some((offer) => authorise(catalogue, offer.name).allowed);
    return hasTools && summary?.fingerprint !== fingerprintOf(catalogue, server);
  };
  const ask = () => {
    if (stopping.signal.aborted || tier() === undefined) return;
    const all = [...kernel().runtime.catalogue().servers.values()];
    pauses.keep(new Set(all.map(({ id }) => id)));
    for (const server of all.filter(isWanted)) {
      const until = pauses.until(server.id);
      if (running.has(server.id) || running.size >= AT_ONCE) continue; // looked at again when one of them has ended
      if (until > clock.now()) wake(until);
      else void summarise(server);
    }
  };
  const describe = (server: ServerEntry): Described => {
    const { runtime, definitions, factsOf } = kernel();
    const isAllowed = ({ name }: { readonly name: string }) => authorise(runtime.catalogue(), name).allowed;
    const named = ({ tool, hash }: { readonly tool: string; readonly hash: string }) => ({
      name: tool,
      description: definitions.of(hash)?.description,
    });
    const list = server.resources && (definitions.document(server.resources.hash) as ResourceList | undefined);
    return {
      ...factsOf(server.name),
      name: server.name,
      tools: toolsOf(server).filter(isAllowed).map(named),
      prompts: promptsOf(server).filter(isAllowed).map(named),
      resources: [...(list?.resources ?? []), ...(list?.templates ?? [])],
    };
  };
  const summarise = async (server: ServerEntry) => {
    const { name, id } = server;
    const { runtime, definitions } = kernel();
    running.add(id);
    try {
      const fingerprint = fingerprintNow(id);
      const fence = `-----${crypto.randomUUID()}-----`;
      const prompt = summaryPrompt(describe(server), fence);
      const answer = await llm.complete({ tier: tier() ?? "low", ...prompt, maxTokens: MAX_TOKENS, signal: stopping.signal });
      if (stopping.signal.aborted) return;
      const problem = answer.ok ? faultOf(answer.text, fence) : answer.reason;
      if (problem !== undefined && problem !== lastProblem)
        say(`warning: there is no summary of the server ${name} by a model: ${problem}`);
      lastProblem = problem;
      if (!answer.ok || problem !== undefined || fingerprint === undefined || fingerprintNow(id) !== fingerprint) return;
      const text = showInvisible(answer.text).replace(/\s+/g, " ");
      await runtime.enter(REGISTRY, {
        type: "summarise",
        server: name,
        id,
        fingerprint,
        hash: definitions.declareDocument({ summary: text }),
      });
    } catch {
      // a turn that failed is recorded as such
    } finally {
      running.delete(id);
      pauses.tried(id, clock.now());
      if (!stopping.signal.aborted) wake(clock.now());
    }
  };

  return {
    of(name) {
      const { runtime, definitions } = kernel();
      const server = serverOf(runtime.catalogue(), name);
      if (!server?.summary || server.summary.fingerprint !== fingerprintOf(runtime.catalogue(), server)) return undefined;
      return (definitions.document(server.summary.hash) as { readonly summary: string } | undefined)?.summary;
    },
    look(anew = false) {
      if (anew) pauses.clear();
      wake(clock.now() + SETTLE_MS);
    },
    stop() {
      stopping.abort();
      armed?.disarm();
    },
  };
}

/** Why agents are not shown what the model said: it is no short description, or it gives orders. */
function faultOf(text: string, fence: string): string | undefined {
  if (text.length > MAX_CHARACTERS) return `its answer has more than ${MAX_CHARACTERS} characters`;
  if (text.includes(fence)) return "its answer repeats what it was not to repeat";
  const grave = scanText(text, "summary").find(({ severity }) => severity === "high");
  return grave && `its answer reads like an attempt to give orders (${grave.kind})`;
}
