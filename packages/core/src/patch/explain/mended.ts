import { clip, escapeForDisplay } from "../../text/index.js";
import type { Repair } from "../model/types.js";
import { count } from "./excerpt.js";

/**
 * The sentence that belongs right after the word of a success: which context was not the file's, and where. A
 * reader who takes it for his own success goes on from a wrong picture of the file.
 *
 * @returns undefined where all context was the file's.
 */
export function describeMendedContext(repairs: readonly Repair[]): string | undefined {
  const mended = repairs.filter(({ kind }) => kind === "context_mended");
  if (mended.length === 0) return undefined;
  const shown = mended
    .slice(0, shownHunks)
    .map(({ hunk, detail }) => `hunk ${hunk ?? 1}, ${clip(escapeForDisplay(detail), 300)}`);
  const more = mended.length > shownHunks ? `; and ${count(mended.length - shownHunks, "hunk")} more` : "";
  return `Its context is not that of the file everywhere: ${shown.join("; ")}${more}.`;
}

/**
 * The sentence that belongs right after the seed's words where the diff's header names another file: the caller may
 * have meant that one.
 *
 * @returns undefined where it does not.
 */
export function describeOtherFile(repairs: readonly Repair[]): string | undefined {
  const other = repairs.find(({ otherFile }) => otherFile !== undefined)?.otherFile;
  if (other === undefined) return undefined;
  const name = escapeForDisplay(JSON.stringify(clip(other, 200)));
  return `The diff's header names another file, ${name}; the file that the call names counts.`;
}

const shownHunks = 5;
