/** Requests for something to read, whose server may ask first: it gets the operator's defaults, or no. Nobody is put a question, and nothing waits. */
import { type Catalogue, elicitationOf } from "../../actors/catalogue.ts";
import { observeQuestion } from "../../actors/elicit/form.ts";
import { type AskedQuestion, questionsNote } from "../../actors/elicit/notes.ts";
import { MAX_ROUNDS, ROUNDS_LIMIT } from "../../actors/legs/decide.ts";
import { treatRound } from "../../actors/legs/treated.ts";
import {
  type CallOutcome,
  type CallReply,
  type DownstreamRequest,
  type InputRequest,
  type InputResponse,
  isInterim,
} from "../mcp/downstream/downstream.ts";
import { answeredByPolicy, askedForms, recordsOf, responsesOf } from "./answers.ts";
import { brokenLimit, messagesOf, type Responses, type Round } from "./rounds.ts";

export interface ReadAskedPorts {
  readonly catalogue: () => Catalogue;
  readonly request: (server: string, request: DownstreamRequest) => Promise<CallReply>;
  readonly redact: (text: string) => string;
}
export interface ReadAnswer {
  readonly outcome: CallOutcome;
  /** For the agent: what was asked meanwhile, and how it was answered. */
  readonly note?: string;
}
export interface ReadAsked {
  /** Never rejects. */
  read(server: string, request: DownstreamRequest): Promise<ReadAnswer>;
  /** The answer to what an older server asks on its connection, while something is read there; else undefined. */
  inBand(server: string, request: InputRequest): InputResponse | undefined;
}
/** What was asked during a read so far. */
interface OpenRead {
  readonly records: AskedQuestion[];
  rounds: number;
}

const INTERNAL_ERROR = -32603;
const KEY = "question";
const beyond = (limit: string): CallOutcome => ({
  kind: "rpc_error",
  code: INTERNAL_ERROR,
  message: `what the server asks is beyond a bound (${limit}); it was not answered`,
});

export function createReadAsked({ catalogue, request: send, redact }: ReadAskedPorts): ReadAsked {
  /** As the policy answers by itself, with the records of it. */
  const answers = (server: string, { requests }: Pick<Round, "requests">, before: number): [Responses, readonly AskedQuestion[]] => {
    const policy = elicitationOf(catalogue(), server);
    const questions = Object.entries(requests).map(([key, one]) => observeQuestion(key, one, policy, redact));
    const flights = [{ questions: before }];
    const treated = treatRound(questions, { policy, flights, available: [], canHandBack: false, inBand: false });
    const answered = answeredByPolicy(treated, requests, policy); // nobody else is there
    const messages = messagesOf(requests, redact);
    const given = answered.map((each) => each.given);
    return [responsesOf(answered), recordsOf(askedForms(questions, messages), given)];
  };

  const open = new Map<string, Set<OpenRead>>();
  const withOpen = async <T>(server: string, during: (mine: OpenRead) => Promise<T>): Promise<T> => {
    const mine: OpenRead = { records: [], rounds: 0 };
    const key = server.toLowerCase();
    const others = open.get(key) ?? new Set();
    open.set(key, others.add(mine));
    try {
      return await during(mine);
    } finally {
      others.delete(mine);
      if (others.size === 0 && open.get(key) === others) open.delete(key);
    }
  };

  return {
    read: (server, request) =>
      withOpen(server, async (mine) => {
        const accepts = { questions: elicitationOf(catalogue(), server).mode !== "off" };
        const { records } = mine;
        const ended = (outcome: CallOutcome): ReadAnswer => {
          const note = questionsNote(records, undefined);
          return { outcome, ...(note !== undefined && { note }) };
        };
        let leg: Pick<DownstreamRequest, "inputResponses" | "requestState"> = {};
        for (;;) {
          const reply = await send(server, { ...request, ...leg, accepts });
          if (!isInterim(reply)) return ended(reply);
          if (reply.kind === "task" || ++mine.rounds > MAX_ROUNDS) return ended(beyond(ROUNDS_LIMIT));
          const limit = brokenLimit(reply, redact);
          if (limit !== undefined) return ended(beyond(limit));
          const { requestState } = reply;
          const [inputResponses, asked] = answers(server, reply, records.length);
          records.push(...asked);
          leg = { inputResponses, ...(requestState !== undefined && { requestState }) };
        }
      }),
    inBand(server, request) {
      const reads = [...(open.get(server.toLowerCase()) ?? [])]; // it does not say for which it asks
      if (reads.length === 0) return undefined;
      const rounds = reads.map((each) => ++each.rounds);
      if (Math.max(...rounds) > MAX_ROUNDS) return { action: "decline" };
      const before = Math.max(...reads.map(({ records }) => records.length));
      const [responses, asked] = answers(server, { requests: { [KEY]: request } }, before);
      for (const { records } of reads) records.push(...asked);
      return responses[KEY];
    },
  };
}
