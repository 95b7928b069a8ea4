/** Whether a text for `sed` runs programs: the command `e`, and the flag `e` of a replacement. */

const ADDRESS = /(?:\d+|\$|\/(?:\\.|[^/\\])*\/|[\s,!~+])*/y;

/** Command by command; what it does not know it passes over up to the next line or semicolon. Linear. */
export function runsPrograms(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    ADDRESS.lastIndex = at;
    ADDRESS.test(text);
    at = Math.max(at, ADDRESS.lastIndex);
    const command = text[at];
    if (command === "e") return true;
    if (command === "s" || command === "y") {
      const end = endOfReplacement(text, at + 1);
      const flags = /[a-zA-Z0-9]*/y;
      flags.lastIndex = end;
      const given = flags.exec(text)?.[0] ?? "";
      if (command === "s" && /^[a-vxz0-9A-Z]*e/.test(given.replace(/w.*/, ""))) return true;
      at = end + given.length;
    } else if (command === undefined || "{};".includes(command)) continue;
    while (at < text.length && !/[;\n}]/.test(text[at] ?? "")) at += 1;
  }
  return false;
}

/** Behind the third of its delimiters; `from` is the first. */
function endOfReplacement(text: string, from: number): number {
  const delimiter = text[from];
  let parts = 0;
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === delimiter && ++parts === 2) return at + 1;
  }
  return text.length;
}
