import type { LineEnding } from "../../text/index.js";
import type { BaseText } from "../model/base-text.js";
import { type Placement, runStartOf } from "./placement.js";

/**
 * Whether the endings of the hunk's old lines are those of the file.
 *
 * @returns "unknown" if none of them is ended on both sides.
 */
export function compareEndings(base: BaseText, placement: Placement): "same" | "different" | "unknown" {
  let compared: "same" | "unknown" = "unknown";
  const differs = someOldLine(placement, (ending, position) => {
    const real = base.ending(position) ?? "";
    if (ending === "" || real === "") return false;
    compared = "same";
    return ending !== real;
  });
  return differs ? "different" : compared;
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
