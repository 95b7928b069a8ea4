/** Rows for people: aligned columns where they fit, and on a terminal that is too narrow for them one field a line. Nothing but the last column is ever cut. */
import { bold, cut, dim, inline, width } from "./print.ts";

export type Cell = string | number;
export interface TableOptions {
  /** What becomes of a last column that does not fit: lists cut it, stories go on in the next line. */
  readonly last?: "cut" | "wrap";
  /** Of the terminal. */
  readonly columns?: number;
}

const GAP = 2;
/** With less room than this the last column of a list says nothing, and one of a story becomes a ribbon. */
const LEAST = { cut: 24, wrap: 40 } as const;
const INDENT = " ".repeat(8);

/** Plain text under its headers, no line ends in blanks. Numbers stand right. */
export function table(headers: readonly string[], rows: readonly (readonly Cell[])[], options: TableOptions = {}): string {
  const { last = "cut", columns = width() } = options;
  const texts = rows.map((row) => row.map((cell) => inline(String(cell))));
  const widths = headers.map((header, column) => Math.max(header.length, ...texts.map((row) => row[column]?.length ?? 0)));
  const end = headers.length - 1;
  const before = widths.slice(0, end).reduce((sum, one) => sum + one + GAP, 0);
  const room = columns - before;
  const isNumber = (column: number) => typeof rows[0]?.[column] === "number";
  const columnsOf = (cells: readonly string[]) =>
    cells
      .slice(0, end)
      .map((text, column) => (isNumber(column) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)) + " ".repeat(GAP))
      .join("");
  const lastOf = (text: string) => (isNumber(end) ? text.padStart(widths[end] ?? 0) : text);
  const fits = (widths[end] ?? 0) <= room;
  if (!fits && (before > columns || (last === "cut" && room < LEAST.cut))) return stacked(headers, texts, columns, last);

  const lineOf = (cells: readonly string[]): string => {
    const text = lastOf(cells[end] ?? "");
    if (fits || last === "cut") return `${columnsOf(cells)}${cut(text, room)}`.trimEnd();
    // A story whose last column has no room of its own goes on below, indented.
    if (room < LEAST.wrap)
      return [columnsOf(cells).trimEnd(), ...wrapped(text, columns - INDENT.length).map((line) => INDENT + line)].join("\n");
    return `${columnsOf(cells)}${wrapped(text, room).join(`\n${" ".repeat(before)}`)}`.trimEnd();
  };
  return [dim(cut(`${columnsOf(headers)}${lastOf(headers[end] ?? "")}`.trimEnd(), columns)), ...texts.map(lineOf)].join("\n");
}

function stacked(headers: readonly string[], rows: readonly (readonly string[])[], columns: number, last: "cut" | "wrap"): string {
  const label = Math.max(...headers.slice(1).map(({ length }) => length)) + GAP;
  const room = columns - GAP - label;
  const field = (header: string, text: string): string => {
    const lines = last === "cut" ? [cut(text, room)] : wrapped(text, room);
    return `  ${dim(header.padEnd(label))}${lines.join(`\n${" ".repeat(GAP + label)}`)}`;
  };
  return rows
    .flatMap(([first = "", ...rest]) => [
      bold(first),
      ...rest.flatMap((text, index) => (text === "" ? [] : [field(headers[index + 1] ?? "", text)])),
    ])
    .join("\n");
}

/** Lines of at most `columns` characters, broken at blanks where there are any. */
export function wrapped(text: string, columns: number): string[] {
  const room = Math.max(columns, 1);
  const lines: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const blank = rest.lastIndexOf(" ", room);
    const end = blank > room / 2 ? blank : room;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return rest === "" && lines.length > 0 ? lines : [...lines, rest];
}
