/** How deep in hooks a call is: a hook is given a pass that nobody else can make, and whatever it calls brings it along. */
import { timingSafeEqual } from "node:crypto";

/** Where a hook that is a program finds its pass; where requests over HTTP, and over MCP, bring it. */
export const DEPTH_VARIABLE = "TOOLCRIB_HOOK_DEPTH";
export const DEPTH_HEADER = "toolcrib-hook-depth";
export const DEPTH_META = "toolcrib/depth";

/** Hooks may call tools, which hooks are asked about: so deep, and no deeper. */
export const MAX_HOOK_DEPTH = 3;

/** Keyed: only we can make one. */
type Digest = (value: unknown) => string;

const PASS = /^(\d{1,3})\.([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,128})$/;
const proofOf = (depth: number, call: string, digest: Digest): string => digest({ hookDepth: depth, call });

/** For a hook that is asked, or told, about `call`, which is `depth` deep itself: one more for what it calls. */
export const passFor = ({ id: call, depth = 0 }: { readonly id: string; readonly depth?: number }, digest: Digest): string =>
  `${depth + 1}.${call}.${proofOf(depth + 1, call, digest)}`;

/**
 * What a request says of its depth, as far as it can be believed: a pass counts. A bare number counts only where nothing would be asked any more,
 * since conditions of hooks look at the depth, and an agent that could choose it would choose what no hook asks about.
 */
export function depthOf(said: unknown, digest: Digest): number {
  if (typeof said === "number") return said > MAX_HOOK_DEPTH ? said : 0;
  const [, depth, call, proof] = typeof said === "string" ? (PASS.exec(said) ?? []) : [];
  if (depth === undefined || call === undefined || proof === undefined) return 0;
  const wanted = Buffer.from(proofOf(Number(depth), call, digest));
  const given = Buffer.from(proof);
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? Number(depth) : 0;
}
