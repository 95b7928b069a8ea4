/** The form of the names that people give to agents, operators, profiles, groups, rules and hooks. */
import { z } from "zod";

export const PersonName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "a name is 1 to 64 of A-Z a-z 0-9 _ . - and starts with a letter or digit");
