import { clip } from "../../text/index.js";
import type { BaseText } from "../model/base-text.js";
import { type Hunk, type HunkLine, ListedHunk, type ShapedHunk } from "../model/hunk.js";
import { invalidDiff, refuseDiff, refusePatch } from "../model/refusal.js";
import { type Deadline, mapSteps, type Steps } from "../model/steps.js";
import type { PatchRefusal, Repair } from "../model/types.js";
import type { ParsedDiff } from "./parse.js";
import { type Dialect, dialectNames } from "./parse-header.js";
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

/** Hunks as they were before a channel changed all of their lines by one rule. */
interface RestoredText {
  readonly kind: "restored";
  readonly hunks: readonly Hunk[];
  readonly repairs: readonly Repair[];
}

/**
 * Takes back what a channel did to a whole diff: HTML entities in a diff for a file that has none, and the line
 * numbers of a reading tool pasted before every line. Each is one rule that can be taken back in one way, and
 * the file contradicts none of it. A hunk is decoded as a whole or not at all. Once the deadline has passed,
 * what is returned means nothing.
 *
 * @returns a refusal where a hunk has a character both as it is and encoded, so that no rule explains it.
 */
export function* restoreLines(
  base: BaseText,
  diff: string,
  hunks: readonly Hunk[],
  deadline: Deadline,
): Steps<RestoredText | PatchRefusal> {
  const plain = diff.includes("&") ? yield* withoutEntities(base, hunks, deadline) : undefined;
  if (plain !== undefined && "kind" in plain) return plain;
  const bare = yield* withoutNumbers(base, plain ?? hunks, deadline);
  const repairs: Repair[] = [];
  if (plain !== undefined)
    repairs.push({ kind: "entities", detail: "HTML entities read as the characters they stand for" });
  if (bare !== undefined)
    repairs.push({ kind: "pasted_numbers", detail: "line numbers before the lines of the diff left out" });
  return { kind: "restored", hunks: bare ?? plain ?? hunks, repairs };
}

/**
 * A diff that was escaped once too often is one long line in which every `\n` was a newline.
 *
 * @returns the diff as it was, or undefined where this is none of that kind.
 */
export function unescapeDiff(diff: string): string | undefined {
  const line = diff.trim();
  if (line.includes("\n") || !line.includes("\\n")) return undefined;
  const body = /^"(.*)"$/.exec(line)?.[1] ?? line;
  if (!/^(--- |\+\+\+ |@@|diff --git |```|\*\*\* |<{5,9} ?SEARCH)/.test(body)) return undefined;
  try {
    const text: unknown = JSON.parse(`"${body}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

const entity = /&(?:amp|lt|gt|quot|apos|#39|#x27|#34|#x22);/g;

const characters: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#34;": '"',
  "&#x22;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
};

function* withoutEntities(
  base: BaseText,
  hunks: readonly Hunk[],
  deadline: Deadline,
): Steps<readonly Hunk[] | PatchRefusal | undefined> {
  const encoded = findEncoded(hunks, deadline);
  if (encoded.size === 0 || base.text.search(entity) >= 0) return undefined;
  const plain: Hunk[] = [];
  for (const hunk of hunks) {
    yield;
    if (deadline.late()) return undefined;
    const [context, removed, added] = (["context", "removed", "added"] as const).map((kind) =>
      spellingOf(hunk, encoded, kind),
    );
    const mixed = [context, removed, added].find(
      (one) => one?.raw !== undefined && one.encoded !== undefined,
    );
    // Only context may be encoded alone: it is the file's own in any case.
    const isRaw =
      removed?.raw !== undefined || (removed?.encoded === undefined && context?.raw !== undefined);
    const kept = isRaw ? added?.encoded : undefined;
    const odd = context?.raw !== undefined ? removed?.encoded : undefined;
    const line = mixed?.encoded ?? kept ?? odd;
    if (line !== undefined) return refuseMixed(hunk, line);
    plain.push(decodeHunk(hunk));
  }
  return plain;
}

/** A line with an encoded character, and one that has such a character as it is; undefined where there is none. */
interface Spelling {
  readonly encoded: string | undefined;
  readonly raw: string | undefined;
}

function spellingOf(hunk: Hunk, characters: ReadonlySet<string>, kind: HunkLine["kind"]): Spelling {
  let encoded: string | undefined;
  let raw: string | undefined;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) !== kind) continue;
    const text = hunk.textOf(at);
    const rest = text.replace(entity, "");
    if (rest.length < text.length) encoded ??= text;
    if (raw === undefined && [...characters].some((char) => rest.includes(char))) raw = text;
  }
  return { encoded, raw };
}

function refuseMixed(hunk: Hunk, line: string): PatchRefusal {
  return refusePatch(
    "invalid_diff",
    `Invalid Diff: Hunk ${hunk.number} has characters such as < and & partly as they are and partly as HTML entities, as in ${JSON.stringify(line.trim().slice(0, 120))}, and the file has no entities. Nothing was changed. Write all lines with the characters themselves.`,
    { hunk: hunk.number },
  );
}

function decodeHunk(hunk: Hunk): Hunk {
  return new ListedHunk(
    hunk,
    hunk.lines.map((line) => ({ ...line, text: line.text.replace(entity, decode) })),
  );
}

/**
 * The characters that the lines have encoded, where the old lines have any: no added line says alone what was done to
 * it. One that only added lines have encoded must not stand in the old ones as it is.
 */
function findEncoded(hunks: readonly Hunk[], deadline: Deadline): ReadonlySet<string> {
  const encoded = new Set<string>();
  let inOld = false;
  for (const hunk of hunks) {
    for (let at = 0; at < hunk.count; at++) {
      if (!hunk.textOf(at).includes("&")) continue;
      if (deadline.passes()) return encoded;
      const names = hunk.textOf(at).match(entity) ?? [];
      if (names.length > 0 && hunk.kindOf(at) !== "added") inOld = true;
      for (const name of names) encoded.add(decode(name));
    }
  }
  return inOld ? encoded : new Set();
}

function decode(name: string): string {
  return characters[name] ?? name;
}

const numbered = /^ *(\d{1,9})(\| ?|: |:$|\t|→)/;

function* withoutNumbers(
  base: BaseText,
  hunks: readonly Hunk[],
  deadline: Deadline,
): Steps<readonly Hunk[] | undefined> {
  const [first] = hunks;
  if (first === undefined || first.count === 0 || !numbered.test(first.textOf(0))) return undefined;
  function* everyLine(matches: (line: HunkLine) => boolean): Steps<boolean> {
    let count = 0;
    for (const { lines } of hunks) {
      for (const line of lines) {
        if (++count % 4_096 === 0 || base.takeSearches()) yield;
        if (deadline.passes() || !matches(line)) return false;
      }
    }
    return true;
  }
  if (!(yield* everyLine(({ text }) => numbered.test(text))) || !hunks.every(countsOn)) return undefined;
  if (!(yield* everyLine((line) => line.kind === "added" || !base.hasLine(line.text)))) return undefined;
  return yield* mapSteps(hunks, (hunk) => rewriteLines(hunk, deadline));
}

/** Whether the old lines of a hunk are numbered one after the other. */
function countsOn({ lines }: Hunk): boolean {
  const old = lines
    .filter((line) => line.kind !== "added")
    .map(({ text }) => +(numbered.exec(text)?.[1] ?? 0));
  return old.every((number, at) => at === 0 || number === (old[at - 1] ?? 0) + 1);
}

function rewriteLines(hunk: Hunk, deadline: Deadline): Hunk {
  const rewrite = (line: HunkLine) => ({ ...line, text: line.text.replace(numbered, "") });
  return new ListedHunk(
    hunk,
    hunk.lines.map((line) => (deadline.passes() ? line : rewrite(line))),
  );
}
