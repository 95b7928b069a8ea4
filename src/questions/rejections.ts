/** How often an answer was turned down before anything was sent, by why. */
export type Rejection = "unknown" | "malformed" | "form" | "decision-without-user" | "refused" | "settled" | "not-connected";

export interface Rejections {
  add(reason: Rejection): void;
  /** As metrics show them. */
  samples(): readonly { readonly labels: { readonly reason: string }; readonly value: number }[];
}

export function createRejections(): Rejections {
  const counts = new Map<Rejection, number>();
  return {
    add: (reason) => void counts.set(reason, (counts.get(reason) ?? 0) + 1),
    samples: () => [...counts].map(([reason, value]) => ({ labels: { reason }, value })),
  };
}
