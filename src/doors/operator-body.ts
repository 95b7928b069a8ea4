/** Bodies of operators' requests, and the answers to those that cannot be met. */
import type { z } from "zod";

export const failure = (status: number, code: string, message: string): Response => Response.json({ error: { code, message } }, { status });

/** The parsed body, or what is wrong with it. */
export async function bodyOf<T>(request: Request, shape: z.ZodType<T>): Promise<{ readonly body: T } | { readonly response: Response }> {
  const json: unknown = await request.json().catch(() => undefined);
  const parsed = shape.safeParse(json);
  if (parsed.success) return { body: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`).join("; ");
  return { response: failure(400, "invalid_arguments", faults) };
}
