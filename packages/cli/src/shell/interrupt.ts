import { exitCodes } from "./exit-codes.js";

/**
 * Ctrl-C cancels at once, except in the few milliseconds in which a file is being changed: a write that
 * has begun is finished and reported, and the second Ctrl-C is obeyed wherever it comes.
 */
export function watchInterrupts(): void {
  process.on("SIGINT", () => leave(exitCodes.cancelled));
  process.on("SIGTERM", () => leave(128 + 15));
}

/** Runs work that is to be finished once it has begun. */
export async function finishOnceBegun<Result>(work: () => Promise<Result>): Promise<Result> {
  writing += 1;
  try {
    return await work();
  } finally {
    writing -= 1;
  }
}

let writing = 0;
let asked = false;

function leave(exitCode: number): void {
  if (writing > 0 && !asked) {
    asked = true;
    return;
  }
  process.exit(exitCode);
}
