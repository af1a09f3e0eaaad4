import { clip } from "../../text/index.js";
import type { ShapedHunk } from "../model/hunk.js";
import { invalidDiff, refuseDiff, refusePatch } from "../model/refusal.js";
import type { PatchRefusal, Repair } from "../model/types.js";
import { type Dialect, dialectNames } from "./dialect.js";
import type { ParsedDiff } from "./parse.js";
import { type FileSection, hunkLimit } from "./sections.js";

/** A diff that is larger than any that a model writes, before anything of it is read. */
export function refuseSize(diff: string): PatchRefusal | undefined {
  if (diff.length > diffLimit)
    return refusePatch("too_large", "The diff is larger than 64 MiB. Send it in parts.");
  if (diff.length > lineLimit && countLinesUpTo(diff, lineLimit) > lineLimit)
    return refusePatch("too_large", "The diff has more than 2,000,000 lines. Send it in parts.");
  return undefined;
}

function countLinesUpTo(text: string, limit: number): number {
  let count = 0;
  const mark = text.includes("\n") ? "\n" : "\r";
  for (let at = text.indexOf(mark); at >= 0 && count <= limit; at = text.indexOf(mark, at + 1)) count += 1;
  return count;
}

/** What is refused whatever the content of the file. */
export function refuseAsWhole(parsed: ParsedDiff): PatchRefusal | undefined {
  if (parsed.hunks.length > hunkLimit) {
    return refusePatch("too_large", "The diff has more than 200,000 hunks. Send it in parts.");
  }
  const files = namedFiles(parsed);
  if (files.length > 1) {
    const names = files
      .slice(0, 10)
      .map((name) => JSON.stringify(name))
      .join(", ");
    const goesBeyond = parsed.sections.some((one) => one.deletion || one.renamedTo !== undefined);
    const advice = goesBeyond
      ? "It deletes or renames files, and this tool changes only lines. Nothing was changed."
      : "Send one diff for each file.";
    return refusePatch(
      "multi_file_diff",
      `The diff changes ${files.length} files (${names}${files.length > 10 ? ", …" : ""}), but this tool patches one. ${advice}`,
      { asks: "several_files" },
    );
  }
  if (parsed.flaw !== undefined) return refuseDiff(parsed.flaw);
  const beyond = refuseCommits(parsed.sections) ?? refuseBeyondLines(parsed);
  if (beyond !== undefined) return beyond;
  const isChange = parsed.sections.some(({ creation, binary }) => creation || binary);
  if (parsed.hunks.length > 0 || isChange) return refuseMissing(parsed.sections, parsed.dialect);
  const looks = parsed.dialect === "unified" ? "" : ` It looks like ${dialectNames[parsed.dialect]}.`;
  return refusePatch(
    "invalid_diff",
    `${invalidDiff} No hunk was found in it.${looks} Send a unified diff: \`@@\` lines, then context lines that begin with a space, removed lines with "-", added lines with "+".`,
  );
}

/** What a diff asks for besides lines, and lines are all that a patch of one file changes. */
function refuseBeyondLines({ sections, hunks }: ParsedDiff): PatchRefusal | undefined {
  for (const section of sections) {
    const special = refuseSpecial(section, section.path);
    if (special !== undefined) return special;
  }
  if (sections.some(({ deletion }) => deletion))
    return refuseDiff(
      "This diff deletes the file, and this tool changes only its lines. Nothing was changed.",
      { asks: "deletion" },
    );
  if (sections.some(({ packed }) => packed !== undefined))
    return refuseDiff(
      "This diff holds bytes that git packed, and this tool changes only lines. Nothing was changed.",
      { asks: "packed" },
    );
  const to = sections.find(({ renamedTo }) => renamedTo !== undefined)?.renamedTo;
  if (to !== undefined)
    return refuseDiff(
      `This diff renames the file to ${quoteName(to)}, and this tool changes only its lines. Nothing was changed. To change only these, leave the rename out of the diff.`,
      { asks: "rename" },
    );
  const copy = sections.find((section) => section.copy !== undefined)?.copy;
  if (copy !== undefined)
    return refuseDiff(
      `This diff copies a file to ${quoteName(copy)}, and this tool changes only lines. Nothing was changed. Create that file with a diff from /dev/null.`,
    );
  const mode = modeOf(sections);
  if (mode !== undefined && hunks.length === 0)
    return refuseDiff(
      `This diff changes the file's mode only (to ${mode}), and this tool changes only its lines. Nothing was changed.`,
    );
  return undefined;
}

/**
 * A part of which the change is not there, by its name: headers alone, one line of a pair, hashes that tell of more.
 * Whoever wrote it, or whatever it went through, lost something, and the rest would look like all of it.
 */
export function refuseMissing(sections: readonly FileSection[], dialect: Dialect): PatchRefusal | undefined {
  for (const section of sections) {
    const lack = lackOf(section, dialect);
    const name = section.path ?? section.renamedFrom ?? section.label ?? "";
    if (lack !== undefined)
      return refuseDiff(
        `Its part for ${quoteName(name)} ${lack}. Nothing was changed. Send that part whole, or leave it out.`,
      );
  }
  return undefined;
}

function lackOf(section: FileSection, dialect: Dialect): string | undefined {
  const { binary, packed, blobs, stamps, newLines, changedLines, deletion } = section;
  if (packed !== undefined && section.pieces.length > 0) return "has packed bytes and lines, too";
  if (binary && packed === undefined && !(deletion && blobs !== undefined))
    return "has no lines: it is binary, or only says that the file differs";
  if (isHalfRename(section))
    return "has two names and no pair of lines `rename from` and `rename to`, so it is not clear what becomes of the file";
  const mayBeGone = stamps[1] === "unknown" || (stamps[1] === "absent" && stamps[0] === "absent");
  if (changedLines > 0 && newLines === 0 && mayBeGone && !deletion)
    return "takes all lines out, and does not say whether the file stays";
  return section.pieces.length > 0 || binary ? undefined : lackWithoutHunk(section, dialect);
}

/** Of a part without a hunk: git writes a header alone for a mode, a name, an empty file. */
function lackWithoutHunk(section: FileSection, dialect: Dialect): string | undefined {
  const { creation, deletion, renamedTo, mode, copy, isNamed, similarity = "100%" } = section;
  const noHunk = "has no hunk: what it changes is not there";
  if (copy !== undefined) return undefined;
  if (dialect === "v4a") return creation || deletion || renamedTo !== undefined ? undefined : noHunk;
  if (isNamed || similarity !== "100%") return noHunk;
  const [old = "", fresh = ""] = section.blobs?.split("..") ?? [];
  if (creation) return fresh === "" || isEmptyBlob(fresh) ? undefined : noHunk;
  if (deletion) return undefined;
  return old === fresh && (renamedTo ?? mode) !== undefined ? undefined : noHunk;
}

/** One of the two lines is missing, or both, and no other line says what becomes of the one name. */
function isHalfRename({ path, gitName, renamedFrom, renamedTo, copy, ...does }: FileSection): boolean {
  if (renamedFrom !== undefined || renamedTo !== undefined)
    return renamedFrom === undefined || renamedTo === undefined;
  if (copy !== undefined || does.creation || does.deletion) return false;
  return gitName !== undefined && gitName !== "" && gitName !== path;
}

/** Whether git's name of a content is that of no bytes. */
export function isEmptyBlob(id: string): boolean {
  return id.length >= 4 && emptyBlob.startsWith(id);
}

/** Git's name of no bytes. */
export const emptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

/** The mode that a diff asks for of a file that exists. */
function modeOf(sections: readonly FileSection[]): string | undefined {
  return sections.find(({ mode, creation }) => mode !== undefined && !creation)?.mode;
}

/** What is no regular file before the change or after it: the lines of its part are no lines of a file. */
export function refuseSpecial({ specialMode }: FileSection, name = ""): PatchRefusal | undefined {
  if (specialMode === undefined) return undefined;
  const what = specials[specialMode] ?? "what is no file";
  return refuseDiff(
    `Its part for ${quoteName(name)} is about ${what} (mode ${specialMode}), and only files are changed here. Nothing was changed. Leave that part out, and make this change with git or in a shell.`,
  );
}

const specials: Readonly<Record<string, string>> = { 120000: "a symbolic link", 160000: "a submodule" };

/** A name of any length in a message. */
export function quoteName(name: string): string {
  return JSON.stringify(clip(name, 200));
}

/** Parts of several commits for one file: each was made for what the one before left, in whatever order they are. */
export function refuseCommits(sections: readonly FileSection[]): PatchRefusal | undefined {
  const firsts = new Map<string, FileSection>();
  for (const section of sections) {
    const name = section.renamedFrom ?? section.path ?? "";
    const first = firsts.get(name) ?? section;
    firsts.set(name, first);
    const isOfOther = (first.blobs ?? section.blobs) !== (section.blobs ?? first.blobs);
    if (isOfOther || first.commit !== section.commit)
      return refuseDiff(
        `It changes ${quoteName(name)} in several commits (${commitOf(first)}, ${commitOf(section)}), and each needs the file as the one before left it. Nothing was changed. Send one commit at a time, the oldest first, or one diff over all of them (\`git diff OLDEST~ NEWEST\`).`,
      );
  }
  return undefined;
}

function commitOf({ commit, blobs = "unknown" }: FileSection): string {
  return commit?.slice(0, 12) ?? `index ${blobs}`;
}

/** The files that the diff names, each once. */
function namedFiles({ sections }: ParsedDiff): readonly string[] {
  const names = new Set<string>();
  for (const { path } of sections) if (path !== undefined) names.add(path);
  return [...names];
}

/** Models often misremember the path; the caller's counts, but the other is reported. */
export function describeName(parsed: ParsedDiff, path: string | undefined): readonly Repair[] {
  const mode = modeOf(parsed.sections);
  const mended = (detail: string) => ({ kind: "header_mended", detail }) as const;
  const kept = mode === undefined ? [] : [keptMode(mode)];
  const [named] = namedFiles(parsed);
  const last = (name: string) => name.split(/[\\/]/).at(-1);
  if (named === undefined || path === undefined || last(named) === last(path)) return kept;
  return [
    ...kept,
    { ...mended(`the header names ${JSON.stringify(named.slice(0, 100))}`), otherFile: named },
  ];
}

/** The one thing that a diff asks for beside lines and that is not done with them: of a file that exists. */
export function keptMode(mode: string): Repair {
  return { kind: "header_mended", detail: `the mode is not changed to ${mode}` };
}

/**
 * Hunks that change nothing, as repairs.
 *
 * @param idle only such hunks.
 */
export function describeEmpty(idle: readonly ShapedHunk[]): readonly Repair[] {
  return idle.map(({ hunk, runs }) => ({
    kind: "empty_hunk",
    hunk: hunk.number,
    detail: runs.length === 0 ? "only context, left out" : "changes nothing, left out",
  }));
}

const diffLimit = 64 * 1024 * 1024;
const lineLimit = 2_000_000;
