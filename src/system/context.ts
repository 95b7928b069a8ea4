/** What the built-in tools may see and do, for one caller. */
import { QUESTIONS, serverAddress, sessionAddress, TASKS } from "../../actors/address.ts";
import type { QuestionsState } from "../../actors/questions-commands.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import { shownOffers } from "../../actors/shown.ts";
import type { TasksState } from "../../actors/tasks-commands.ts";
import { type Caller, scopeOf } from "../calls/admission.ts";
import { answerOf, toToolResult } from "../calls/answer.ts";
import type { OpenCall } from "../calls/open-calls.ts";
import { told } from "../calls/told.ts";
import type { CallViews } from "../calls/views.ts";
import type { SaveFile } from "../files/attachments.ts";
import type { CallRequest } from "../mcp/downstream/downstream.ts";
import { asToolResult } from "../mcp/downstream/prompt-call.ts";
import { type Published, publishedIn } from "../mcp/published.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { ToolContext } from "../tools/define.ts";
import type { Definitions } from "./definitions.ts";
import type { FactsOf } from "./facts.ts";
import type { Questions } from "./questions.ts";
import type { Registrations } from "./registrations.ts";
import type { Search } from "./search.ts";

export interface ContextPorts {
  readonly runtime: Runtime;
  readonly views: CallViews;
  readonly definitions: Definitions;
  readonly published: Published;
  readonly factsOf: FactsOf;
  readonly search: Search;
  readonly save: SaveFile;
  readonly registrations: () => Registrations;
  readonly questions: () => Questions;
  readonly inlineTextLimit: () => number;
}

/** For the turn of a call, and for its work: then with the call itself, and the request it is. */
export const createContext =
  ({ runtime, views, definitions, published, factsOf, search, save, registrations, questions, inlineTextLimit }: ContextPorts) =>
  (
    caller: Caller & Pick<OpenCall, "native" | "abilities" | "elicit" | "left" | "pause">,
    { meta, signal, onProgress }: Partial<CallRequest> = {},
  ): ToolContext => {
    const { session, agent, profile, native } = caller;
    const scope = scopeOf(caller);
    const catalogue = runtime.catalogue();
    return {
      session,
      agent,
      profile,
      scope,
      catalogue,
      views,
      isInDoubt: (server, call) => call in (runtime.stateOf(serverAddress(server)) as ServerState).inDoubt,
      definitionOf: definitions.of,
      documentOf: definitions.document,
      published: (offer) => publishedIn(catalogue, offer, scope, published),
      shown: () => shownOffers(runtime.catalogue(), scope, (runtime.stateOf(sessionAddress(session)) as SessionState).shown),
      unanswered: (reason) => questions().counts.unanswered(reason),
      async answer(id, given) {
        const { abilities, elicit } = caller;
        const waiter = {
          session,
          ...(signal && { signal, left: () => caller.left }),
          ...(onProgress && { onProgress }),
          ...(abilities && { abilities }),
          ...(elicit && { elicit }),
        };
        const outcome = await questions().answer({ id, given, by: `agent:${agent}`, isAgent: true, waiter });
        const end = outcome.ok ? outcome.end : undefined;
        const goOn = end && caller.pause?.(); // the call that goes on has a time of its own
        void end?.then(goOn);
        return outcome;
      },
      resultOf(end, name) {
        if (end.parked) return questions().parked.of(end.parked, handedBack(caller.abilities), name);
        const result = toToolResult(answerOf(end, name, views));
        return "messages" in result && !("content" in result) ? asToolResult(result) : result; // the call asked for a native prompt
      },
      questionText: (id) => questions().parked.textOf(id),
      isOpen: (kind, id) =>
        kind === "question" ? id in (runtime.stateOf(QUESTIONS) as QuestionsState).open : id in (runtime.stateOf(TASKS) as TasksState).open,
      told: (ids, by) => void told(runtime, session, ids, by),
      activate: (names) => runtime.enter(sessionAddress(session), { type: "activate", names }),
      factsOf: (server) => factsOf(server, scope),
      search: () => search(runtime.catalogue(), scope),
      request: (server, request) =>
        questions().read(server, { ...request, ...(meta && { meta }), ...(signal && { signal }), ...(onProgress && { onProgress }) }),
      native: native === true,
      save,
      register: (proposal) => registrations().register(proposal),
      unregister: (name, owner) => registrations().unregister(name, owner),
      inlineTextLimit: inlineTextLimit(),
    };
  };

/** A tool's result cannot be a form of its own: the question comes as a text. A task handle can be no result of another call either. */
const handedBack = (abilities: OpenCall["abilities"]): OpenCall["abilities"] =>
  abilities && { ...abilities, elicitation: false, tasks: false };
