import { LineTable } from "../model/line-table.js";
import { invalidDiff, refusePatch } from "../model/refusal.js";
import { Deadline, finish, finishInTurns, type Steps } from "../model/steps.js";
import type { PatchRefusal } from "../model/types.js";
import type { Dialect } from "./dialect.js";
import { type ParsedDiff, parseLines } from "./parse.js";
import type { FileSection } from "./sections.js";
import { refuseSize } from "./whole.js";

/** What a diff of several files asks of one of them. */
export interface FileDiff {
  /** As the diff names it; for a rename the old name. */
  readonly path: string;
  readonly action: "update" | "create" | "delete" | "rename";
  /** The new name, for a rename. */
  readonly to?: string;
  /**
   * What `applyDiff` takes for this one file: for a creation on `null`, for the others on the file's text.
   * "" where the lines stay as they are (a pure rename) or nothing is said about them (a V4A deletion);
   * a deletion with lines must come to the empty text, else the file is not the one that was meant.
   */
  readonly diff: string;
  /** The mode that the diff would give the file, such as `100755`; nothing here changes modes. */
  readonly mode?: string;
}

/** A diff of one or more files, file by file. */
export interface FileDiffs {
  readonly kind: "files";
  /** In the order of the diff, each path once. */
  readonly files: readonly FileDiff[];
}

/**
 * Splits a diff of one or more files, unified, V4A or SEARCH/REPLACE, into one diff for each. Pure; never
 * throws. A part that names no file, a copy, a binary diff and two conflicting wishes for one path are
 * refused.
 */
export function splitByFile(text: string, limitMs = usualLimitMs): FileDiffs | PatchRefusal {
  return finish(splitSteps(text, new Deadline(limitMs)));
}

/**
 * The same in a process that has other things to do, as `applyDiffInTurns` patches.
 *
 * @param pause resolves once the others had their turn; the time that this takes does not count for the limit.
 */
export function splitByFileInTurns(
  text: string,
  pause: () => Promise<unknown>,
  limitMs = usualLimitMs,
): Promise<FileDiffs | PatchRefusal> {
  const deadline = new Deadline(limitMs);
  return finishInTurns(splitSteps(text, deadline), deadline, pause);
}

const usualLimitMs = 5_000;

/** The work of both, for whoever drives it in a way of their own. */
export function* splitSteps(text: string, deadline: Deadline): Steps<FileDiffs | PatchRefusal> {
  const tooLarge = refuseSize(text);
  if (tooLarge !== undefined) return tooLarge;
  const lines = yield* LineTable.inSteps(text.startsWith("\ufeff") ? text.slice(1) : text);
  const context = { isBaseLine: () => true, splitReturns: false, deadline };
  const parsed = yield* parseLines(lines, context);
  if (deadline.late()) return refusePatch("timeout", "Reading the diff took too long. Nothing was changed.");
  if (parsed.flaw !== undefined) return refuse(parsed.flaw);
  if (parsed.sections.length === 0) return refuse("It names no file and has no hunk.");
  return yield* gatherFiles(lines, parsed);
}

function* gatherFiles(lines: LineTable, { dialect, sections }: ParsedDiff): Steps<FileDiffs | PatchRefusal> {
  const files = new Map<string, FileDiff>();
  for (const [at, section] of sections.entries()) {
    if (at % 256 === 255) yield;
    const file = yield* toFileDiff(lines, dialect, section);
    if ("kind" in file) return file;
    const known = files.get(file.path);
    if (known !== undefined && (known.action !== "update" || file.action !== "update"))
      return refuse(
        `It names ${JSON.stringify(file.path)} twice, to ${known.action} and to ${file.action} it.`,
      );
    files.set(file.path, known === undefined ? file : { ...known, diff: known.diff + file.diff });
  }
  return { kind: "files", files: [...files.values()] };
}

function* toFileDiff(
  lines: LineTable,
  dialect: Dialect,
  section: FileSection,
): Steps<FileDiff | PatchRefusal> {
  const path = section.renamedFrom ?? section.path;
  if (path === undefined || path === "")
    return refuse("A part of it names no file, so it is not clear what it changes.");
  const name = JSON.stringify(path);
  if (section.binary) return refuse(`Its part for ${name} is a binary diff; this tool patches text.`);
  if (section.copiedTo !== undefined) {
    const copy = JSON.stringify(section.copiedTo);
    return refuse(`It copies a file to ${copy}; create that file with its content instead.`);
  }
  const { creation, deletion, renamedTo } = section;
  if (creation && deletion) return refuse(`It creates and deletes ${name}.`);
  if (renamedTo !== undefined && (creation || deletion))
    return refuse(`It renames ${name} and creates or deletes it, too.`);
  const diff = yield* renderSection(lines, dialect, path, section);
  const mode = section.mode === undefined ? {} : { mode: section.mode };
  if (renamedTo !== undefined && renamedTo !== path)
    return { path, action: "rename", to: renamedTo, diff, ...mode };
  return { path, action: creation ? "create" : deletion ? "delete" : "update", diff, ...mode };
}

/** The section with a header of our own, so that nothing in it says delete or rename any more. */
function* renderSection(
  lines: LineTable,
  dialect: Dialect,
  path: string,
  section: FileSection,
): Steps<string> {
  const { creation, pieces } = section;
  if (pieces.length === 0 && !creation) return "";
  let body = "";
  for (let at = 0; at < pieces.length; at += 2) {
    if (at % 8_192 === 8_190) yield;
    body += endLine(lines.slice(pieces[at] ?? 0, pieces[at + 1] ?? 0));
  }
  switch (dialect) {
    case "unified":
      return `${modeLine(section)}--- ${creation ? "/dev/null" : `a/${path}`}\n+++ b/${path}\n${body}`;
    case "v4a":
      return `*** Begin Patch\n*** ${creation ? "Add" : "Update"} File: ${path}\n${body}*** End Patch\n`;
    case "search_replace":
      return body;
    default:
      return dialect satisfies never;
  }
}

/** So that whoever patches the file says that its mode stays. */
function modeLine({ mode }: FileSection): string {
  return mode === undefined ? "" : `new mode ${mode}\n`;
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") || text.endsWith("\r") ? text : `${text}\n`;
}

function refuse(text: string): PatchRefusal {
  return refusePatch("invalid_diff", `${invalidDiff} ${text}`);
}
