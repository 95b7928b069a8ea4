/** Cuts text of any script into lower-case words: at everything that is no letter or digit, at humps (`getUserName`), and scripts that write no spaces into pairs of characters. */
import { stemOf } from "./stem.ts";

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
const ASCII_LOWER = /^[a-z0-9]+$/;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+/gu;
const MARKS = /[\u0300-\u036f]/g;
/** `userName` and `PDFFile` have a hump, the plural `URLs` has none. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{L}))/u;
/** Nothing that anybody looks for is longer. */
const LONGEST = 64;

/** A run of letters and digits taken apart; `whole` is there where the run has humps ("GitHub" is one word beside "git" and "hub"). */
export interface Pieces {
  readonly whole: string | undefined;
  readonly parts: readonly string[];
}

/** The runs of letters and digits, uncut and unchanged. */
export const runsOf = (text: string): readonly string[] => text.match(RUN) ?? [];

/** All words stemmed. */
export function piecesOf(run: string): Pieces {
  if (ASCII_LOWER.test(run)) return { whole: undefined, parts: [stemOf(run.slice(0, LONGEST))] };
  const humps = run.slice(0, LONGEST).normalize("NFKD").replace(MARKS, "").normalize("NFKC").split(HUMP);
  const words = humps.flatMap((part) => unspaced(part.toLowerCase())).filter((word) => word !== ""); // a run of marks alone leaves nothing
  const parts = words.map(stemOf);
  return { whole: humps.length > 1 ? stemOf(humps.join("").toLowerCase()) : undefined, parts };
}

/** "中文搜索mcp" is 中文, 文搜, 搜索 and mcp. */
function unspaced(word: string): readonly string[] {
  const parts: string[] = [];
  const rest = word.replace(UNSPACED, (run) => {
    const characters = [...run];
    if (characters.length === 1) parts.push(run);
    for (let at = 1; at < characters.length; at++) parts.push(`${characters[at - 1]}${characters[at]}`);
    return " ";
  });
  return parts.length === 0 ? [word] : [...parts, ...rest.split(" ").filter((part) => part !== "")];
}
