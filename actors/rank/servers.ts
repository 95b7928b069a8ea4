/** Ranks whole servers: half by their names, purpose and names of tools, where words that stand together count more, half by the tool that fits best. */
import { serverFields, type ToolDocument } from "./fields.ts";
import { rarityOf, saturated } from "./postings.ts";
import { LONGEST_QUERY } from "./query.ts";
import { createScorer, ordinal } from "./score.ts";
import { piecesOf, runsOf } from "./words.ts";

export interface RankedServer<D> {
  readonly server: string;
  /** From 0.01 to 1, which the best one has. */
  readonly score: number;
  /** At most three: those that fit the query best, then the server's first ones. */
  readonly tools: readonly D[];
}

const TOOLS = 3;
const PHRASE = 2;
const MOST_PHRASES = 48;

const wordsOf = (text: string): readonly string[] => runsOf(text).flatMap((run) => piecesOf(run).parts);

/** Words with a space around each, so that neighbours can be looked for; words of different texts are no neighbours. */
const spaced = (texts: readonly string[]): string => texts.map((text) => ` ${wordsOf(text).join(" ")} `).join("\n");

function phrasesOf(query: string): readonly string[] {
  const words = wordsOf(query.slice(0, LONGEST_QUERY));
  const pairs = words.slice(1).map((word, at) => ` ${words[at]} ${word} `);
  return [...new Set(pairs)].slice(0, MOST_PHRASES);
}

export function createServerSearch<D extends ToolDocument>(documents: readonly D[], scoreTools: (query: string) => Float64Array) {
  const servers = [...Map.groupBy(documents.keys(), (at) => documents[at]?.server ?? "")];
  const fields = servers.map(([, tools]) => {
    const [first] = tools.flatMap((at) => documents[at] ?? []);
    const names = tools.map((at) => documents[at]?.tool ?? "");
    return first === undefined ? [] : serverFields(first, names);
  });
  const scorer = createScorer(fields);
  const phrased = fields.map((own) => spaced(own.flatMap(({ texts }) => texts)));

  const phraseScores = (query: string): Float64Array => {
    const scores = new Float64Array(servers.length);
    for (const phrase of phrasesOf(query)) {
      const counts = phrased.map((text) => text.split(phrase).length - 1);
      const rarity = rarityOf(counts.filter((count) => count > 0).length, servers.length);
      counts.forEach((count, server) => {
        scores[server] = (scores[server] ?? 0) + PHRASE * rarity * saturated(count);
      });
    }
    return scores;
  };

  const bestTools = (server: number, scores: Float64Array): readonly D[] => {
    const fit = (at: number): number => scores[at] ?? 0;
    const tools = (servers[server]?.[1] ?? []).toSorted((a, b) => fit(b) - fit(a));
    return tools.slice(0, TOOLS).flatMap((at) => documents[at] ?? []);
  };

  /** From 0 to 1 by server: its own text and its best tool, each as a share of the best one's. */
  const scoreServers = (query: string, tools: Float64Array): readonly number[] => {
    const texts = phraseScores(query);
    scorer.score(query).forEach((score, at) => {
      texts[at] = (texts[at] ?? 0) + score;
    });
    const best = servers.map(([, own]) => own.reduce((most, at) => Math.max(most, tools[at] ?? 0), 0));
    const [mostText, mostTool] = [Math.max(...texts) || 1, Math.max(...best) || 1];
    const both = best.map((tool, server) => (texts[server] ?? 0) / mostText + tool / mostTool);
    const most = Math.max(...both) || 1;
    return both.map((score) => score / most);
  };

  return (query: string, limit: number): readonly RankedServer<D>[] => {
    const tools = scoreTools(query);
    return scoreServers(query, tools)
      .map((score, at) => ({ server: servers[at]?.[0] ?? "", score, at }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || ordinal(a.server, b.server))
      .slice(0, limit)
      .map(({ server, score, at }) => ({ server, score: Math.max(0.01, Math.round(100 * score) / 100), tools: bestTools(at, tools) }));
  };
}
