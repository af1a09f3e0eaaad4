import type { BaseText } from "../model/base-text.js";
import type { HunkLine, ShapedHunk } from "../model/hunk.js";
import { invalidDiff, refusePatch } from "../model/refusal.js";
import type { PatchOutcome } from "../model/types.js";
import type { ParsedDiff } from "../read/parse.js";
import { isPlaceholder } from "../read/placeholder.js";
import { isExecutable } from "../read/sections.js";
import { isEmptyBlob, keptMode } from "../read/whole.js";

/** Whether the diff says that there was no file, or nothing in it. */
export function isCreation(base: BaseText, parsed: ParsedDiff, hunks: readonly ShapedHunk[]): boolean {
  if (saysCreation(parsed)) return true;
  const [only, second] = hunks;
  const numbers = only?.hunk.header.numbers;
  if (only === undefined || second !== undefined || numbers === undefined) return false;
  if (numbers.oldStart !== 0 || numbers.oldCount !== 0 || !only.hunk.lines.every(isNew)) return false;
  // `@@ -0,0 +1 @@` also puts lines before the first one; but a file written anew holds much of the old one.
  return base.count === 0 || hasHalfOfLines(base, only.hunk.lines);
}

function hasHalfOfLines(base: BaseText, lines: readonly HunkLine[]): boolean {
  const index = base.index("trimmed");
  const kept = new Set(lines.map((line) => index.idOf(line.text)));
  const { positions } = base.nonBlankLines;
  let count = 0;
  for (const position of positions) if (kept.has(index.ids[position] ?? -1)) count += 1;
  return count * 2 >= positions.length;
}

function saysCreation({ sections }: ParsedDiff): boolean {
  return sections.some((section) => section.creation);
}

/**
 * Makes the text of a new file.
 *
 * @param base what is there: `null` for no file. A file with other content is not written over.
 */
export function createFromDiff(
  base: string | null,
  parsed: ParsedDiff,
  hunks: readonly ShapedHunk[],
): PatchOutcome {
  const lines = hunks.flatMap(({ hunk }) => hunk.lines);
  if (!lines.every(isNew)) {
    if (!saysCreation(parsed) && base === null) {
      return refusePatch(
        "file_missing",
        "The file does not exist, but the diff changes lines of it. Read the folder again, or create the file with a diff from /dev/null.",
      );
    }
    return refusePatch(
      "invalid_diff",
      `${invalidDiff} It creates a file, so every line must begin with "+".`,
      {
        hunk: hunks.find(({ hunk }) => !hunk.lines.every(isNew))?.hunk.number ?? 1,
      },
    );
  }
  const omission = lines.find((line) => isPlaceholder(line.text));
  if (omission !== undefined) {
    return refusePatch(
      "placeholder",
      `The diff adds ${JSON.stringify(omission.text.trim())}, which stands for text that was left out. Write out the whole file.`,
      { hunk: 1 },
    );
  }
  return finishCreation(base, parsed, hunks, lines);
}

function finishCreation(
  base: string | null,
  parsed: ParsedDiff,
  hunks: readonly ShapedHunk[],
  lines: readonly HunkLine[],
): PatchOutcome {
  const ending = lines.find((line) => line.ending !== "")?.ending ?? "\n";
  const ended = hunks.at(-1)?.hunk.newLacksNewline !== true;
  const text = lines
    .map((line, at) => line.text + (at < lines.length - 1 || ended ? line.ending || ending : ""))
    .join("");
  if (base !== null && base !== "" && base !== text) {
    return refusePatch(
      "exists",
      "The diff creates the file, but it exists and is not empty. Send a diff against its content, or overwrite it as a whole.",
    );
  }
  const [first] = hunks;
  const landed = {
    hunk: first?.hunk.number ?? 1,
    oldStart: 0,
    oldLines: 0,
    newStart: 1,
    newLines: lines.length,
  };
  const mode = parsed.sections.find(({ mode }) => isExecutable(mode))?.mode;
  const blob = parsed.sections.find((one) => one.creation)?.blobs?.split("..")[1];
  // Models write the hash of no bytes beside any file; git has no lines below it, so that none can be lost.
  const isTold = blob !== undefined && !/^0+$/.test(blob) && !(text !== "" && isEmptyBlob(blob));
  const code = base !== text ? "applied" : text === "" ? "no_change" : "already_applied";
  return {
    kind: "success",
    code,
    text,
    landed: code === "applied" && lines.length > 0 ? [landed] : [],
    changes:
      code === "applied" && lines.length > 0
        ? [{ oldFrom: 0, oldTo: 0, newFrom: 0, newTo: lines.length }]
        : [],
    repairs: mode === undefined || base === null ? parsed.repairs : [...parsed.repairs, keptMode(mode)],
    ...(mode === undefined ? {} : { isExecutable: true }),
    ...(isTold ? { blob } : {}),
  };
}

/** In a new file every line is new; of blank ones the `+` is often forgotten. */
function isNew(line: HunkLine): boolean {
  return line.kind === "added" || (line.bare && line.text === "");
}
