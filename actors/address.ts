/** Addresses of actors, which are also the names of their streams. */

export const REGISTRY = "registry";
export const SYSTEM = "system";
/** The ledgers: every question and every task that is open. */
export const QUESTIONS = "questions";
export const TASKS = "tasks";
/** What agents were denied, in all their sessions. */
export const DENIALS = "denials";
/** The built-in tools run through a server of their own, exactly like a downstream one. */
export const BUILTIN = "builtin";

/** Server names are equal without regard to case, so the address is lower case. */
export const serverAddress = (name: string): string => `server/${name.toLowerCase()}`;
export const sessionAddress = (id: string): string => `session/${id}`;

/** `session/s_1` → `session`. */
export const kindOf = (address: string): string => {
  const slash = address.indexOf("/");
  return slash < 0 ? address : address.slice(0, slash);
};
/** `session/s_1` → `s_1`. */
export const nameOf = (address: string): string => address.slice(address.indexOf("/") + 1);
