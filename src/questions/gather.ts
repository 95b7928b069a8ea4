/** Has memory collected now and then while many calls begin to wait: not for what is freed then, but so that what stays lies close together. */

/** So many calls begin to wait between two collections; each takes some tens of milliseconds. */
const EACH = 100;

/**
 * The collector never moves anything. What a waiting call keeps is small and stays for long, and between one call and the next lies what their
 * requests have left: without a collection in between, almost every call holds a block of 16 KB of its own. The result is to be called for each
 * call that begins to wait; others cost nothing.
 */
export function createGather(collect: () => void): () => void {
  let begun = 0;
  return () => {
    begun += 1;
    if (begun % EACH === 0) collect();
  };
}
