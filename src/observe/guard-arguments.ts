/** What guards have in common: which of a call's arguments they are about. */

/** Every key that is the parameter in any case of its letters: servers differ in which of them they read. */
export const givenAs = (args: Readonly<Record<string, unknown>>, name: string): readonly (readonly [key: string, value: unknown])[] =>
  Object.entries(args).filter(([key]) => key.toLowerCase() === name.toLowerCase());

/** A list of texts that holds at least one, none of them empty. */
export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === "string" && entry !== "");

/** An option that the guard does not have, in words. */
export function unknownOption(options: Readonly<Record<string, unknown>>, known: readonly string[]): string | undefined {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  return unknown === undefined ? undefined : `the option "${unknown}" is not known; known: ${known.join(", ")}`;
}
