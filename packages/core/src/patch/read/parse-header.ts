import { clip } from "../../text/index.js";
import type { HunkNumbers } from "../model/hunk.js";
import type { LineTable } from "../model/line-table.js";
import {
  type FileNames,
  noFile,
  readFileNames,
  readGitNames,
  readName,
  withoutFolders,
} from "./file-names.js";
import { readEnvelopeLine } from "./parse-envelope.js";

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

/** What a line that begins the part of a file, or says something about it, says. */
export type SectionLine =
  | { readonly kind: "file"; readonly names: Partial<FileNames> }
  /** A line above the names of a file, in whatever form: something must follow that says what becomes of it. */
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "field"; readonly field: SectionField; readonly value: string }
  | { readonly kind: ModeLine; readonly mode: string }
  | { readonly kind: "index"; readonly blobs: string; readonly mode: string | undefined }
  | { readonly kind: "commit"; readonly commit: string }
  /** A line that only says that a file differs. */
  | { readonly kind: "without_content"; readonly label: string }
  | { readonly kind: "noise" };

type SectionField = "renamedFrom" | "renamedTo" | "copy" | "similarity";
/** The lines that name a mode. */
export type ModeLine = "old_mode" | "new_mode" | "creation" | "deletion";

/** @returns undefined where the line, which `next` follows, is none of a header. */
export function readSectionLine(line: string, next: string, strip?: number): SectionLine | undefined {
  if (line === "" || !firstLetters.includes(line.charAt(0))) return undefined;
  if (line.startsWith("diff --git ")) return { kind: "file", names: readGitNames(line, strip) };
  const [, commit] = /^(?:commit|From) ([0-9a-f]{40,64})\b/.exec(line) ?? [];
  if (commit !== undefined && /^(Author|Merge|From): /.test(next)) return { kind: "commit", commit };
  const [, words = "", mode = ""] =
    /^((?:new|old) mode|(?:new|old|deleted) file mode) (\d+)\s*$/.exec(line) ?? [];
  if (mode !== "") return { kind: modeLines[words] ?? "old_mode", mode };
  const [, blobs, kept] = /^index ([0-9a-f]+\.\.[0-9a-f]+)(?: (\d+))?\s*$/.exec(line) ?? [];
  if (blobs !== undefined) return { kind: "index", blobs, mode: kept };
  const [, verb, side, name = ""] = /^(rename|copy) (from|to) (.*\S.*)$/.exec(line) ?? [];
  // To its end the line is the name, which has no letter for its side.
  const value = withoutFolders(readName(`${name}\t`), (strip ?? 1) - 1) ?? "";
  if (verb === "rename")
    return { kind: "field", field: side === "from" ? "renamedFrom" : "renamedTo", value };
  if (verb === "copy") return { kind: "field", field: "copy", value };
  const [, share] = /^(?:dis)?similarity index (\d+%)$/.exec(line) ?? [];
  if (share !== undefined)
    return { kind: "field", field: "similarity", value: line.startsWith("dis") ? "" : share };
  if (withoutContent.test(line)) return { kind: "without_content", label: line };
  if (/^(diff -(?!-(cc|combined) )|Index: \S|=== \w+ file '.*'$)/.test(line))
    return { kind: "label", label: line };
  return noise.test(line) ? { kind: "noise" } : undefined;
}

const firstLetters = "dnorcABCDFGiIORSsu=_";
const withoutContent =
  /^(Only in .+: .|Binary files? .* (differ|has changed)$|Files .+ and .+ differ$|Symbolic links .+ and .+ differ$|File .+ is an? .+ while file .+ is an? |GIT binary patch$|(Added|Deleted|Modified): svn:(executable|special)$|=== (renamed|kind changed|\w+ symlink|.* \(properties changed))/;
const noise =
  /^(index |={20,}$|_{60,}$|RCS file: |retrieving revision |diff -N |only in patch\d:$|(unchanged|reverted):$|Files .+ are identical$|Common subdirectories: |=== (added|removed) directory )/;
const modeLines: Readonly<Record<string, ModeLine>> = {
  "new mode": "new_mode",
  "new file mode": "creation",
  "deleted file mode": "deletion",
};

/** The ways of writing a change that the engine reads; all become the same hunks. */
export type Dialect = "unified" | "v4a" | "search_replace";

/** The name of a dialect in reports. */
export const dialectNames = {
  unified: "unified diff",
  v4a: "V4A (*** Begin Patch)",
  search_replace: "SEARCH/REPLACE blocks",
} as const satisfies Record<Dialect, string>;

/** Recognizes the dialect by the first line that only one of them has. */
export function findDialect(lines: LineTable): Dialect {
  for (let at = 0; at < lines.count; at++) {
    const first = String.fromCharCode(lines.firstCode(at));
    if (!"*<@d- \t".includes(first)) continue;
    const line = lines.line(at);
    switch (first) {
      case " ":
      case "\t":
        if (readEnvelopeLine(line.trim())?.kind === "begin") return "v4a";
        break;
      case "*":
        if (readEnvelopeLine(line) !== undefined) return "v4a";
        break;
      case "<":
        if (opensBlock(line)) return "search_replace";
        break;
      case "@":
        if (readHunkHeader(line) !== undefined) return "unified";
        break;
      case "d":
        if (line.startsWith("diff --git ")) return "unified";
        break;
      case "-":
        if (startsHeader(lines, at)) return "unified";
        break;
      default:
        break;
    }
  }
  return "unified";
}

/** Whether two lines `--- x`, `+++ y` begin here. */
export function startsHeader(lines: LineTable, at: number): boolean {
  return lines.startsWith(at + 1, "+++ ") && /^--- \S/.test(lines.line(at));
}

/** Whether a line is one that only a diff has, of whatever dialect, so that it is never left out as prose. */
export function isOfDiff(line: string): boolean {
  return diffLines.some((form) => form.test(line));
}

const diffLines: readonly RegExp[] = [
  /^\s*\*{3,}\s*(\w+ (file|to)\b|(add|create|delete|move|rename|update)\b)/i,
  /^\s*([<>]{5,9}|-{5,9}|\+{5,9}) ?(SEARCH|REPLACE|ORIGINAL|UPDATED)\b/i,
  /^\s*(diff --|@@ -\d)/,
  /^(((old|new)|(new|deleted) file) mode \d|(rename|copy) (from|to) |Only in .+: |Binary files .* differ$)/,
  /^(Submodule .+ (\(|[0-9a-f]{7,})|\* Unmerged path )/,
];

/** The flaw of a diff with a line that nobody knows what to do with. */
export function strangeLine(line: string, dialect: Dialect): string {
  const shown = JSON.stringify(clip(line.trimEnd(), 120));
  return `The line ${shown} was not understood, so nothing was changed. Leave it out if it asks for nothing. ${forms[dialect]}`;
}

const forms = {
  unified:
    'Else send the change of that file as `---`, `+++` and `@@` lines, its lines with a space, "-" or "+" before them.',
  v4a: 'Between `*** Begin Patch` and `*** End Patch` there is nothing but `*** Add File: `, `*** Delete File: `, `*** Update File: ` (right below it perhaps `*** Move to: `), `@@`, `*** End of File`, and lines of these files with a space, "-" or "+" before them. A mark has no blank before it.',
  search_replace:
    "Else send the change of that file as a block, too: its name, `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`.",
} as const satisfies Record<Dialect, string>;

/** `<<<<<<< SEARCH`, with five to nine signs. */
export function opensBlock(line: string): boolean {
  return /^<{5,9} ?SEARCH>?\s*$/.test(line);
}
