import { defined } from "../../text/index.js";
import { LineTable } from "../model/line-table.js";
import { refuseDiff as refuse, refusePatch } from "../model/refusal.js";
import { Deadline, finish, finishInTurns, type Steps } from "../model/steps.js";
import type { PatchRefusal } from "../model/types.js";
import { type ParsedDiff, parseLines } from "./parse.js";
import type { Dialect } from "./parse-header.js";
import { type FileSection, packedHeader, readPacked } from "./sections.js";
import { emptyBlob, quoteName, refuseCommits, refuseMissing, refuseSize, refuseSpecial } from "./whole.js";

/** What a diff of several files asks of one of them. */
export interface FileDiff {
  /** As the diff names it; for a rename the old name. */
  readonly path: string;
  readonly action: "update" | "create" | "delete" | "rename";
  /** The new name, for a rename. */
  readonly to?: string;
  /** Whether what is at the path is a link, as git's lines say; absent where they say nothing of it. */
  readonly isLink?: boolean;
  /** Another mode than before, of a file that exists, such as `100755`. */
  readonly mode?: string;
  /** Of a deletion without lines: git's name of the content that goes, as far as it is given. */
  readonly blob?: string;
  /**
   * What `applyDiff` takes for this one file: for a creation on `null`, for the others on the file's text.
   * "" where the lines stay as they are (a pure rename) or nothing is said about them (a V4A deletion);
   * a deletion with lines must come to the empty text, else the file is not the one that was meant. Where git packed
   * the bytes, what `readPacked` takes.
   */
  readonly diff: string;
}

/** A diff of one or more files, file by file. */
export interface FileDiffs {
  readonly kind: "files";
  /** In the order of the diff, each path once. */
  readonly files: readonly FileDiff[];
  /** Text around the diff that is left out, in words; text right behind a hunk is told with its file. */
  readonly leftOut: string | undefined;
}

/**
 * Splits a diff of one or more files, unified, V4A or SEARCH/REPLACE, into one diff for each. Pure; never
 * throws. A part that names no file, or whose change is not there, a copy, a link or submodule,
 * and two conflicting wishes for one path are refused, and so is a line that is no part of a diff and may ask for
 * something.
 *
 * @param strip so many folders are taken off each name, as by `patch -p`; found out by the names unless given.
 */
export function splitByFile(text: string, limitMs = usualLimitMs, strip?: number): FileDiffs | PatchRefusal {
  return finish(splitSteps(text, new Deadline(limitMs), strip));
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
  strip?: number,
): Promise<FileDiffs | PatchRefusal> {
  const deadline = new Deadline(limitMs);
  return finishInTurns(splitSteps(text, deadline, strip), deadline, pause);
}

const usualLimitMs = 5_000;

/** The work of both, for whoever drives it in a way of their own. */
export function* splitSteps(
  text: string,
  deadline: Deadline,
  strip?: number,
): Steps<FileDiffs | PatchRefusal> {
  const tooLarge = refuseSize(text);
  if (tooLarge !== undefined) return tooLarge;
  const lines = new LineTable(text.startsWith("\ufeff") ? text.slice(1) : text);
  const parsed = yield* parseLines(lines, { splitReturns: false, deadline, ...defined({ strip }) });
  if (deadline.late()) return refusePatch("timeout", "Reading the diff took too long. Nothing was changed.");
  if (parsed.flaw !== undefined) return refuse(parsed.flaw);
  if (parsed.sections.length === 0) return refuse("It names no file and has no hunk.");
  yield;
  return refuseCommits(parsed.sections) ?? gatherFiles(lines, parsed);
}

function gatherFiles(lines: LineTable, parsed: ParsedDiff): FileDiffs | PatchRefusal {
  const files = new Map<string, FileDiff>();
  for (const section of parsed.sections) {
    const file = toFileDiff(lines, parsed.dialect, section);
    if ("kind" in file) return file;
    const known = files.get(file.path);
    if (known !== undefined && ![known, file].every(isOfLines))
      return refuse(
        `It names ${JSON.stringify(file.path)} twice, to ${known.action} and to ${file.action} it.`,
      );
    files.set(file.path, known === undefined ? file : { ...known, ...file, diff: known.diff + file.diff });
  }
  const leftOut = parsed.repairs.find(({ kind }) => kind === "prose_removed")?.detail;
  return { kind: "files", files: [...files.values()], leftOut };
}

function isOfLines({ action, diff }: FileDiff): boolean {
  return action === "update" && readPacked(diff) === undefined;
}

function toFileDiff(lines: LineTable, dialect: Dialect, section: FileSection): FileDiff | PatchRefusal {
  const path = section.renamedFrom ?? section.path;
  const name = quoteName(path ?? "");
  const lacking = refuseMissing([section], dialect);
  if (path === undefined || path === "")
    return lacking ?? refuse("A part of it names no file, so it is not clear what it changes.");
  const beyond = refuseSpecial(section, path) ?? lacking;
  if (beyond !== undefined) return beyond;
  if (section.pieces.length > 0 && section.changedLines === 0)
    return refuse(
      `Its part for ${name} changes nothing: none of its lines begins with "+" or "-". Nothing was changed. Send that part whole, or leave it out.`,
    );
  if (section.copy !== undefined)
    return refuse(`It copies a file to ${name}; create that file with its content instead.`);
  const { creation, deletion, renamedTo, isLink } = section;
  const mode = creation || deletion ? undefined : section.mode;
  if (creation && deletion) return refuse(`It creates and deletes ${name}.`);
  if (renamedTo !== undefined && (creation || deletion))
    return refuse(`It renames ${name} and creates or deletes it, too.`);
  const diff = renderSection(lines, dialect, path, section);
  const [from = emptyBlob] = section.blobs?.split("..") ?? [];
  const blob = deletion && dialect === "unified" && diff === "" ? from : undefined;
  const known = { path, diff, ...defined({ isLink, blob, mode }) };
  if (renamedTo !== undefined && renamedTo !== path) return { ...known, action: "rename", to: renamedTo };
  return { ...known, action: creation ? "create" : deletion ? "delete" : "update" };
}

/** The section with a header of our own, so that nothing in it says delete or rename any more. */
function renderSection(lines: LineTable, dialect: Dialect, path: string, section: FileSection): string {
  const { creation, mode = "100644", blobs, pieces, packed } = section;
  const git = (creation ? `new file mode ${mode}\n` : "") + (blobs === undefined ? "" : `index ${blobs}\n`);
  if (packed !== undefined) return `${git}${packedHeader}\n${lines.slice(packed.from, packed.to)}`;
  if (pieces.length === 0 && !creation) return "";
  let body = "";
  for (let at = 0; at < pieces.length; at += 2)
    body += endLine(lines.slice(pieces[at] ?? 0, pieces[at + 1] ?? 0));
  switch (dialect) {
    case "unified":
      return creation
        ? `${git}${body === "" ? "" : `--- /dev/null\n+++ b/${path}\n${body}`}`
        : `--- a/${path}\n+++ b/${path}\n${body}`;
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
