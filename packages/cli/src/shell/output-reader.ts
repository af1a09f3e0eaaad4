/** Work that ends itself where nobody reads standard output any more. */
const watching = new Set<() => void>();

/**
 * Says that work ends itself when the reader of standard output goes away: the program then goes on until the work is over.
 *
 * @param onGone may be called more than once. @returns what ends the watch.
 */
export function watchOutputReader(onGone: () => void): () => void {
  watching.add(onGone);
  return () => void watching.delete(onGone);
}

/** Tells the work that the reader is gone. @returns whether there is any; the program ends at once where there is none. */
export function outputReaderIsGone(): boolean {
  for (const onGone of watching) onGone();
  return watching.size > 0;
}
