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

const LIMITS = { opening: 300, description: 600, summary: 300, parameter: 80, parameters: 32 } as const;
const SENTENCE_END = /[.!?](?=\s|$)|[。！？]|\n\s*\n/u;

/** The first sentence says what a tool does; what follows says how to use it, often at length. */
function opening(description: string): readonly [string, string] {
  const text = description.slice(0, LIMITS.description).trim();
  const end = SENTENCE_END.exec(text.slice(0, LIMITS.opening));
  const cut = end === null ? LIMITS.opening : end.index + 1;
  return [text.slice(0, cut), text.slice(cut)];
}

const field = (weight: number, lengthPenalty: number, ...texts: readonly string[]): Field => ({ weight, lengthPenalty, texts });

/** Makes a tool's fields, the name first. The fields of a server are the same objects for all its tools, so that they are read once. */
export function toolFields(): (document: ToolDocument) => readonly Field[] {
  const servers = new Map<string, readonly Field[]>();
  const ofServer = ({ server, serverTitle = "", summary = "" }: ToolDocument): readonly Field[] => {
    const key = JSON.stringify([server, serverTitle, summary]);
    const known = servers.get(key);
    if (known !== undefined) return known;
    const fields = [field(1.5, 0.5, server), field(1, 0.5, serverTitle), field(0.3, 0.75, summary.slice(0, LIMITS.summary))];
    servers.set(key, fields);
    return fields;
  };
  return (document) => {
    const parameters = document.parameters.slice(0, LIMITS.parameters);
    const [first, rest] = opening(document.description);
    return [
      field(5, 0.5, document.tool),
      field(2, 0.75, first),
      field(0.6, 0.75, rest),
      field(0.5, 0.75, ...parameters.map(({ name }) => name)),
      field(0.15, 0.75, ...parameters.map(({ description = "" }) => description.slice(0, LIMITS.parameter))),
      ...ofServer(document),
    ];
  };
}
