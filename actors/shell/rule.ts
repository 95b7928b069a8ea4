/** What a rule of the table is. */
import type { Group } from "./groups.ts";
import type { Invocation } from "./invocation.ts";

/** What came before in the same line, as far as rules ask. */
export interface Line {
  /** How the file of this name, if it is a file that the line makes, came to be: by what the network sent, or by spelling out what could not be read. */
  readonly madeBy: (file: string) => "download" | "decoding" | undefined;
}

export interface Rule {
  readonly group: Group;
  /** Programs that it is about; without them it is about every command. */
  readonly programs?: readonly string[];
  /** Without it the program alone is enough. */
  readonly when?: (of: Invocation, line: Line) => boolean;
  /** What was seen: of the rule, never of the command, which may hold secrets. */
  readonly seen: string;
}

/** Names, between blanks. */
export const names = (text: string): readonly string[] => text.split(/\s+/).filter((name) => name !== "");
