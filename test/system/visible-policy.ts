/** Policies made up at random, and what they mean, for the test that visible is authorised. */
import fc from "fast-check";
import { OPEN_LAYER } from "../../actors/policy/defaults.ts";
import type { PolicyLayer } from "../../events/policy.ts";

/** Names that may stand in a list, and which tools they mean. */
const MEANT: Readonly<Record<string, (server: string, tool: string) => boolean>> = {
  alpha__t0: (server, tool) => server === "alpha" && tool === "t0",
  BETA__T1: (server, tool) => server === "beta" && tool === "t1",
  "gamma__t2:wipe": () => false,
  "group:mcp:alpha": (server) => server === "alpha",
  "group:mcp": () => true,
  "group:mine": (server, tool) => server === "gamma" || (server === "beta" && tool === "t2"),
  exec: () => false,
};
const GROUPS = { mine: ["group:rest", "beta__t2"], rest: ["group:mcp:Gamma"] };
const none = fc.constant<string[]>([]);
/** Few of them, and long ones: otherwise hardly anything is left. */
export const narrowing = fc.oneof({ weight: 14, arbitrary: none }, fc.subarray(Object.keys(MEANT), { minLength: 4 }));
const names = fc.oneof({ weight: 9, arbitrary: none }, fc.subarray(Object.keys(MEANT), { minLength: 1, maxLength: 2 }));
export const layer = fc.record({ allow: narrowing, deny: names, alsoAllow: names, hardDeny: names, client: narrowing });
type Lists = typeof layer extends fc.Arbitrary<infer T> ? T : never;
/** What the lists mean, said once more in other words. */
export function isLeft(layers: readonly Lists[], requested: readonly string[], server: string, tool: string): boolean {
  const hit = (list: readonly string[]) => list.some((name) => MEANT[name]?.(server, tool));
  const narrow = (list: readonly string[]) => list.length === 0 || hit(list);
  const isIn = layers.every(({ allow, client }) => narrow(allow) && narrow(client)) && narrow(requested);
  const isOut = !isIn || layers.some(({ deny }) => hit(deny));
  return (!isOut || layers.some(({ alsoAllow }) => hit(alsoAllow))) && !layers.some(({ hardDeny }) => hit(hardDeny));
}
export const layerOf = ({ client, ...lists }: Lists): PolicyLayer => ({
  ...OPEN_LAYER,
  ...lists,
  groups: GROUPS,
  byClient: { test: { allow: client } },
});
