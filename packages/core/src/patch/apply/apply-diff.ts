import { explainUnlocated, explainUnshiftable } from "../explain/explain.js";
import { describeLanding, describeOtherFile, describeRepairs, toChanges } from "../explain/report.js";
import { findMissingIdle, isCutOff } from "../locate/already-applied.js";
import { locateHunks } from "../locate/locate.js";
import type { AlreadyApplied, Located, Unlocated } from "../locate/matches.js";
import { BaseText } from "../model/base-text.js";
import { changesNothing, type HunkLine, type ShapedHunk, shapeHunk } from "../model/hunk.js";
import { LineTable } from "../model/line-table.js";
import { internalError, invalidDiff, refusePatch } from "../model/refusal.js";
import { Deadline, finish, finishInTurns, mapSteps, type Steps } from "../model/steps.js";
import type { PatchOutcome, PatchRefusal, PatchRequest, PatchSuccess, Repair } from "../model/types.js";
import { findPlaceholder, inFence, isPlaceholder } from "../read/open-hunk.js";
import { type ParsedDiff, parseDiff } from "../read/parse.js";
import { isExecutable } from "../read/sections.js";
import {
  describeEmpty,
  describeName,
  isEmptyBlob,
  keptMode,
  refuseAsWhole,
  refuseSize,
  restoreLines,
  unescapeDiff,
} from "../read/whole.js";
import { applyEdits, applyStrictly } from "./apply.js";
import { correctHunks } from "./correct.js";

/**
 * Applies a unified diff that a language model wrote to the text it was written for: reads it tolerantly,
 * finds the one position of every hunk, writes it anew with the file's own lines, applies that strictly, twice,
 * and compares. All hunks land, or none.
 *
 * Pure and synchronous, never throws. A hunk with two possible positions is refused, never guessed; lines
 * outside the hunks keep their bytes.
 */
export function applyDiff(request: PatchRequest): PatchOutcome {
  return finish(applySteps(request, new Deadline(request.limitMs ?? usualLimitMs)));
}

/**
 * The same, with the same outcome, in a process that has other things to do: whenever it has worked for 5 ms, it
 * waits until `pause` resolves. The time that this takes does not count for `limitMs`.
 *
 * @param pause resolves once the others had their turn, such as `setImmediate` of `node:timers/promises`.
 */
export async function applyDiffInTurns(
  request: PatchRequest,
  pause: () => Promise<unknown>,
): Promise<PatchOutcome> {
  const deadline = new Deadline(request.limitMs ?? usualLimitMs);
  return finishInTurns(applySteps(request, deadline), deadline, pause);
}

const usualLimitMs = 5_000;

/** The work of `applyDiff`, for whoever drives it in a way of their own. */
export function* applySteps(request: PatchRequest, deadline: Deadline): Steps<PatchOutcome> {
  const unescaped = unescapeDiff(request.diff);
  const diff = unescaped ?? request.diff;
  yield;
  const tooLarge = refuseSize(diff);
  if (tooLarge !== undefined) return tooLarge;
  const base = new BaseText(request.base ?? "");
  const onlyReturns = !base.text.includes("\n") && base.text.includes("\r");
  const parsed = yield* parseDiff(diff, {
    isBaseLine: (text) => base.hasLine(text),
    splitReturns: onlyReturns,
    deadline,
    isBusy: () => base.takeSearches(),
    relieve: () => base.prepareSearches(),
  });
  yield;
  if (deadline.late()) return timeout();
  const refusal = refuseAsWhole(parsed);
  if (refusal !== undefined) return refusal;
  if (deadline.late()) return timeout();
  const restored = yield* restoreLines(base, diff, parsed.hunks, deadline);
  if (restored.kind === "refusal") return deadline.late() ? timeout() : restored;
  const hunks = yield* mapSteps(restored.hunks, (hunk) => shapeHunk(hunk, deadline));
  if (deadline.late()) return timeout();
  if (request.base === null || isCreation(base, parsed, hunks))
    return createFromDiff(request.base, parsed, hunks);
  const unescaping: readonly Repair[] = unescaped === undefined ? [] : [escapedTwice];
  const repairs = [...unescaping, ...parsed.repairs, ...restored.repairs];
  return yield* patch(base, { ...request, diff }, { ...parsed, repairs }, hunks, deadline);
}

function* patch(
  base: BaseText,
  request: PatchRequest,
  parsed: ParsedDiff,
  hunks: readonly ShapedHunk[],
  deadline: Deadline,
): Steps<PatchOutcome> {
  const isIdle = yield* mapSteps(hunks, changesNothing);
  const changing = isIdle.includes(true) ? hunks.filter((_, at) => isIdle[at] === false) : hunks;
  const idle = changing === hunks ? [] : hunks.filter((_, at) => isIdle[at]);
  const repairs: readonly Repair[] = [
    ...parsed.repairs,
    ...describeName(parsed, request.path),
    ...describeEmpty(idle),
  ];
  const unchanged = (code: "no_change" | "already_applied"): PatchSuccess => {
    return { kind: "success", code, text: base.text, landed: [], changes: [], repairs };
  };
  const missing = () => findMissingIdle(base, idle, deadline);
  const placeholder = findPlaceholder(base, request.diff, changing);
  if (placeholder !== undefined) return refusePlaceholder(placeholder.hunk, placeholder.text);
  yield;
  const whole = base.ending(0) === "\r" ? replaceReturns(base, request) : undefined;
  if (whole !== undefined) return { ...whole, repairs };
  const located =
    changing.length === 0 ? yield* missing() : yield* orElse(locateHunks(base, changing, deadline), missing);
  yield;
  if (deadline.late()) return timeout();
  const last = hunks.at(-1);
  const placement =
    located?.kind === "located" ? located.placements.find(({ hunk }) => hunk === last) : undefined;
  if (last !== undefined && isCutOff(base, last, placement)) return refuseCut(last);
  if (located === undefined) return unchanged("no_change");
  switch (located.kind) {
    case "unlocated":
      return sayOtherFile(yield* explainUnlocated(base, located, deadline), repairs);
    case "already_applied":
      return unchanged("already_applied");
    case "located":
      return yield* land(base, located, request, repairs, deadline);
    default:
      return located satisfies never;
  }
}

/** Git sees one line in a file whose only terminator is `\r`: its diff says to the byte what becomes of all of it. */
function replaceReturns(base: BaseText, request: PatchRequest): Omit<PatchSuccess, "repairs"> | undefined {
  const text = (request.applier ?? applyStrictly)(base.text, request.diff);
  if (text === false || text === base.text) return undefined;
  const changes = [{ oldFrom: 0, oldTo: base.count, newFrom: 0, newTo: new LineTable(text).count }];
  return { kind: "success", code: "applied", text, landed: [], changes };
}

/** Right after the seed's words: that the diff was made for another file may be why it does not fit. */
function sayOtherFile(refusal: PatchRefusal, repairs: readonly Repair[]): PatchRefusal {
  const other = describeOtherFile(repairs);
  const { code, message, ...more } = refusal;
  if (other === undefined || !message.startsWith(invalidDiff)) return refusal;
  return refusePatch(code, `${invalidDiff} ${other}${message.slice(invalidDiff.length)}`, more);
}

/** A hunk that changes nothing is asked about last: what the others lack is said first. */
function* orElse(
  locating: Steps<Located | AlreadyApplied | Unlocated>,
  missing: () => Steps<Unlocated | undefined>,
): Steps<Located | AlreadyApplied | Unlocated> {
  const located = yield* locating;
  return located.kind === "unlocated" ? located : ((yield* missing()) ?? located);
}

function* land(
  base: BaseText,
  located: Located,
  request: PatchRequest,
  known: readonly Repair[],
  deadline: Deadline,
): Steps<PatchOutcome> {
  const corrected = yield* correctHunks(base, located.placements, deadline);
  if (corrected.kind !== "edits")
    return explainUnshiftable(base, corrected.placement, corrected.line, corrected.kind);
  if (deadline.late()) return timeout();
  const { finalNewline } = corrected;
  const text =
    corrected.edits.length === 0
      ? base.text
      : yield* applyEdits(base, corrected.edits, request.applier ?? applyStrictly, deadline);
  if (text === undefined) return deadline.late() ? timeout() : refusePatch("internal_error", internalError);
  const ending: readonly Repair[] =
    finalNewline === undefined
      ? []
      : [{ kind: "final_newline", detail: `newline at the end of the file ${finalNewline}` }];
  yield;
  const landed = describeLanding(located.placements);
  const changes = toChanges(corrected.edits);
  yield;
  const repairs = [...known, ...describeRepairs(base, located), ...ending];
  const code = text === base.text ? "no_change" : "applied";
  return { kind: "success", code, text, landed, changes, repairs };
}

function refuseCut({ hunk, oldCount, newCount }: ShapedHunk): PatchRefusal {
  const { numbers } = hunk.header;
  return refusePatch(
    "invalid_diff",
    `Invalid Diff: The diff ends in the middle of hunk ${hunk.number}; it was cut off. Its header announces ${numbers?.oldCount ?? 0} old and ${numbers?.newCount ?? 0} new lines, and it has ${oldCount} and ${newCount}. Nothing was changed. Send all of it again, in several calls if it is too long for one; if nothing is missing, correct these counts.`,
    { hunk: hunk.number },
  );
}

function refusePlaceholder(hunk: number, text: string): PatchRefusal {
  return refusePatch(
    "placeholder",
    `Hunk ${hunk} adds ${JSON.stringify(text)}, which stands for text that was left out and would replace it. Write out what is to stand in the file; what stays the same needs no line, or a context line.${inFence} Nothing was changed.`,
    { hunk },
  );
}

function timeout(): PatchRefusal {
  return refusePatch(
    "timeout",
    "Finding the places of the hunks took too long. Nothing was changed. Send fewer hunks at a time.",
  );
}

const escapedTwice: Repair = { kind: "escaped", detail: "the diff was escaped twice" };

/** Whether the diff says that there was no file, or nothing in it. */
function isCreation(base: BaseText, parsed: ParsedDiff, hunks: readonly ShapedHunk[]): boolean {
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
function createFromDiff(base: string | null, parsed: ParsedDiff, hunks: readonly ShapedHunk[]): PatchOutcome {
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
