/** A kernel with servers and a chat endpoint: what a model is asked for their summaries, and what becomes of its answers. */
import { createLlm, type Llm } from "../../src/llm/client.ts";
import { createFacts } from "../../src/system/facts.ts";
import { createLanguage } from "../../src/system/language.ts";
import { type ChatEndpoint, serveChat } from "../fixtures/chat-endpoint.ts";
import { type FakeServer, fakeServer, harness, type memoryLog, tool } from "../harness.ts";

export const SUMMARY = "Keeps the letters of one person. It sends, lists and files them, and knows nothing else.";
export const LISTS = "Provides 2 tool(s): act, look.";

interface Options {
  readonly say?: Parameters<typeof serveChat>[0];
  readonly servers?: Readonly<Record<string, FakeServer>>;
  readonly policies?: NonNullable<Parameters<typeof harness>[0]>["policies"];
  readonly log?: ReturnType<typeof memoryLog>;
}

export async function place({ say = () => SUMMARY, servers = { mail: fakeServer() }, policies = {}, log }: Options = {}) {
  const endpoint = serveChat(say);
  const it = await harness({ servers, policies, ...(log && { log }) });
  const said: string[] = [];
  const llm = createLlm({ clock: it.clock, redact: it.vault.redactText });
  let open = 0;
  const complete: Llm["complete"] = async (question) => {
    open++;
    return llm.complete(question).finally(() => open--);
  };
  const language = createLanguage({
    llm: { ...llm, complete },
    kernel: () => it,
    clock: it.clock,
    redact: it.vault.redactText,
    say: (line) => {
      said.push(line);
    },
  });
  const tier = (model: string) => ({ baseUrl: endpoint.url, model, supportsImageInput: false, secrets: [] });
  language.configure({ low: tier("small") });
  const factsOf = createFacts({
    catalogue: it.runtime.catalogue,
    connections: it.connections,
    documentOf: it.definitions.document,
    summaryOf: language.summaryOf,
  });
  return {
    ...it,
    endpoint,
    language,
    tier,
    said,
    factsOf,
    summaryOf: (server = "mail") => factsOf(server).summary,
    /** So much time passes, once every question that is under way has its answer. */
    async pass(ms: number) {
      await until(() => open === 0);
      await it.clock.advance(ms);
    },
    recorded: () => it.types("registry").filter((type) => type === "server.summarised").length,
    [Symbol.dispose]() {
      language.stop();
      endpoint[Symbol.dispose]();
    },
  };
}
export type Place = Awaited<ReturnType<typeof place>>;

/** Looks again and again, without the clock. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
/** A model that answers when the test says so. */
export function slowly() {
  const answers: (() => void)[] = [];
  const say = () => new Promise<string>((resolve) => answers.push(() => resolve(SUMMARY)));
  return { say, answer: () => answers.shift()?.() };
}
export const asked = ({ asked: all }: ChatEndpoint, count: number) => until(() => all.length >= count);
/** Lets time pass until so many questions were asked. */
export async function askedInTime({ endpoint, pass }: Pick<Place, "endpoint" | "pass">, count: number): Promise<void> {
  while (endpoint.asked.length < count) await pass(1000);
}
export const mailServer = (...tools: readonly string[]) => fakeServer(tools.map((name) => tool(name)));
