/** Whether a text is one reading statement. SQLite itself guards the database; this keeps out what would act elsewhere, and what it would silently ignore. */

const QUOTES: Readonly<Record<string, string>> = { "'": "'", '"': '"', "`": "`", "[": "]" };

/** The text without comments, and with every quoted part made empty. */
function skeleton(sql: string): string {
  let out = "";
  for (let at = 0; at < sql.length; at++) {
    const char = sql[at] ?? "";
    const close = QUOTES[char];
    const until = (end: string, from: number): number => {
      const found = sql.indexOf(end, from);
      return found < 0 ? sql.length : found + end.length - 1;
    };
    if (close !== undefined) {
      at = until(close, at + 1);
      out += "''";
    } else if (sql.startsWith("--", at)) {
      at = until("\n", at);
      out += " ";
    } else if (sql.startsWith("/*", at)) {
      at = until("*/", at + 2);
      out += " ";
    } else out += char;
  }
  return out.trim();
}

/** A sentence, or undefined when the text may be run. */
export function whyNotReading(sql: string): string | undefined {
  const bare = skeleton(sql);
  if (bare === "") return "q is empty: give one SELECT, WITH or EXPLAIN statement";
  if (!/^(select|with|explain|values)\b/i.test(bare)) return "only one SELECT, WITH or EXPLAIN statement can be run here";
  if (/;\s*[^;\s]/.test(bare)) return "only one statement can be run at a time: there is more after the semicolon";
  return undefined;
}
