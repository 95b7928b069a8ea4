/** What a session has read so far, as far as it matters to what it may write. */
export interface Taint {
  readonly untrusted?: true;
  readonly private?: true;
}
type Source = keyof Taint;
/** What one call reads. */
export type Taints = readonly Source[];

/** The very same object where nothing new was read. */
export const withTaint = (taint: Taint | undefined, sources: Taints = []): Taint | undefined =>
  sources.every((source) => taint?.[source]) ? taint : { ...taint, ...Object.fromEntries(sources.map((source) => [source, true])) };
