/** What agents, people and clients of a random life answer, rightly and wrongly. */
import type { QuestionView } from "../../src/calls/question-views.ts";
import type { InputRequest } from "../../src/mcp/downstream/downstream.ts";
import type { Asked, Life } from "./asking-life.ts";
import { pick } from "./lives.ts";

/** Open ones first, the newest before the others. */
export function questionOf(life: Life, which: number): QuestionView | undefined {
  const ids = life.log.query<{ id: string }>("select id from questions order by status = 'open' desc, position desc");
  const id = pick(ids, which)?.id;
  return id === undefined ? undefined : life.world.views.question(id);
}
/** A value that can be found again where it should not be. */
export function canary({ canaries }: Life): string {
  const value = `canary${canaries.length}bird`;
  canaries.push(value);
  return value;
}
const fitting = (life: Life, type: string) => (type === "choice" ? "home" : type === "boolean" ? true : canary(life));

export function answersTo(life: Life, { fields }: Pick<QuestionView, "fields">, how: string): Record<string, unknown> {
  if (how === "wrong") return { [fields[0]?.name ?? "mailbox"]: [canary(life)], more: canary(life) };
  return Object.fromEntries(fields.map(({ name, type }) => [name, fitting(life, type)]));
}
function responseTo(life: Life, { params }: InputRequest, how: string) {
  if (how === "decline") return { action: "decline" as const };
  const { properties } = params["requestedSchema"] as { properties: Record<string, { type: string; enum?: string[] }> };
  const entries = Object.entries(properties).map(([name, { type, enum: choices }]) => {
    const right = choices ? choices[0] : fitting(life, type);
    return [name, how === "wrong" ? [canary(life)] : right] as const;
  });
  return { action: "accept" as const, content: Object.fromEntries(entries) };
}

const parkedOf = ({ asked }: Life): readonly Asked[] => asked.filter(({ told }) => told?.["resultType"] === "input_required").toReversed();

export function retry(life: Life, which: number, how: string): void {
  const entry = pick(parkedOf(life), which);
  if (!entry) return;
  const { inputRequests = {}, requestState = "" } = entry.told as {
    inputRequests?: Record<string, InputRequest>;
    requestState?: string;
  };
  const keys = Object.keys(inputRequests).slice(how === "partly" ? 1 : 0);
  const responses = keys.map((key) => [key, responseTo(life, inputRequests[key] as InputRequest, how)] as const);
  life.ask(
    entry.session,
    entry.name,
    { ...entry.args },
    {
      requestState: how === "altered" ? `${requestState.slice(0, -3)}AAA` : requestState,
      inputResponses: Object.fromEntries(responses),
      abilities: { era: "modern", elicitation: true, tasks: false },
    },
  );
}
