/** What the debug routes answer with, and how they read their parameters. */

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

interface Refusal extends Error {
  readonly status: number;
  readonly code: string;
}

/** Thrown while a request is read; the router turns it into the answer. */
export function refusal(status: number, code: string, message: string): Refusal {
  return Object.assign(new Error(message), { status, code });
}
export const badParameter = (message: string): Refusal => refusal(400, "invalid_arguments", message);
export const notThere = (message: string): Refusal => refusal(404, "tool_not_found", message);
export const isRefusal = (error: unknown): error is Refusal => error instanceof Error && "status" in error && "code" in error;

export const failure = (status: number, code: string, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ error: { code, message } }, { status, headers: { "cache-control": "no-store", ...headers } });

/** Nothing of the debug API may stay in a cache. */
export const answer = (body: object): Response => Response.json(body, { headers: { "cache-control": "no-store" } });

/** Fields that hold nothing are left out. */
export const present = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined));

/** A whole number ≥ 0 of the query, or undefined when the parameter is not there. */
export function numberOf(url: URL, name: string): number | undefined {
  const text = url.searchParams.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text)) throw badParameter(`${name}: a whole number from 0 on, not ${JSON.stringify(text.slice(0, 40))}`);
  return value;
}

/** A parameter that is there and not empty. */
export const textOf = (url: URL, name: string): string | undefined => url.searchParams.get(name) || undefined;

/** One of a fixed set of words. */
export function wordOf<T extends string>(url: URL, name: string, words: readonly T[]): T | undefined {
  const text = textOf(url, name);
  const word = words.find((one) => one === text);
  if (text !== undefined && word === undefined) throw badParameter(`${name}: one of ${words.join(", ")}`);
  return word;
}

export interface Paging {
  /** Rows after this position. */
  readonly after: number;
  readonly limit: number;
}

/** `?after=&limit=`: 100 rows unless told, and never more than 1,000. */
export function pagingOf(url: URL): Paging {
  const limit = numberOf(url, "limit") ?? DEFAULT_LIMIT;
  if (limit === 0) throw badParameter("limit: from 1 to 1000");
  return { after: numberOf(url, "after") ?? 0, limit: Math.min(limit, MAX_LIMIT) };
}
