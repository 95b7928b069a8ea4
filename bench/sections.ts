/** Sections of RESULTS.md that different benches write: each replaces its own and leaves the others. */

/** What `bench/search.ts` writes. */
export const SEARCH = "## Tool search";
/** What `bench/scrub.ts` writes. */
export const SCRUBBER = "## Scrubber";
const GATES = "## Gates";
const SERVERS = "## Large catalogues";
const OTHERS = [SEARCH, SCRUBBER, GATES, SERVERS];

/** From `heading` (a line of two hashes) up to the next of its kind; undefined where there is none. */
function find(file: string, heading: string): { readonly start: number; readonly end: number } | undefined {
  const start = `\n${file}`.indexOf(`\n${heading}\n`);
  if (start < 0) return undefined;
  const next = file.indexOf("\n## ", start + heading.length);
  return { start, end: next < 0 ? file.length : next + 1 };
}

export function sectionOf(file: string, heading: string): string | undefined {
  const found = find(file, heading);
  return found && file.slice(found.start, found.end);
}

/** `section` begins with `heading`; a new one goes to the end. */
export function replaceSection(file: string, heading: string, section: string): string {
  const { start, end } = find(file, heading) ?? { start: file.length, end: file.length };
  const parts = [file.slice(0, start), section, file.slice(end)].map((part) => part.trim()).filter((part) => part !== "");
  return `${parts.join("\n\n")}\n`;
}

/** A new file with the sections that other benches wrote into the old one. */
export function withOthers(file: string, old: string): string {
  return OTHERS.reduce((whole, heading) => {
    const section = sectionOf(old, heading);
    return section === undefined ? whole : replaceSection(whole, heading, section);
  }, file);
}
