import { LineTable } from "../model/line-table.js";
import { refuseDiff as refuse, refusePatch } from "../model/refusal.js";
import { Deadline, finish, finishInTurns, type Steps } from "../model/steps.js";
import type { PatchRefusal } from "../model/types.js";
import type { Dialect } from "./dialect.js";
import { type ParsedDiff, parseLines } from "./parse.js";
import { type FileSection, isExecutable } from "./sections.js";
import { quoteName, refuseCommits, refuseSize, refuseSpecial } from "./whole.js";

/** What a diff of several files asks of one of them. */
export interface FileDiff {
  /** As the diff names it; for a rename the old name. */
  readonly path: string;
  readonly action: "update" | "create" | "delete" | "rename";
  /** The new name, for a rename. */
  readonly to?: string;
  /** Whether what is at the path is a link, as git's lines say; absent where they say nothing of it. */
  readonly isLink?: boolean;
  /**
   * What `applyDiff` takes for this one file: for a creation on `null`, for the others on the file's text.
   * "" where the lines stay as they are (a pure rename) or nothing is said about them (a V4A deletion);
   * a deletion with lines must come to the empty text, else the file is not the one that was meant.
   */
  readonly diff: string;
}

/** A diff of one or more files, file by file. */
export interface FileDiffs {
  readonly kind: "files";
  /** In the order of the diff, each path once. */
  readonly files: readonly FileDiff[];
}

/**
 * Splits a diff of one or more files, unified, V4A or SEARCH/REPLACE, into one diff for each. Pure; never
 * throws. A part that names no file, a copy, a binary diff, a link or submodule, another mode of a file and two
 * conflicting wishes for one path are refused, and so is a line that is no part of a diff and may ask for something.
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
  return refuseCommits(parsed.sections) ?? (yield* gatherFiles(lines, parsed));
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
  const name = quoteName(path);
  const beyond = refuseSpecial(section, path) ?? refuseOtherMode(section, name);
  if (beyond !== undefined) return beyond;
  if (section.binary) return refuse(`Its part for ${name} is a binary diff; this tool patches text.`);
  if (section.copy !== undefined)
    return refuse(`It copies a file to ${name}; create that file with its content instead.`);
  const { creation, deletion, renamedTo, isLink } = section;
  if (creation && deletion) return refuse(`It creates and deletes ${name}.`);
  if (renamedTo !== undefined && (creation || deletion))
    return refuse(`It renames ${name} and creates or deletes it, too.`);
  if (isHalfRename(section))
    return refuse(
      `Its part for ${name} has two names and no pair of lines \`rename from\` and \`rename to\`, so it is not clear what becomes of the file.`,
    );
  const diff = yield* renderSection(lines, dialect, path, section);
  const known = { path, diff, ...(isLink === undefined ? {} : { isLink }) };
  if (renamedTo !== undefined && renamedTo !== path) return { ...known, action: "rename", to: renamedTo };
  return { ...known, action: creation ? "create" : deletion ? "delete" : "update" };
}

function refuseOtherMode(section: FileSection, name: string): PatchRefusal | undefined {
  const { mode, creation, deletion } = section;
  if (mode === undefined || creation || deletion) return undefined;
  const command = isExecutable(mode) ? "chmod +x" : "chmod -x";
  return refuse(
    `It gives ${name} the mode ${mode}, and modes of files that exist are not changed here. Nothing was changed. Leave the lines \`old mode\` and \`new mode\` out, and use \`${command}\`.`,
  );
}

/** One of the two lines is missing, or both, and no other line says what becomes of the one name. */
function isHalfRename({ path, gitName, renamedFrom, renamedTo, pieces, ...does }: FileSection): boolean {
  if (renamedFrom !== undefined || renamedTo !== undefined)
    return renamedFrom === undefined || renamedTo === undefined;
  const isNamedOnly = pieces.length === 0 && !does.creation && !does.deletion;
  return isNamedOnly && gitName !== undefined && gitName !== path;
}

/** The section with a header of our own, so that nothing in it says delete or rename any more. */
function* renderSection(
  lines: LineTable,
  dialect: Dialect,
  path: string,
  section: FileSection,
): Steps<string> {
  const { creation, mode, pieces } = section;
  if (pieces.length === 0 && !creation) return "";
  let body = "";
  for (let at = 0; at < pieces.length; at += 2) {
    if (at % 8_192 === 8_190) yield;
    body += endLine(lines.slice(pieces[at] ?? 0, pieces[at + 1] ?? 0));
  }
  switch (dialect) {
    case "unified":
      return `${creation && mode !== undefined ? `new file mode ${mode}\n` : ""}--- ${creation ? "/dev/null" : `a/${path}`}\n+++ b/${path}\n${body}`;
    case "v4a":
      return `*** Begin Patch\n*** ${creation ? "Add" : "Update"} File: ${path}\n${body}*** End Patch\n`;
    case "search_replace":
      return body;
    default:
      return dialect satisfies never;
  }
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") || text.endsWith("\r") ? text : `${text}\n`;
}
