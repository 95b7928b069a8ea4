/** How a call was reached, and what it tells another actor when it is decided inside the turn. */
import { z } from "zod";

/** What a tool that decides inside the turn tells another actor: known before the turn, so the call cannot be left in doubt. */
export const Delivery = z.strictObject({
  to: z.string(),
  command: z.looseObject({ type: z.string() }),
  result: z.record(z.string(), z.unknown()),
});
export type Delivery = z.output<typeof Delivery>;

/** How the name was reached: by itself, or inside a management tool. */
export const Via = z.enum(["invoke_tool", "get_prompt"]);
export type Via = z.output<typeof Via>;
