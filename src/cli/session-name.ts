/** The name of a session on the command line. */
import { InvalidArgumentError } from "commander";

/** As the doors take it. Throws commander's error for a bad option value. */
export function sessionName(text: string): string {
  if (!/^[A-Za-z0-9._:-]{1,128}$/.test(text)) throw new InvalidArgumentError("a session name has 1 to 128 of A-Z a-z 0-9 . _ : -");
  return text;
}
