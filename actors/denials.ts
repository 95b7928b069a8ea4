/** The ledger of denials: how often each agent was told no about each tool, in whichever session it asked. */
import { DenialCounted, type DenialEvent, DenialsForgiven } from "../events/limits.ts";
import { defineActor } from "./define.ts";
import { without } from "./server-rules.ts";

const MAX_AGENTS = 1000;
const MAX_TOOLS = 100;
const MAX_DENIALS = 100;

/** By server's incarnation and tool: until when each denial counts. */
type Denied = Readonly<Record<string, readonly number[]>>;
/** By agent; agents and tools in the order in which they were denied last. */
export type DenialsState = Readonly<Record<string, Denied>>;
export interface DeniedTool {
  /** Of its incarnation. */
  readonly server: string;
  /** As published, with `:operation` where it has several. */
  readonly tool: string;
}
export type DenialsCommand =
  | ({ readonly type: "count"; readonly agent: string; readonly at: number; readonly until: number } & DeniedTool)
  /** An operator lets the agent ask again. */
  | { readonly type: "forgive"; readonly agent: string; readonly by: string };

const keyOf = ({ server, tool }: DeniedTool): string => `${server}\n${tool}`;
const ownOf = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(table, key) ? table[key] : undefined);

/** How many denials of this tool count against the agent at this time. */
export const deniedTimes = (state: DenialsState, agent: string, tool: DeniedTool, now: number): number =>
  (ownOf(ownOf(state, agent) ?? {}, keyOf(tool)) ?? []).filter((until) => until > now).length;

/** The tools of which a denial counts against the agent at this time. */
export const deniedTools = (state: DenialsState, agent: string, now: number): DeniedTool[] =>
  Object.entries(counting(ownOf(state, agent) ?? {}, now)).map(([key]) => {
    const [server = "", tool = ""] = key.split("\n");
    return { server, tool };
  });

const counting = (denied: Denied, now: number): Denied =>
  Object.fromEntries(
    Object.entries(denied).flatMap(([key, untils]) => {
      const left = untils.filter((until) => until > now);
      return left.length > 0 ? [[key, left]] : [];
    }),
  );

/** What grew old is forgotten with the next denial, whoever's it was. */
function counted(
  state: DenialsState,
  { agent, at, until, ...tool }: { agent: string; at: number; until: number } & DeniedTool,
): DenialsState {
  const others = Object.entries(without(state, agent)).flatMap(([other, denied]) => {
    const left = counting(denied, at);
    return Object.keys(left).length > 0 ? [[other, left] as const] : [];
  });
  const own = counting(ownOf(state, agent) ?? {}, at);
  const key = keyOf(tool);
  const denied = [...(ownOf(own, key) ?? []), until].slice(-MAX_DENIALS);
  const tools = [...Object.entries(without(own, key)).slice(1 - MAX_TOOLS), [key, denied]];
  return Object.fromEntries([...others.slice(1 - MAX_AGENTS), [agent, Object.fromEntries(tools)]]);
}

export const Denials = defineActor<DenialsState, DenialsCommand, DenialEvent, never>({
  kind: "denials",
  shape: 1,
  initialState: {},
  decide: {
    count: (_, { type: _t, ...denial }) => [DenialCounted(denial)],
    forgive: (state, { agent, by }, { now }) => (deniedTools(state, agent, now).length > 0 ? [DenialsForgiven({ by, agent })] : []),
  },
  evolve: {
    "denial.counted": counted,
    "denials.forgiven": (state, { agent = "" }) => without(state, agent),
  },
  react: {},
  recover: () => [],
  isQuiet: () => false,
});
