/** Has memory collected now and then while many calls begin to wait: not for what is freed then, but so that what stays lies close together. */

/** So many calls begin to wait between two collections; each takes some tens of milliseconds. */
const EACH = 100;

/**
 * Measured: with it 1,000 open questions cost 9 MB less. Why, as far as can be told from outside: the collector does not move objects, so what a
 * waiting call keeps holds the block of memory it lies in, among what its requests have left. Everything else stands still meanwhile. The result is to
 * be called for each call that begins to wait; others cost nothing.
 */
export function createGather(collect: () => void): () => void {
  let begun = 0;
  return () => {
    begun += 1;
    if (begun % EACH === 0) collect();
  };
}
