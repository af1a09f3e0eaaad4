import { setImmediate as nextTurn } from "node:timers/promises";
import type { Pace } from "@holdfast/core/text";
import { watchedByWork } from "./interrupt.js";
import type { Invocation } from "./invocation.js";

/** What long work says of itself while it goes on. */
interface Telling {
  /** What is done, as `Importing`. */
  readonly doing: string;
}

/**
 * Carries out work that a person started and waits for. On a terminal one line on standard error says how far it is;
 * Ctrl-C ends the work at its next slice, and a second one the program; no slice holds the process for long. There is
 * no limit of time.
 *
 * @param work asks its pace between two steps.
 * @returns what the work returns; it says itself that it was interrupted.
 */
export async function atPersonsPace<Result>(
  { terminal, settings }: Pick<Invocation, "terminal" | "settings">,
  { doing }: Telling,
  work: (pace: Pace) => Promise<Result>,
): Promise<Result> {
  const isShown = terminal.errIsTerminal && !settings.json && process.env.TERM !== "dumb";
  const begun = Date.now();
  let [rested, told, hasLine] = [begun, begun, false];
  const { isInterrupted, end } = watchedByWork();
  const pace: Pace = async ({ done, of }) => {
    const now = Date.now();
    if (now - rested >= sliceMs) {
      if (isShown && now - told >= everyMs) {
        terminal.err(`${lineStart}${doing}: ${share(done, of)}`);
        [told, hasLine] = [now, true];
      }
      await nextTurn();
      rested = Date.now();
    }
    return !isInterrupted();
  };
  try {
    return await work(pace);
  } finally {
    end();
    if (hasLine) terminal.err(lineStart);
  }
}

function share(done: number, of: number): string {
  return of === 0 ? "…" : `${Math.min(100, Math.floor((100 * done) / of))} % of ${of.toLocaleString("en")}`;
}

/** To the beginning of the line, which is cleared. */
const lineStart = "\r\u001b[K";
const sliceMs = 10;
/** Work that is over sooner shows nothing. */
const everyMs = 200;
