/** Two simple rankings that ours is compared with: BM25 over all text of a tool, and points for words in names and descriptions. */
import type { ToolDocument } from "../../actors/rank.ts";
import type { Ranking } from "./tool-search.ts";

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function ranked(documents: readonly ToolDocument[], score: (at: number) => number): readonly ToolDocument[] {
  const scored = documents.map((document, at) => ({ document, score: score(at) })).filter(({ score: points }) => points > 0);
  scored.sort((a, b) => b.score - a.score || (a.document.name < b.document.name ? -1 : 1));
  return scored.map(({ document }) => document);
}

/** Okapi BM25 with k1 1.2 and b 0.75 over one text per tool: names, title, summary, description and parameters; lower-case words, no stemming, no weights. */
export function plainBm25(documents: readonly ToolDocument[]): Ranking {
  const texts = documents.map(({ tool, server, serverTitle = "", summary = "", description, parameters }) =>
    wordsOf([tool, server, serverTitle, summary, description, ...parameters.flatMap((one) => [one.name, one.description ?? ""])].join(" ")),
  );
  const usual = texts.reduce((sum, words) => sum + words.length, 0) / texts.length;
  const frequencies = texts.map((words) => new Map([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length])));
  const spread = Map.groupBy(
    frequencies.flatMap((counts) => [...counts.keys()]),
    (word) => word,
  );
  return (query) => {
    const words = [...new Set(wordsOf(query))];
    return ranked(documents, (at) =>
      words.reduce((sum, word) => {
        const count = frequencies[at]?.get(word) ?? 0;
        const having = spread.get(word)?.length ?? 0;
        const rarity = Math.log((texts.length - having + 0.5) / (having + 0.5) + 1);
        return sum + (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * (texts[at]?.length ?? 0)) / usual));
      }, 0),
    );
  };
}

/** 1,000 points for the whole name; by word 80 for a word of the tool's name, 50 for a part of it, 30 for a part of the published name, 10 in the description, 5 in what the server says of itself. */
export function points(documents: readonly ToolDocument[]): Ranking {
  const texts = documents.map(({ name, tool, server, serverTitle = "", summary = "", description }) => ({
    name: name.toLowerCase(),
    tool: tool.toLowerCase(),
    words: new Set(wordsOf(tool.replace(/([a-z])([A-Z])/g, "$1 $2"))),
    description: description.toLowerCase(),
    server: `${server} ${serverTitle} ${summary}`.toLowerCase(),
  }));
  return (query) => {
    const whole = query.trim().toLowerCase();
    const words = new Set(whole.match(/[a-z0-9]{2,}/g) ?? []);
    return ranked(documents, (at) => {
      const text = texts[at];
      if (text === undefined) return 0;
      let sum = whole === text.name || whole === text.tool ? 1_000 : 0;
      for (const word of words) {
        sum += text.words.has(word) ? 80 : text.tool.includes(word) ? 50 : text.name.includes(word) ? 30 : 0;
        sum += (text.description.includes(word) ? 10 : 0) + (text.server.includes(word) ? 5 : 0);
      }
      return sum;
    });
  };
}
