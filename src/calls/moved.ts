/** Why a call that waits cannot go where its server is now: what markers stood for goes back only to where it was read. */
import { type Catalogue, placeIn } from "../../actors/catalogue.ts";

/** Of arguments in which markers became originals. */
export function readAt(catalogue: Catalogue, server: string): { readonly revealedAt?: string } {
  const place = placeIn(catalogue, server);
  return place === undefined ? {} : { revealedAt: place };
}

/** Undefined when it can. */
export function movedFrom(
  { name, revealedAt }: { readonly name: string; readonly revealedAt?: string },
  catalogue: Catalogue,
): { readonly code: "invalid_arguments"; readonly rule: string; readonly reason: string } | undefined {
  const server = catalogue.names.get(name)?.server;
  if (revealedAt === undefined || server === undefined || placeIn(catalogue, server) === revealedAt) return undefined;
  const reason = "they hold a redacted value that was read at another address of this server";
  return { code: "invalid_arguments", rule: "redacted-value", reason };
}
