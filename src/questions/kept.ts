/** What it takes to go on with a call that waits: sealed while it waits, gone when it goes on. Never an answer of a person. */
import type { AskedQuestion } from "../../actors/elicit/notes.ts";
import type { Via } from "../../events/delivery.ts";
import type { GivenAnswer, QuestionSource } from "../../events/elicitation.ts";
import type { InputRequest, InputResponse } from "../mcp/downstream/downstream.ts";
import type { ClientAbilities } from "../mcp/upstream/client-abilities.ts";
import type { SealedStore } from "../secrets/sealed.ts";

/** Of a round of questions that is put to somebody outside. */
export interface KeptQuestion {
  readonly source: QuestionSource;
  readonly requests: Readonly<Record<string, InputRequest>>;
  /** As the server gave it, byte for byte. */
  readonly requestState?: string;
  /** Of the forms of the round that the policy answered by itself. */
  readonly responses: Readonly<Record<string, InputResponse>>;
  readonly given: readonly GivenAnswer[];
  /** The forms that are put to somebody, by key. */
  readonly keys: readonly string[];
  /** Every form of the round as it may be told, and what was asked during the call before. */
  readonly asked: readonly AskedForm[];
  readonly records: readonly AskedQuestion[];
  readonly call: KeptCall;
}
/** Scrubbed. */
export interface AskedForm extends Pick<AskedQuestion, "message" | "fields"> {
  readonly key: string;
}
/** A call as it goes out again. Its arguments hold original secrets. */
export interface KeptCall {
  readonly id: string;
  readonly agent: string;
  readonly session: string;
  readonly profile: string;
  readonly client?: string;
  readonly name: string;
  /** As of an open call. */
  readonly kind?: "prompt";
  readonly native?: true;
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  /** Of its idempotency key. */
  readonly key?: string;
  readonly keyDigest?: string;
  readonly via?: Via;
  readonly depth?: number;
  /** The client that made it follows it as a task, and shows its person what it asks. */
  readonly isFollowed?: true;
}
/** What such a client can deal with. */
export const FOLLOWS: ClientAbilities = { era: "modern", elicitation: true, tasks: true };
/** Of a server's task. */
export interface KeptTask {
  /** The server's own. */
  readonly taskId: string;
  readonly era: "legacy" | "modern";
  /** Of the registration under which its server began it. */
  readonly serverId?: string;
  /** Input keys that have their answer. */
  readonly answered: readonly string[];
  readonly records: readonly AskedQuestion[];
  readonly call: KeptCall;
}

/** One kind of kept things, by our id. */
export interface Kept<T> {
  put(id: string, value: T): void;
  /** Undefined: there is none, or it cannot be opened. */
  get(id: string): T | undefined;
  drop(id: string): void;
  ids(): readonly string[];
}

/** `onPut`: told of each that is put. */
export function createKept<T>(
  store: Pick<SealedStore, "get" | "put" | "remove" | "names">,
  kind: "question" | "task",
  onPut: () => void = () => undefined,
): Kept<T> {
  return {
    put(id, value) {
      store.put(kind, id, JSON.stringify(value));
      onPut();
    },
    get(id) {
      const text = store.get(kind, id);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
    drop: (id) => void store.remove(kind, id),
    ids: () => store.names(kind).map(({ name }) => name),
  };
}
