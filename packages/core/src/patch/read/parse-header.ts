import type { HunkNumbers } from "../model/hunk.js";
import { type FileNames, noFile, readFileNames, readGitNames, readName } from "./file-names.js";

/** What a hunk header says, as far as it can be read: `@@`, `@@ -2 +2 @@`, `@@ class A:`, `@@ ... @@`. */
export interface ReadHeader {
  readonly numbers: HunkNumbers | undefined;
  readonly anchor: string | undefined;
  /** Whether it has the form that `diff` writes. */
  readonly regular: boolean;
}

/** @returns undefined where the line is no hunk header at all. */
export function readHunkHeader(line: string): ReadHeader | undefined {
  if (!line.startsWith("@@")) return undefined;
  const regular = readRegular(line);
  if (regular !== undefined) return regular;
  if (!/^@@(\s|-|$|@)/.test(line)) return undefined;
  const found = looseHeader.exec(line);
  if (found === null) return { numbers: undefined, anchor: readAnchor(line.slice(2)), regular: false };
  const [, oldStart = "", oldCount = "1", newStart = "", newCount = "1", rest = ""] = found;
  const numbers = { oldStart: +oldStart, oldCount: +oldCount, newStart: +newStart, newCount: +newCount };
  return { numbers, anchor: rest === "" ? undefined : readAnchor(rest), regular: false };
}

/** `@@ -1,2 +1,3 @@`: without a regular expression, since a diff may have very many. */
function readRegular(line: string): ReadHeader | undefined {
  const scan = new HeaderScan(line);
  const [oldStart, oldCount] = [scan.number("@@ -"), scan.number(",", 1)];
  const [newStart, newCount] = [scan.number(" +"), scan.number(",", 1)];
  const rest = scan.after(" @@");
  // A line terminator of another kind in the rest: no header that a tool wrote.
  if (rest === undefined || (rest !== "" && !/^.*$/.test(rest))) return undefined;
  const anchor = rest === "" ? undefined : readAnchor(rest);
  return { numbers: { oldStart, oldCount, newStart, newCount }, anchor, regular: true };
}

/** Reads a header from left to right; what does not fit makes all of it fail. */
class HeaderScan {
  private at = 0;
  private failed = false;

  constructor(private readonly line: string) {}

  /** The digits after a mark; `missing` where the mark is missing and that is allowed. */
  number(mark: string, missing = Number.NaN): number {
    if (!this.line.startsWith(mark, this.at)) {
      this.failed ||= Number.isNaN(missing);
      return missing;
    }
    const from = this.at + mark.length;
    let to = from;
    let value = 0;
    for (let digit = this.digitAt(to); digit >= 0 && digit <= 9; digit = this.digitAt(++to))
      value = value * 10 + digit;
    this.failed ||= to === from || to - from > 15;
    this.at = to;
    return value;
  }

  after(mark: string): string | undefined {
    if (this.failed || !this.line.startsWith(mark, this.at)) return undefined;
    return this.line.slice(this.at + mark.length);
  }

  private digitAt(at: number): number {
    return this.line.charCodeAt(at) - zero;
  }
}

const zero = 48;
const looseHeader =
  /^@@+\s*-\s*(\d{1,15})(?:\s*,\s*(\d{1,15}))?\s*\+\s*(\d{1,15})(?:\s*,\s*(\d{1,15}))?\s*(?:@@+)?(.*)$/;

function readAnchor(text: string): string | undefined {
  const anchor = withoutClosing(text.trim()).trim();
  return anchor === "" || /^[.…\s]+$/.test(anchor) ? undefined : anchor;
}

// A loop, as the other readers of this file avoid patterns that are slow on long runs of one character.
function withoutClosing(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === atSign) end -= 1;
  return text.length - end >= 2 ? text.slice(0, end) : text;
}

const atSign = 64;

/** Whether two lines `--- x`, `+++ y` in the middle of a hunk are likelier a file header than content. */
export function looksLikeFileHeader(oldLine: string, newLine: string): boolean {
  if (/^--- "?a\//.test(oldLine) && /^\+\+\+ "?b\//.test(newLine)) return true;
  const names = readFileNames(oldLine, newLine);
  return names.old === noFile || names.new === noFile || names.old === names.new;
}

/** What a line of a git header says, or undefined where it is none. */
export type GitLine =
  | { readonly kind: "file"; readonly names: Partial<FileNames> }
  | { readonly kind: "rename_from" | "rename_to" | "copy"; readonly name: string }
  | { readonly kind: ModeLine; readonly mode: string; readonly blobs: string | undefined }
  | { readonly kind: "commit"; readonly commit: string }
  | { readonly kind: "binary" | "noise" };

/** The lines that name a mode; `old_mode` is also one that stays, at the end of a line `index a..b 100644`. */
export type ModeLine = "old_mode" | "new_mode" | "creation" | "deletion";

/** @returns undefined where the line, which `next` follows, is none of a git header. */
export function readGitLine(line: string, next: string): GitLine | undefined {
  if (line === "" || !"dnrcBFGiosI=".includes(line.charAt(0))) return undefined;
  if (line.startsWith("diff --git ")) return { kind: "file", names: readGitNames(line) };
  const [, commit] = /^(?:commit|From) ([0-9a-f]{40,64})\b/.exec(line) ?? [];
  if (commit !== undefined && /^(Author|Merge|From): /.test(next)) return { kind: "commit", commit };
  const [, words = "", blobs, mode = ""] = modeLine.exec(line) ?? [];
  if (mode !== "") return { kind: modeLines[words] ?? "old_mode", mode, blobs };
  const [, verb, side, name = ""] = /^(rename|copy) (from|to) (.*\S.*)$/.exec(line) ?? [];
  // To its end the line is the name.
  if (verb === "rename")
    return { kind: side === "from" ? "rename_from" : "rename_to", name: readName(`${name}\t`) };
  if (verb === "copy") return { kind: "copy", name: readName(name) };
  if (/^(Binary files .* differ|GIT binary patch)/.test(line)) return { kind: "binary" };
  if (/^(diff (?!--c)|index |(dis)?similarity index |Index: |={20,}$)/.test(line)) return { kind: "noise" };
  return undefined;
}

const modeLine = /^((?:new|old) mode|(?:new|deleted) file mode|index (\S+)) (\d+)\s*$/;
const modeLines: Readonly<Record<string, ModeLine>> = {
  "new mode": "new_mode",
  "new file mode": "creation",
  "deleted file mode": "deletion",
};
