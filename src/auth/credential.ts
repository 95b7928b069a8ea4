/** One token in memory and the way to the next: however many ask at the same time, it is renewed once. */

export interface Grant {
  readonly accessToken: string;
  /** Milliseconds since the epoch, like `expiresAt`. */
  readonly obtainedAt: number;
  readonly expiresAt?: number | undefined;
}
/** Why there is no token. `lasting`: somebody has to act. */
export interface Refusal {
  readonly ok: false;
  readonly why: string;
  readonly lasting: boolean;
}
export type Obtained = { readonly ok: true; readonly token: string } | Refusal;

export interface CredentialPorts {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What was stored, if anything. */
  readonly load: () => Grant | undefined;
  /** Never rejects. */
  readonly renew: () => Promise<{ readonly ok: true; readonly grant: Grant } | Refusal>;
}
export interface Credential {
  /** `refused`: the server has just answered 401 to this one. Never rejects. */
  token(refused?: string): Promise<Obtained>;
  /** Looks at what is stored again: somebody logged in or out. */
  forget(): void;
}

/** A token is renewed so long before it expires, or at nine tenths of its time where that is later. */
const MARGIN_MS = 30_000;
/** A server that refuses what came in place of a token that it had refused would refuse the next one too. */
const REPLACED_MS = 30_000;
/** For so long the same answer is given without asking again. */
const REFUSED_MS = { lasting: 30_000, passing: 2000 } as const;

export const isFresh = ({ obtainedAt, expiresAt }: Grant, now: number): boolean =>
  expiresAt === undefined || now < expiresAt - Math.min(MARGIN_MS, (expiresAt - obtainedAt) / 10);

const isOver = ({ expiresAt }: Grant, now: number): boolean => expiresAt !== undefined && now >= expiresAt;

export function createCredential({ now, load, renew }: CredentialPorts): Credential {
  let current: Grant | undefined;
  let renewing: Promise<Obtained> | undefined;
  let refusal: (Refusal & { readonly until: number }) | undefined;
  let generation = 0;
  /** Came in place of one that the server had refused. */
  let replacement: string | undefined;

  const renewed = async (): Promise<Obtained> => {
    const started = generation;
    const result = await renew();
    renewing = undefined;
    if (result.ok) {
      if (started === generation) current = result.grant;
      refusal = undefined;
      return { ok: true, token: result.grant.accessToken };
    }
    if (started === generation) refusal = { ...result, until: now() + (result.lasting ? REFUSED_MS.lasting : REFUSED_MS.passing) };
    return result;
  };

  const renewal = (): Obtained | Promise<Obtained> => {
    if (refusal !== undefined && now() < refusal.until) return refusal;
    renewing ??= renewed();
    return renewing;
  };

  return {
    async token(refused) {
      const serves = (grant: Grant | undefined) => grant !== undefined && grant.accessToken !== refused && isFresh(grant, now());
      let held = current ?? load();
      if (!serves(held)) held = load() ?? held; // somebody may have logged in meanwhile
      current = held;
      if (held !== undefined && serves(held)) return { ok: true, token: held.accessToken };
      if (held !== undefined && refused === held.accessToken && refused === replacement && now() - held.obtainedAt < REPLACED_MS)
        return { ok: false, why: "the server refuses a token that was just obtained", lasting: true };
      const result = await renewal();
      if (result.ok && refused !== undefined) replacement = result.token;
      if (result.ok || result.lasting || held === undefined || held.accessToken === refused || isOver(held, now())) return result;
      return { ok: true, token: held.accessToken }; // good for a moment still
    },
    forget() {
      generation++;
      current = undefined;
      refusal = undefined;
    },
  };
}
