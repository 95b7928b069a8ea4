/** What a server answers, as it is stored and shown: without secrets, and without what the policy hides. */
import { type Catalogue, placeIn } from "../../actors/catalogue.ts";
import type { ToolResult } from "../calls/open-calls.ts";
import { redactionOf } from "../observe/redaction.ts";
import type { Vault } from "../secrets/vault.ts";

export interface ConcealPorts {
  readonly vault: Pick<Vault, "conceal">;
  readonly catalogue: () => Catalogue;
}

export const createConcealResult =
  ({ vault, catalogue }: ConcealPorts) =>
  (result: ToolResult, { session, server }: { readonly session: string; readonly server?: string }): ToolResult =>
    vault.conceal(result, {
      session,
      ...(server !== undefined && { server: placeIn(catalogue(), server) ?? server }),
      further: redactionOf(catalogue().policy.classification),
    }).value;
