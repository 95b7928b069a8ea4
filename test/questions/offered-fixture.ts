/** A client that follows calls as tasks, and the server behind them. */
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import type { Session } from "../../src/mcp/upstream/backend.ts";
import type { ClientAbilities } from "../../src/mcp/upstream/client-abilities.ts";
import { createClientTasks } from "../../src/questions/client-tasks.ts";
import { harness } from "../harness.ts";
import { modernServer } from "./fixture.ts";

export const FOLLOWS: ClientAbilities = { era: "modern", elicitation: true, tasks: true };
export const HANDBACK = { elicitation: { ...DEFAULT_ELICITATION, mode: "handback" as const } };
export const AUTO = { elicitation: { ...DEFAULT_ELICITATION, mode: "auto" as const } };

const principal = (agent: string) => ({ agent, profile: "default" });
export const sessionOf = (id: string, agent = "ada"): Session => ({ id, name: id, principal: principal(agent) });
export const ADA = sessionOf("s_1");

export async function place(more: Parameters<typeof harness>[0] = {}, client = FOLLOWS) {
  const files = modernServer(["act", "look"]);
  const made = await harness({ servers: { files }, ...more });
  const ada = await made.session("s_1");
  const { runtime, views, questions, log } = made;
  const tasks = createClientTasks({ runtime, views, parked: questions.parked, answer: questions.answer, since: log.head.position });
  const get = async (id: string, session = ADA, as = client) => {
    const answer = await tasks.get(session, id, as);
    await made.settle();
    return answer?.ok ? (answer.result as Record<string, never> & { status: string }) : answer;
  };
  /** A call, and its handle once it has one. */
  const offered = async (name = "files__act", args = {}) => {
    const call = ada.call(name, args, { abilities: client });
    await made.settle();
    await made.clock.advance(20_000);
    const handle = (await call) as unknown as { resultType: string; taskId: string; status: string };
    return handle;
  };
  return { ...made, files, ada, tasks, get, offered };
}
