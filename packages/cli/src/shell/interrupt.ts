import type { EventEmitter } from "node:events";
import { exitCodes } from "./exit-codes.js";

/**
 * Ctrl-C cancels at once, except in the few milliseconds in which a file is being changed: a write that
 * has begun is finished and reported, and the second Ctrl-C is obeyed wherever it comes.
 */
export function watchInterrupts(): void {
  process.on("SIGINT", () => leave(exitCodes.cancelled));
  // Without a handler a signal ends the process past its exit hooks, and commands that it started would go on: SIGHUP
  // comes where the terminal is closed, SIGQUIT by Ctrl-\.
  for (const [signal, number] of ending) process.on(signal, () => leave(128 + number));
}

const ending = [
  ["SIGTERM", 15],
  ["SIGHUP", 1],
  ["SIGQUIT", 3],
] as const;

/** Runs work that is to be finished once it has begun. */
export async function finishOnceBegun<Result>(work: () => Promise<Result>): Promise<Result> {
  writing += 1;
  try {
    return await work();
  } finally {
    writing -= 1;
  }
}

/**
 * Work that ends itself when it is asked to: the first Ctrl-C is its own, and the second is obeyed wherever it comes.
 */
export function watchedByWork(onInterrupt = () => {}): {
  readonly isInterrupted: () => boolean;
  readonly end: () => void;
} {
  const mine = { isInterrupted: false, onInterrupt };
  working.add(mine);
  return { isInterrupted: () => mine.isInterrupted, end: () => void working.delete(mine) };
}

/** Work that waits for others, so that Ctrl-C ends the program at once: with what stands then, in half a sentence. */
export async function interruptible<Result>(stands: string, work: () => Promise<Result>): Promise<Result> {
  standing = stands;
  try {
    return await work();
  } finally {
    standing = undefined;
  }
}

let standing: string | undefined;
let writing = 0;
let asked = false;
const working = new Set<{ isInterrupted: boolean; readonly onInterrupt: () => void }>();

function leave(exitCode: number): void {
  const unasked = [...working].filter(({ isInterrupted }) => !isInterrupted);
  if (unasked.length > 0 && exitCode === exitCodes.cancelled) {
    for (const work of unasked) {
      work.isInterrupted = true;
      work.onInterrupt();
    }
    asked = true;
    return;
  }
  if (writing > 0 && !asked) {
    asked = true;
    return;
  }
  if (standing !== undefined) process.stderr.write(`Interrupted: ${standing}\n`);
  process.exit(exitCode);
}

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
