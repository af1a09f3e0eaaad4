import { changesNothing, type ShapedHunk } from "../model/hunk.js";
import { invalidDiff, refusePatch } from "../model/refusal.js";
import type { PatchRefusal, Repair } from "../model/types.js";
import { dialectNames } from "./dialect.js";
import type { ParsedDiff } from "./parse.js";
import { hunkLimit } from "./sections.js";

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
    return refuse(
      "It renames or copies a file; that is not this tool's job. Nothing was changed. To change only its lines, leave the rename out of the diff.",
    );
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
  const names = new Set<string>();
  for (const { path } of sections) if (path !== undefined) names.add(path);
  return [...names];
}

/** Models often misremember the path; the caller's counts, but the other is reported. */
export function describeName(parsed: ParsedDiff, path: string | undefined): readonly Repair[] {
  const [named] = namedFiles(parsed);
  const last = (name: string) => name.split(/[\\/]/).at(-1);
  if (named === undefined || path === undefined || last(named) === last(path)) return [];
  return [{ kind: "header_mended", detail: `the header names ${JSON.stringify(named.slice(0, 100))}` }];
}

/** Hunks that change nothing, as repairs. */
export function describeEmpty(hunks: readonly ShapedHunk[]): readonly Repair[] {
  return hunks.filter(changesNothing).map(({ hunk, runs }) => ({
    kind: "empty_hunk",
    hunk: hunk.number,
    detail: runs.length === 0 ? "only context, left out" : "changes nothing, left out",
  }));
}

const diffLimit = 64 * 1024 * 1024;
const lineLimit = 2_000_000;
