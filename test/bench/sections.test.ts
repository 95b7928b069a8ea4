/** Sections of RESULTS.md. */
import { expect, test } from "bun:test";
import { replaceSection, SCRUBBER, SEARCH, sectionOf, withOthers } from "../../bench/sections.ts";

const FILE = "# Results\n\n## One\n\nfirst\n\n## Two\n\nsecond\n\n### More\n\nthird\n";

test("a section is its heading and all up to the next one of its kind", () => {
  expect(sectionOf(FILE, "## One")).toBe("## One\n\nfirst\n\n");
  expect(sectionOf(FILE, "## Two")).toBe("## Two\n\nsecond\n\n### More\n\nthird\n");
  expect(sectionOf(FILE, "## Tw")).toBeUndefined();
});

test("a section is replaced where it stands, a new one goes to the end, and the others stay", () => {
  expect(replaceSection(FILE, "## One", "## One\n\nnew\n")).toBe("# Results\n\n## One\n\nnew\n\n## Two\n\nsecond\n\n### More\n\nthird\n");
  expect(replaceSection(FILE, "## Three", "## Three\n\nnew")).toBe(`${FILE}\n## Three\n\nnew\n`);
  const section = sectionOf(FILE, "## Two") ?? "";
  expect(replaceSection("# Results\n", "## Two", section)).toBe("# Results\n\n## Two\n\nsecond\n\n### More\n\nthird\n");
});

test("a new file keeps what other benches wrote into the old one", () => {
  const old = `# Old\n\n## Goals\n\nold\n\n${SEARCH}\n\nfound\n\n${SCRUBBER}\n\nhidden\n`;
  expect(withOthers("# New\n\n## Goals\n\nnew\n", old)).toBe(`# New\n\n## Goals\n\nnew\n\n${SEARCH}\n\nfound\n\n${SCRUBBER}\n\nhidden\n`);
  expect(withOthers("# New\n", "# Old\n")).toBe("# New\n");
});
