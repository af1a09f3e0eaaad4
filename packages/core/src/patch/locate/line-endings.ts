import type { LineEnding } from "../../text/index.js";
import type { BaseText } from "../model/base-text.js";
import { type Placement, runStartOf } from "./placement.js";

/** Whether the endings of the hunk's old lines are those of the file. */
export function knowsEndings(base: BaseText, placement: Placement): boolean {
  let compared = 0;
  const differs = someOldLine(placement, (ending, position) => {
    const real = base.ending(position);
    if (ending === "" || real === "" || real === undefined) return false;
    compared += 1;
    return ending !== real;
  });
  return compared > 0 && !differs;
}

/** Whether some line of the hunk has another ending than the file's line at its position. */
export function differsInEndings(base: BaseText, placement: Placement): boolean {
  return someOldLine(placement, (ending, position) => {
    const real = base.ending(position);
    return ending !== "" && real !== "" && real !== undefined && real !== ending;
  });
}

/** Asks about the endings of the old lines and their positions in the file; with mended context only about the
 * removed ones. */
function someOldLine(placement: Placement, ask: (ending: LineEnding, position: number) => boolean): boolean {
  const { hunk: shaped, start, alignment } = placement;
  if (alignment !== undefined)
    return shaped.runs.some((run, at) =>
      shaped.old
        .slice(run.from, run.to)
        .some(({ ending }, n) => ask(ending, runStartOf(placement, run, at) + n)),
    );
  const { hunk } = shaped;
  let position = start;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === "added") continue;
    if (ask(hunk.endingOf(at), position)) return true;
    position += 1;
  }
  return false;
}
