/** "Did you mean …?": the nearest of some known words, by edit distance. */

/** The known word nearest to `word`, or undefined when none is near enough to be a slip of the keyboard. Case does not count. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase().slice(0, 64);
  const tolerance = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = tolerance + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `did you mean "x"?`, or undefined. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const candidate = nearest(word, known);
  return candidate === undefined ? undefined : `did you mean "${candidate}"?`;
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
