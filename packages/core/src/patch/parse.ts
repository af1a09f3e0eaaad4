import { type LineEnding, splitLines, type TextLines } from "../text/index.js";
import type { Deadline } from "./deadline.js";
import { type HunkDraft, type Settled, settleHunk } from "./draft.js";
import type { Hunk, HunkLine } from "./hunk.js";
import { findDiffSpans, type LineSpan } from "./parse-fences.js";
import {
  type FileNames,
  type GitLine,
  looksLikeFileHeader,
  noFile,
  readFileNames,
  readGitLine,
  readHunkHeader,
} from "./parse-header.js";
import type { Repair } from "./types.js";

/** What a model sent, read as far as it can be read without looking for its place. */
export interface ParsedDiff {
  readonly hunks: readonly Hunk[];
  /** The files that the diff names, each once. */
  readonly files: readonly string[];
  readonly creation: boolean;
  readonly deletion: boolean;
  readonly rename: boolean;
  readonly binary: boolean;
  readonly repairs: readonly Repair[];
  /** Another edit format that the text looks like, where no hunk was found. */
  readonly dialect: "V4A" | "SEARCH/REPLACE" | undefined;
}

/**
 * Reads a unified diff as models write it: fences and prose around it, headers damaged or missing, counts
 * wrong, context lines without their space. Never fails; what is no diff has no hunks.
 *
 * @param isBaseLine whether the file has a line of this text: tells forgotten context from prose.
 * @param deadline once it has passed, what is returned is incomplete and means nothing.
 * @param splitReturns lines of the diff hold several lines of a file whose only terminator is `\r`.
 */
export function parseDiff(
  diff: string,
  isBaseLine: (text: string) => boolean,
  splitReturns: boolean,
  deadline: Deadline,
): ParsedDiff {
  const lines = splitLines(diff.startsWith("\ufeff") ? diff.slice(1) : diff);
  const reader = new DiffReader(lines, isBaseLine, splitReturns, deadline);
  const spans = findDiffSpans(lines.contents);
  const [first] = spans;
  if (first !== undefined && (first.from > 0 || spans.length > 1))
    reader.repair("fence_removed", "Markdown fence left out");
  for (const span of spans) reader.readSpan(span);
  if (!reader.foundHunk()) for (const span of spans) reader.readBareSpan(span);
  return reader.finish();
}

class DiffReader {
  private readonly hunks: Hunk[] = [];
  private readonly repairs: Repair[] = [];
  private readonly files = new Map<string, true>();
  private readonly seen = { creation: false, deletion: false, rename: false, binary: false };
  private draft: HunkDraft | undefined;
  private bodyStart = 0;
  private skippedProse = false;

  constructor(
    private readonly lines: TextLines,
    private readonly isBaseLine: (text: string) => boolean,
    private readonly splitReturns: boolean,
    private readonly deadline: Deadline,
  ) {}

  repair(kind: Repair["kind"], detail: string): void {
    this.repairs.push({ kind, detail });
  }

  foundHunk(): boolean {
    return this.hunks.length > 0;
  }

  readSpan(span: LineSpan): void {
    this.bodyStart = span.from;
    let at = span.from;
    for (let step = 1; at < span.to; step++) {
      if (step % 4096 === 0 && this.deadline.late()) break;
      at += this.readLine(at, span.to);
    }
    this.close(true);
  }

  /** A diff without any `@@`: its lines are one hunk, if they all look like lines of one. */
  readBareSpan(span: LineSpan): void {
    const from = Math.max(span.from, this.bodyStart);
    let changes = 0;
    for (let at = from; at < span.to; at++) {
      const line = this.line(at);
      if (line !== "" && !/^([-+ ]|\\ )/.test(line)) return;
      if (/^[-+]/.test(line)) changes += 1;
    }
    if (changes === 0) return;
    this.skippedProse = false;
    this.repair("header_mended", "no `@@` line: read as one hunk");
    this.open({ raw: "", numbers: undefined, anchors: [] });
    for (let at = from; at < span.to; at++) this.readBody(at);
    this.close(true);
  }

  finish(): ParsedDiff {
    if (this.skippedProse && this.foundHunk()) this.repair("prose_removed", "text around the diff left out");
    return {
      hunks: this.hunks,
      files: [...this.files.keys()],
      ...this.seen,
      repairs: this.repairs,
      dialect: this.foundHunk() ? undefined : this.findDialect(),
    };
  }

  /** @returns how many lines were read. */
  private readLine(at: number, end: number): number {
    const headerLines = this.fileHeaderAt(at, end);
    if (headerLines > 0) return headerLines;
    const line = this.line(at);
    const header = readHunkHeader(line);
    if (header !== undefined) {
      const anchors = header.anchor === undefined ? [] : [header.anchor];
      const outer = this.stackedAnchors();
      this.close(false);
      if (!header.regular && header.numbers !== undefined)
        this.repair("header_mended", `\`${line.slice(0, 60)}\``);
      this.open({ raw: line, numbers: header.numbers, anchors: [...outer, ...anchors] });
      return 1;
    }
    const git = readGitLine(line);
    if (git !== undefined && (this.draft === undefined || git.kind === "file")) {
      this.close(true);
      this.noteGitLine(git);
      this.bodyStart = at + 1;
    } else if (this.draft !== undefined) this.readBody(at);
    else if (line.trim() !== "") this.skippedProse = true;
    return 1;
  }

  /** A header that names an outer heading only, followed at once by the next one. */
  private stackedAnchors(): readonly string[] {
    const draft = this.draft;
    if (draft === undefined || draft.lines.length > 0 || draft.header.numbers !== undefined) return [];
    this.draft = undefined;
    return draft.header.anchors;
  }

  private fileHeaderAt(at: number, end: number): number {
    const line = this.line(at);
    const next = at + 1 < end ? this.line(at + 1) : "";
    const pair = line.startsWith("--- ") && next.startsWith("+++ ");
    if (this.draft !== undefined) {
      const third = at + 2 < end ? this.line(at + 2) : "";
      if (!pair || !third.startsWith("@@") || !this.endsBefore(line, next)) return 0;
    } else if (!pair) return this.halfHeaderAt(at, line, next);
    this.close(false);
    this.noteNames(readFileNames(line, next));
    this.bodyStart = at + 2;
    return 2;
  }

  private halfHeaderAt(at: number, line: string, next: string): number {
    if (!/^(--- |\+\+\+ )\S/.test(line) || readHunkHeader(next) === undefined) return 0;
    const isOld = line.startsWith("---");
    this.noteNames(readFileNames(isOld ? line : undefined, isOld ? undefined : line));
    this.repair("header_mended", `\`${isOld ? "+++" : "---"}\` line missing`);
    this.bodyStart = at + 1;
    return 1;
  }

  /** Whether the open hunk is over, so that `--- x`, `+++ y` are the next file's header. */
  private endsBefore(oldLine: string, newLine: string): boolean {
    const { numbers } = this.draft?.header ?? {};
    if (numbers === undefined) return looksLikeFileHeader(oldLine, newLine);
    const lines = this.draft?.lines ?? [];
    const old = lines.filter((line) => line.kind !== "added").length;
    const fresh = lines.filter((line) => line.kind !== "removed").length;
    if (old === numbers.oldCount && fresh === numbers.newCount) return true;
    if (old + 1 === numbers.oldCount && fresh + 1 === numbers.newCount) return false;
    return looksLikeFileHeader(oldLine, newLine);
  }

  private noteNames(names: FileNames): void {
    if (names.old === noFile) this.seen.creation = true;
    if (names.new === noFile) this.seen.deletion = true;
    const name = names.new === noFile ? names.old : (names.new ?? names.old);
    if (name !== undefined) this.files.set(name, true);
  }

  private noteGitLine(git: GitLine): void {
    if (git.kind === "file") this.files.set(git.name, true);
    else if (git.kind !== "noise") this.seen[git.kind] = true;
  }

  private open(header: HunkDraft["header"]): void {
    this.draft = { header, lines: [], marked: new Set() };
  }

  private readBody(at: number): void {
    const draft = this.draft;
    if (draft === undefined) return;
    const line = this.line(at);
    if (/^\\ \S/.test(line)) {
      draft.marked.add(draft.lines.length - 1);
      return;
    }
    const written = this.lines.endings[at] ?? "";
    // A lone return ends a line of the diff's transport; of the file only if the file has such lines.
    const ending = written === "\r" && !this.splitReturns ? "\n" : written;
    const read = readBodyLine(line, ending);
    if (!this.splitReturns || !read.text.includes("\r")) draft.lines.push(read);
    else for (const text of read.text.replace(/\r$/, "").split("\r")) draft.lines.push({ ...read, text });
  }

  private close(lastOfSpan: boolean): void {
    const draft = this.draft;
    this.draft = undefined;
    if (draft === undefined || this.deadline.late()) return;
    const settled: Settled = settleHunk(draft, this.hunks.length + 1, lastOfSpan, this.isBaseLine);
    this.hunks.push(settled.hunk);
    this.repairs.push(...settled.repairs);
  }

  private line(at: number): string {
    return this.lines.contents[at] ?? "";
  }

  private findDialect(): ParsedDiff["dialect"] {
    if (this.lines.contents.some((line) => /^\*\*\* (Begin Patch|Update File:|Add File:)/.test(line.trim())))
      return "V4A";
    return this.lines.contents.some((line) => /^<{5,9} ?SEARCH/.test(line)) ? "SEARCH/REPLACE" : undefined;
  }
}

function readBodyLine(line: string, ending: LineEnding): HunkLine {
  const text = line.slice(1);
  switch (line.charAt(0)) {
    case "+":
      return { kind: "added", text, ending, bare: false };
    case "-":
      return { kind: "removed", text, ending, bare: false };
    case " ":
      return { kind: "context", text, ending, bare: false };
    default:
      return { kind: "context", text: line, ending, bare: true };
  }
}
