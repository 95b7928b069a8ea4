/** Bodies of operators' requests, and the answers to those that cannot be met. */
import type { z } from "zod";
import { findUnsafeInteger } from "../observe/bounds.ts";
import type { KnownOperator } from "./guard.ts";

export const failure = (status: number, code: string, message: string): Response => Response.json({ error: { code, message } }, { status });

/** The parsed body, or what is wrong with it. */
export async function bodyOf<T>(request: Request, shape: z.ZodType<T>): Promise<{ readonly body: T } | { readonly response: Response }> {
  const text = await request.text().catch(() => "");
  const altered = findUnsafeInteger(text);
  if (altered !== undefined)
    return {
      response: failure(400, "invalid_arguments", `the number ${altered.slice(0, 40)} cannot be kept exactly; send it as a string`),
    };
  const parsed = shape.safeParse(jsonIn(text));
  if (parsed.success) return { body: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`).join("; ");
  return { response: failure(400, "invalid_arguments", faults) };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As events name an operator. The local socket has no token: who may open it is known by the user it belongs to. */
export const byOf = ({ name, tokenHash }: KnownOperator): string => (tokenHash === "" ? name : `operator:${name}`);

/** `?status=` as one of these words, null when there is none, or what is wrong with it. */
export function statusOf<T extends string>(
  url: URL,
  statuses: readonly T[],
): { readonly status: T | null } | { readonly response: Response } {
  const text = url.searchParams.get("status");
  const status = statuses.find((one) => one === text) ?? null;
  if (text !== null && status === null) return { response: failure(400, "invalid_arguments", `status: one of ${statuses.join(", ")}`) };
  return { status };
}
