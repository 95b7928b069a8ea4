/** Cuts a server's instructions to a length, at the end of a line, and says so. */

/** In the details of a server. */
export const DETAILS_CAP = 2000;

const GUIDE_WORDS = ["guide", "skill", "help", "instructions", "readme", "docs"];

/** Tools by whose name one would expect the rest of the text there. */
export const isGuideLike = (tool: string): boolean => GUIDE_WORDS.some((word) => tool.toLowerCase().includes(word));

/** `guides` names, as the agent calls them, the server's tools that may tell the rest. */
export function capInstructions(text: string, cap: number, guides: readonly string[] = []): string {
  if (text.length <= cap) return text;
  const line = text.lastIndexOf("\n", cap);
  const kept = text.slice(0, line < cap / 2 ? wholeCharacters(text, cap) : line).trimEnd();
  const more = guides.length > 0 ? ` The server's own guide may cover the rest: ${guides.join(", ")}.` : "";
  return `${kept}\n\n[Server instructions truncated: ${kept.length} of ${text.length} characters shown.${more}]`;
}

/** Never between the two halves of one character. */
const wholeCharacters = (text: string, at: number): number => (/[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at);
