/** What of a tool is searched, how much a word counts there, and how much of a long text is read. */
import type { Field } from "./postings.ts";

/** A tool as the search sees it. */
export interface ToolDocument {
  /** The name it is called by (`server__tool`); no two tools share one. */
  readonly name: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly server: string;
  readonly serverTitle?: string;
  /** What the server is for. */
  readonly summary?: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly description?: string }[];
}

const LIMITS = { opening: 300, description: 600, summary: 200, longSummary: 2_000, parameter: 80, parameters: 32 } as const;
const SENTENCE_END = /[.!?](?=\s|$)|[。！？]|\n\s*\n/u;

/** The first sentence says what a tool does; what follows says how to use it, often at length. */
function opening(description: string): readonly [string, string] {
  const text = description.slice(0, LIMITS.description).trim();
  const end = SENTENCE_END.exec(text.slice(0, LIMITS.opening));
  const cut = end === null ? LIMITS.opening : end.index + 1;
  return [text.slice(0, cut), text.slice(cut)];
}

/** A word of a name counts about as much in a name of five words as in one of two; a word of a long text counts less than one of a short text. */
const name = (weight: number, usualLength: number, ...texts: readonly string[]): Field => ({
  texts,
  weight,
  usualLength,
  lengthPenalty: 0.5,
});
const prose = (weight: number, usualLength: number, ...texts: readonly string[]): Field => ({
  texts,
  weight,
  usualLength,
  lengthPenalty: 0.75,
});

/** Makes a tool's fields, the name first. The fields of a server are the same objects for all its tools, so that they are read once. */
export function toolFields(): (document: ToolDocument) => readonly Field[] {
  const servers = new Map<string, readonly Field[]>();
  const ofServer = ({ server, serverTitle = "", summary = "" }: ToolDocument): readonly Field[] => {
    const key = `${server}\n${serverTitle}\n${summary}`;
    const known = servers.get(key);
    if (known !== undefined) return known;
    const fields = [name(1.5, 2, server), name(1, 4, serverTitle), prose(0.3, 30, summary.slice(0, LIMITS.summary))];
    servers.set(key, fields);
    return fields;
  };
  return (document) => {
    const parameters = document.parameters.slice(0, LIMITS.parameters);
    const [first, rest] = opening(document.description);
    return [
      name(5, 3, document.tool),
      prose(2, 10, first),
      prose(0.6, 20, rest),
      prose(0.5, 5, ...parameters.map((parameter) => parameter.name)),
      prose(0.15, 10, ...parameters.map(({ description = "" }) => description.slice(0, LIMITS.parameter))),
      ...ofServer(document),
    ];
  };
}

/** The fields of a server as a whole. */
export function serverFields({ server, serverTitle = "", summary = "" }: ToolDocument, tools: readonly string[]): readonly Field[] {
  return [name(3, 2, server), name(3, 4, serverTitle), prose(1, 30, summary.slice(0, LIMITS.longSummary)), prose(1, 20, ...tools)];
}
