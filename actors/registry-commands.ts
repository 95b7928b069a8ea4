/** What the registry is asked, and what it causes. */

import type { Capability } from "../events/call.ts";
import type { Elicitation } from "../events/elicitation.ts";
import type { Policy } from "../events/policy.ts";
import type { Limits, ServerPolicy, Surface, TaskOffer } from "../events/registry.ts";
import type { Catalogue, Summary } from "./catalogue.ts";
import type { Tell } from "./define.ts";
import type { Finding } from "./scan/finding.ts";

/** A tool or prompt as its server declares it now. */
export interface Declared {
  readonly tool: string;
  readonly hash: string;
  readonly suffix: string;
  readonly capability: Capability;
  readonly readOnlyHint?: true;
  readonly destructiveHint?: true;
  readonly openWorldHint?: true;
  readonly idempotentHint?: true;
  readonly kind?: "prompt";
  readonly pin?: string;
  /** The parts that differ from the accepted definition. */
  readonly fields?: readonly string[];
  /** What was found in a definition that is new; none where it is the one that is offered already. */
  readonly findings?: readonly Finding[];
  readonly suspicious?: true;
}
export interface ConfiguredServer {
  readonly name: string;
  /** Used if the name is new: 12 hex digits, drawn where the command was made. */
  readonly id: string;
  readonly origin: "operator" | "builtin";
  readonly transport: string;
  readonly refused?: string;
}
/** What a server offers now. A list that could not be had is left out: the last known one stays. */
export interface SurfaceCommand {
  readonly type: "surface";
  readonly server: string;
  readonly id: string;
  readonly tools?: readonly Declared[];
  readonly prompts?: readonly Declared[];
  readonly resources?: { readonly hash: string; readonly resources: number; readonly templates: number };
  readonly about?: string;
}
export type RegistryCommand =
  | {
      readonly type: "configure";
      readonly digest: string;
      readonly limits: Limits;
      readonly naming: Catalogue["naming"];
      readonly surface?: Surface;
      readonly policy?: Policy;
      readonly elicitation?: Elicitation;
      readonly offer?: TaskOffer;
      readonly servers: readonly ConfiguredServer[];
      readonly policies: Readonly<Record<string, ServerPolicy>>;
      readonly payload?: unknown;
    }
  | SurfaceCommand
  /** What a model made of a surface. */
  | ({ readonly type: "summarise"; readonly server: string; readonly id: string } & Summary)
  | ProposalCommand
  /** Takes withheld definitions as they are now; without `tools` all of the server. `hash`: only what has this hash, or one that begins so. */
  | {
      readonly type: "accept";
      readonly server: string;
      readonly tools?: readonly string[];
      readonly hash?: string;
      readonly by: string;
    }
  | { readonly type: "switch"; readonly server: string; readonly tool: string; readonly enabled: boolean; readonly by: string };
export type ProposalCommand =
  | ({ readonly type: "propose" } & Proposal)
  /** Its address has been looked at. `id`: 12 hex digits. */
  | ({ readonly type: "register"; readonly id: string } & Proposal)
  | { readonly type: "reject"; readonly name: string; readonly reason: string }
  | { readonly type: "unregister"; readonly name: string; readonly owner: string };
/** What an agent may say of a server. */
export interface Proposal {
  readonly name: string;
  readonly owner: string;
  readonly transport: "http" | "sse";
  readonly url: string;
  /** Another server that has this address already. */
  readonly duplicateOf?: string;
}
export type RegistryEffect = Tell | { readonly type: "publish"; readonly server: string };
