import type { EventEmitter } from "node:events";

// A cast: its types know the events of Node alone. The first file and a command are bundles of their own, and share no module.
const events = process as EventEmitter;
const gone = "holdfast: nobody reads standard output";

/**
 * Says that work ends itself when the reader of standard output goes away: the program then goes on until the work is over.
 *
 * @param onGone may be called more than once. @returns what ends the watch.
 */
export function watchOutputReader(onGone: () => void): () => void {
  events.on(gone, onGone);
  return () => void events.off(gone, onGone);
}

/** Tells the work that the reader is gone. @returns whether there is any; the program ends at once where there is none. */
export function outputReaderIsGone(): boolean {
  return events.emit(gone);
}
