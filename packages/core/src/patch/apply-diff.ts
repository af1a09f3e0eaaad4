import { applyEdits, applyStrictly } from "./apply.js";
import { BaseText } from "./base-text.js";
import { restoreLines, unescapeDiff } from "./channel.js";
import { correctHunks } from "./correct.js";
import { createFromDiff, isCreation } from "./create.js";
import { Deadline } from "./deadline.js";
import { dialectNames } from "./dialect.js";
import { explainMisfit, internalError, invalidDiff, refusePatch } from "./explain.js";
import { changesNothing, type ShapedHunk, shapeHunk } from "./hunk.js";
import { locateHunks } from "./locate.js";
import { type ParsedDiff, parseDiff } from "./parse.js";
import { findPlaceholder } from "./placeholder.js";
import type { Located } from "./placement.js";
import { describeLanding, describeRepairs } from "./report.js";
import type { PatchOutcome, PatchRefusal, PatchRequest, PatchSuccess, Repair } from "./types.js";

/**
 * Applies a unified diff that a language model wrote to the text it was written for: reads it tolerantly,
 * finds the one place of every hunk, writes it anew with the file's own lines, applies that strictly, twice,
 * and compares. All hunks land, or none.
 *
 * Pure and synchronous, never throws. A hunk with two possible places is refused, never guessed; lines
 * outside the hunks keep their bytes.
 */
export function applyDiff(request: PatchRequest): PatchOutcome {
  const unescaped = unescapeDiff(request.diff);
  const diff = unescaped ?? request.diff;
  const deadline = new Deadline(request.limitMs ?? 5_000);
  if (diff.length > diffLimit) {
    return refusePatch("too_large", "The diff is larger than 64 MiB. Send it in parts.");
  }
  const base = new BaseText(request.base ?? "");
  const onlyReturns = !base.text.includes("\n") && base.text.includes("\r");
  const parsed = parseDiff(diff, {
    isBaseLine: (text) => base.index("trailing").idOf(text) >= 0,
    splitReturns: onlyReturns,
    deadline,
  });
  if (deadline.late()) return timeout();
  const refusal = refuseAsWhole(parsed);
  if (refusal !== undefined) return refusal;
  if (deadline.late()) return timeout();
  const restored = restoreLines(base, parsed.hunks);
  const hunks = restored.hunks.map(shapeHunk);
  if (request.base === null || isCreation(base, parsed, hunks))
    return createFromDiff(request.base, parsed, hunks);
  const told: readonly Repair[] = unescaped === undefined ? [] : [escapedTwice];
  const repairs = [...told, ...parsed.repairs, ...restored.repairs];
  return patch(base, request, { ...parsed, repairs }, hunks, deadline);
}

function patch(
  base: BaseText,
  request: PatchRequest,
  parsed: ParsedDiff,
  hunks: readonly ShapedHunk[],
  deadline: Deadline,
): PatchOutcome {
  const asking = hunks.filter((hunk) => !changesNothing(hunk));
  const repairs: readonly Repair[] = [
    ...parsed.repairs,
    ...describeName(parsed, request.path),
    ...describeEmpty(hunks),
  ];
  const addedText = joinAdded(asking);
  const unchanged = (code: "no_change" | "already_applied"): PatchSuccess => {
    return { kind: "success", code, text: base.text, landed: [], repairs, addedText };
  };
  if (asking.length === 0) return unchanged("no_change");
  const placeholder = findPlaceholder(base, asking);
  if (placeholder !== undefined) return refusePlaceholder(placeholder.hunk, placeholder.text);
  const located = locateHunks(base, asking, deadline);
  if (deadline.late()) return timeout();
  switch (located.kind) {
    case "misfit":
      return explainMisfit(base, located);
    case "already":
      return unchanged("already_applied");
    case "located":
      return land(base, located, request, { repairs, addedText }, deadline);
    default:
      return located satisfies never;
  }
}

function land(
  base: BaseText,
  located: Located,
  request: PatchRequest,
  known: { readonly repairs: readonly Repair[]; readonly addedText: string },
  deadline: Deadline,
): PatchOutcome {
  const corrected = correctHunks(base, located.placements);
  if (corrected.kind === "unshiftable") {
    const { number } = corrected.placement.hunk.hunk;
    const text = `Hunk ${number} stands at line ${corrected.placement.start + 1} with less indentation than it was written with, and an added line is not indented enough to be moved with it. Write the hunk with the file's indentation.`;
    return refusePatch("invalid_diff", `${invalidDiff} ${text}`, { hunk: number });
  }
  if (deadline.late()) return timeout();
  const { finalNewline } = corrected;
  const text =
    corrected.edits.length === 0
      ? base.text
      : applyEdits(base, corrected.edits, request.applier ?? applyStrictly);
  if (text === undefined) return refusePatch("internal_error", internalError);
  const ending: readonly Repair[] =
    finalNewline === undefined
      ? []
      : [{ kind: "final_newline", detail: `newline at the end of the file ${finalNewline}` }];
  return {
    kind: "success",
    code: text === base.text ? "no_change" : "applied",
    text,
    landed: describeLanding(located.placements),
    repairs: [...known.repairs, ...describeRepairs(base, located), ...ending],
    addedText: known.addedText,
  };
}

/** What is refused whatever the file holds. */
function refuseAsWhole(parsed: ParsedDiff): PatchRefusal | undefined {
  if (parsed.hunks.length > hunkLimit) {
    return refusePatch("too_large", "The diff has more than 200,000 hunks. Send it in parts.");
  }
  const files = namedFiles(parsed);
  if (files.length > 1) {
    const names = files
      .slice(0, 10)
      .map((name) => JSON.stringify(name))
      .join(", ");
    return refusePatch(
      "multi_file_diff",
      `The diff changes ${files.length} files (${names}${files.length > 10 ? ", …" : ""}), but this tool patches one. Send one diff for each file.`,
    );
  }
  const refuse = (text: string) => refusePatch("invalid_diff", `${invalidDiff} ${text}`);
  if (parsed.flaw !== undefined) return refuse(parsed.flaw);
  const { sections } = parsed;
  if (sections.some((section) => section.deletion))
    return refuse("It deletes the file; deleting is not this tool's job. Nothing was changed.");
  if (sections.some((section) => section.copy || section.renamedTo !== undefined))
    return refuse("It renames or copies a file; that is not this tool's job. Nothing was changed.");
  if (sections.some((section) => section.binary))
    return refuse("It is a binary diff; this tool patches text.");
  if (parsed.hunks.length > 0) return undefined;
  const looks = parsed.dialect === "unified" ? "" : ` It looks like ${dialectNames[parsed.dialect]}.`;
  return refuse(
    `No hunk was found in it.${looks} Send a unified diff: \`@@\` lines, then context lines that begin with a space, removed lines with "-", added lines with "+".`,
  );
}

/** The files that the diff names, each once. */
function namedFiles({ sections }: ParsedDiff): readonly string[] {
  return [...new Set(sections.flatMap(({ path }) => (path === undefined ? [] : [path])))];
}

/** Models often misremember the path; the caller's counts, but it is told. */
function describeName(parsed: ParsedDiff, path: string | undefined): readonly Repair[] {
  const [named] = namedFiles(parsed);
  const last = (name: string) => name.split(/[\\/]/).at(-1);
  if (named === undefined || path === undefined || last(named) === last(path)) return [];
  return [{ kind: "header_mended", detail: `the header names ${JSON.stringify(named.slice(0, 100))}` }];
}

function describeEmpty(hunks: readonly ShapedHunk[]): readonly Repair[] {
  return hunks.filter(changesNothing).map(({ hunk, runs }) => ({
    kind: "empty_hunk",
    hunk: hunk.number,
    detail: runs.length === 0 ? "only context, left out" : "changes nothing, left out",
  }));
}

/** The added lines of all hunks, as one text. */
export function joinAdded(hunks: readonly ShapedHunk[]): string {
  return hunks.flatMap(({ runs }) => runs.flatMap(({ added }) => added.map((line) => line.text))).join("\n");
}

function refusePlaceholder(hunk: number, text: string): PatchRefusal {
  return refusePatch(
    "placeholder",
    `Hunk ${hunk} adds ${JSON.stringify(text)}, which stands for text that was left out and would replace it. Write out what is to stand in the file; what stays the same needs no line, or a context line. Nothing was changed.`,
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
const diffLimit = 64 * 1024 * 1024;
const hunkLimit = 200_000;
