import type { LineEnding } from "../../text/index.js";
import type { Hunk, HunkLine } from "../model/hunk.js";
import { cutLines, kindOfSign, WrittenHunk } from "../model/hunk-lines.js";
import type { LineTable } from "../model/line-table.js";
import type { Deadline, Steps } from "../model/steps.js";
import type { Repair } from "../model/types.js";
import { isOfDiff, startsHeader, strangeLine } from "./dialect.js";
import { noFile, readFileNames } from "./file-names.js";
import { closeHunk, isMailSignature, type OpenHunk } from "./open-hunk.js";
import { type EnvelopeLine, readEnvelopeLine } from "./parse-envelope.js";
import type { FencedSpan } from "./parse-fences.js";
import { looksLikeFileHeader, type ReadHeader, readGitLine, readHunkHeader } from "./parse-header.js";
import { type FileSection, hunkLimit, SectionList } from "./sections.js";

/** What reading a diff needs to know besides its lines. */
export interface ReadingContext {
  /** Whether the file has a line of this text: distinguishes forgotten context from prose. */
  readonly isBaseLine: (text: string) => boolean;
  /** Lines of the diff contain several lines of a file whose only terminator is `\r`. */
  readonly splitReturns: boolean;
  readonly deadline: Deadline;
  /** Whether the lines read last cost so much that the step is to end. */
  readonly isBusy?: () => boolean;
  /** What makes the next lines cost less. */
  readonly relieve?: () => Steps<void>;
}

/** Reads the lines of a unified diff, or of the V4A envelope, hunk by hunk. */
export class DiffReader {
  readonly hunks: Hunk[] = [];
  readonly repairs: Repair[] = [];
  private readonly sections = new SectionList();
  private current: OpenHunk | undefined;
  /** Lines of the open hunk that are not added, and that are not removed. */
  private oldLines = 0;
  private newLines = 0;
  private bodyStart = 0;
  private skippedProse = false;
  /** Whether only lines of git's may follow: since its first one there was no blank line and no other header. */
  private inGitHeader = false;
  /** Whether a file was named and none of its hunks was begun yet. */
  private isNamed = false;
  /** A line with a sign that stands in no hunk, below the name of a file. */
  private unread: number | undefined;
  /** What part of an envelope is read: `open` before its first file, `outside` where text may stand. */
  private place: "outside" | "open" | "update" | "add" | "delete" = "outside";
  private mayMove = false;
  /** What makes it unreadable, in words. */
  flaw: string | undefined;
  /** The header read last, and what it says. */
  private last: { readonly line: string; readonly header: ReadHeader } | undefined;

  constructor(
    private readonly lines: LineTable,
    private readonly context: ReadingContext,
    private readonly isEnvelope: boolean,
  ) {}

  *readSpan(span: FencedSpan): Steps<void> {
    const { deadline, isBusy, relieve } = this.context;
    this.bodyStart = span.from;
    this.inGitHeader = false;
    let at = span.from;
    for (let step = 1; at < span.to; step++) {
      if (step % 4096 === 0) {
        yield;
        if (deadline.late()) break;
      }
      if (isBusy?.() === true) {
        yield;
        if (relieve !== undefined) yield* relieve();
      }
      if (this.hunks.length > hunkLimit) break;
      at += this.isEnvelope ? this.readEnvelope(at) : this.readLine(at, span.to);
    }
    this.close(true, span.to);
  }

  /** A diff without any `@@`: its lines are one hunk, if they all look like lines of one. */
  *readBareSpan(span: FencedSpan): Steps<void> {
    const from = Math.max(span.from, this.bodyStart);
    let changes = 0;
    for (let at = from; at < span.to; at++) {
      if (at % 4096 === 4095) yield;
      if (at % 4096 === 4095 && this.context.deadline.late()) return;
      const line = this.lines.line(at);
      if (line !== "" && !/^([-+ ]|\\ )/.test(line)) return;
      if (/^[-+]/.test(line)) changes += 1;
    }
    if (changes === 0) return;
    this.skippedProse = false;
    this.repairs.push({ kind: "header_mended", detail: "no `@@` line: read as one hunk" });
    this.open({ raw: "", numbers: undefined, anchors: [] }, from, from);
    for (let at = from; at < span.to; at++) {
      if (at % 4096 === 4095) yield;
      if (at % 4096 === 4095 && this.context.deadline.late()) break;
      this.readBody(at);
    }
    if ((this.unread ?? from) >= from) this.unread = undefined;
    this.close(true, span.to);
  }

  /** Ends the reading and returns what the diff said about each file. */
  finish(): readonly FileSection[] {
    if (this.skippedProse && this.hunks.length > 0)
      this.repairs.push({ kind: "prose_removed", detail: "text around the diff left out" });
    if (this.unread !== undefined) this.refuseLine(this.unread);
    return this.sections.finish();
  }

  /** @returns how many lines were read. */
  private readLine(at: number, end: number): number {
    const headerLines = this.fileHeaderAt(at, end);
    if (headerLines > 0) return headerLines;
    // What begins with one of these is never a header; most lines do.
    if (this.current !== undefined && this.beginsBody(at)) {
      this.readBody(at);
      return 1;
    }
    const line = this.lines.line(at);
    if (this.readHeader(line, at)) return 1;
    const inHunk = this.current !== undefined;
    const git = readGitLine(line, this.lines.line(at + 1));
    if (git !== undefined && (!inHunk || git.kind === "file" || git.kind === "commit")) {
      this.close(true, at);
      this.sections.noteGitLine(git);
      this.inGitHeader = git.kind === "file" || (this.inGitHeader && git.kind !== "binary");
      this.isNamed = false;
      this.bodyStart = at + 1;
    } else if (inHunk) this.readBody(at);
    else this.leaveOut(line, at);
    return 1;
  }

  /** The text around the fences of a diff. */
  *leaveOutSpan(span: FencedSpan): Steps<void> {
    const { skippedProse } = this;
    for (let at = span.from; at < span.to; at++) {
      if (at % 4096 === 4095) yield;
      this.leaveOut(this.lines.line(at), at);
    }
    this.skippedProse = skippedProse;
  }

  /** Outside of hunks there may be text, but nothing that asks for something. */
  private leaveOut(line: string, at: number): void {
    if (line.trim() === "" || isMailSignature(line, this.lines.line(at + 1))) this.inGitHeader = false;
    else if (this.inGitHeader || isOfDiff(line) || startsHeader(this.lines, at)) this.refuseLine(at);
    else if (this.isNamed && /^[-+]/.test(line)) this.unread ??= at;
    else this.skippedProse = true;
  }

  private refuseLine(at: number): void {
    this.flaw ??= strangeLine(this.lines.line(at), this.isEnvelope ? "v4a" : "unified");
  }

  private beginsBody(at: number): boolean {
    const first = this.lines.firstCode(at);
    return first === space || first === plus || first === minus;
  }

  private readEnvelope(at: number): number {
    const line = this.lines.line(at);
    const mark = this.markAt(line, at);
    const inFile = this.place !== "outside" && this.place !== "open";
    if (mark !== undefined) this.readMark(mark, at);
    else if (inFile && this.readHeader(line, at)) this.mayMove = false;
    else if (this.current !== undefined) this.readBody(at);
    else if (inFile && line !== "") {
      this.open({ raw: "", numbers: undefined, anchors: [] }, at, at);
      this.readBody(at);
      this.mayMove &&= line.trim() === "";
    } else if (this.place === "open" && line.trim() !== "") this.refuseLine(at);
    else this.leaveOut(line, at);
    return 1;
  }

  /**
   * The line of the envelope, with blanks around it or not. Below an Update the blank before it is the sign of a
   * context line, unless it can be none: it ends the patch, or renames the file before any line of it.
   */
  private markAt(line: string, at: number): EnvelopeLine | undefined {
    const mark = readEnvelopeLine(line.trim());
    if (mark === undefined || this.place !== "update" || !line.startsWith(" ")) return mark;
    if (mark.kind === "end") return this.endsAt(at) ? mark : undefined;
    return mark.kind === "move" && this.mayMove ? mark : undefined;
  }

  /** Whether nothing of a diff follows. */
  private endsAt(at: number): boolean {
    for (let next = at + 1; next < this.lines.count; next++)
      if (/^([-+@]|\s*\*)/.test(this.lines.line(next))) return false;
    return true;
  }

  private readMark(mark: EnvelopeLine, at: number): void {
    if (mark.kind !== "end_of_file") this.close(mark.kind !== "move", at);
    const { mayMove } = this;
    this.mayMove = mark.kind === "update";
    switch (mark.kind) {
      case "end_of_file":
        if (this.current !== undefined) this.current.atEnd = true;
        return;
      case "update":
        this.sections.noteNames({ old: mark.name, new: mark.name });
        break;
      case "add":
        this.sections.noteNames({ old: noFile, new: mark.name });
        break;
      case "delete":
        this.sections.noteNames({ old: mark.name, new: noFile });
        break;
      case "move":
        if (mayMove) this.sections.noteMove(mark.name);
        else this.refuseLine(at);
        return;
      case "begin":
        this.place = "open";
        return;
      case "end":
        this.place = "outside";
        return;
      default:
        mark satisfies never;
    }
    this.place = mark.kind;
  }

  private readHeader(line: string, at: number): boolean {
    const header = this.readHeaderText(line);
    if (header === undefined) return false;
    const outer = this.stackedAnchors();
    const anchors = header.anchor === undefined ? outer.anchors : [...outer.anchors, header.anchor];
    this.close(false, at);
    if (!header.regular && header.numbers !== undefined)
      this.repairs.push({ kind: "header_mended", detail: `\`${line.slice(0, 60)}\`` });
    this.open({ raw: line, numbers: header.numbers, anchors }, outer.from ?? at, at + 1);
    return true;
  }

  /** Hunks without numbers mostly have the same header. */
  private readHeaderText(line: string): ReadHeader | undefined {
    const { last } = this;
    if (last?.line === line) return last.header;
    const header = readHunkHeader(line);
    if (header !== undefined) this.last = { line, header };
    return header;
  }

  /** A header that names an outer heading only, followed at once by the next one. */
  private stackedAnchors(): { readonly anchors: readonly string[]; readonly from?: number } {
    const current = this.current;
    const { anchors, numbers } = current?.header ?? {};
    if (
      current === undefined ||
      countLines(current) > 0 ||
      numbers !== undefined ||
      (anchors?.length ?? 0) >= anchorLimit
    )
      return noAnchors;
    this.current = undefined;
    return { anchors: current.header.anchors, from: current.from };
  }

  private fileHeaderAt(at: number, end: number): number {
    const first = this.lines.firstCode(at);
    if (first !== minus && first !== plus) return 0;
    const follows = (lines: number, prefix: string) =>
      at + lines < end && this.lines.startsWith(at + lines, prefix);
    const pair = follows(0, "--- ") && follows(1, "+++ ");
    if (this.current !== undefined && !pair) return 0;
    const line = this.lines.line(at);
    const next = at + 1 < end ? this.lines.line(at + 1) : "";
    if (this.current !== undefined) {
      if (!follows(2, "@@") || !this.endsBefore(line, next)) return 0;
    } else if (!pair) return this.halfHeaderAt(at, line, next);
    this.close(false, at);
    this.sections.noteNames(readFileNames(line, next));
    [this.inGitHeader, this.isNamed] = [false, true];
    this.bodyStart = at + 2;
    return 2;
  }

  private halfHeaderAt(at: number, line: string, next: string): number {
    if (!/^(--- |\+\+\+ )\S/.test(line) || readHunkHeader(next) === undefined) return 0;
    const isOld = line.startsWith("---");
    this.sections.noteNames(readFileNames(isOld ? line : undefined, isOld ? undefined : line));
    this.repairs.push({ kind: "header_mended", detail: `\`${isOld ? "+++" : "---"}\` line missing` });
    this.bodyStart = at + 1;
    return 1;
  }

  /** Whether the open hunk is over, so that `--- x`, `+++ y` are the next file's header. */
  private endsBefore(oldLine: string, newLine: string): boolean {
    const { numbers } = this.current?.header ?? {};
    if (numbers === undefined) return looksLikeFileHeader(oldLine, newLine);
    const { oldLines, newLines } = this;
    if (oldLines === numbers.oldCount && newLines === numbers.newCount) return true;
    if (oldLines + 1 === numbers.oldCount && newLines + 1 === numbers.newCount) return false;
    return looksLikeFileHeader(oldLine, newLine);
  }

  private open(header: OpenHunk["header"], from: number, body: number): void {
    const lines = this.mayBePlain ? undefined : [];
    this.current = { header, body, plain: 0, lines, marked: [], from, atEnd: false };
    this.oldLines = 0;
    this.newLines = 0;
    [this.inGitHeader, this.isNamed] = [false, false];
  }

  private readBody(at: number): void {
    const current = this.current;
    if (current === undefined) return;
    const { lines } = this;
    const { splitReturns } = this.context;
    const first = lines.firstCode(at);
    const kind = kindOfSign(first);
    if ((kind ?? "context") === "context" && this.isStrange(at, kind === undefined)) {
      if (readEnvelopeLine(lines.line(at).trim())?.kind === "end_of_file") current.atEnd = true;
      else this.refuseLine(at);
      if (kind !== undefined) return;
    }
    if (current.lines === undefined && kind !== undefined && at === current.body + current.plain) {
      current.plain += 1;
      this.count(kind);
      return;
    }
    const list = this.listLines(current);
    if (first === backslash && /^\\ \S/.test(lines.line(at))) {
      current.marked.push(list.length - 1);
      const last = list.at(-1);
      // The newline is the marker's, so that a return before it is the file's own, unless the marker has one as well.
      const isKept = last?.ending === "\r\n" && lines.ending(at) === "\n" && !splitReturns;
      if (last !== undefined)
        list[list.length - 1] = { ...last, text: last.text + (isKept ? "\r" : ""), ending: "" };
      return;
    }
    const written = lines.ending(at) ?? "";
    // A lone return ends a line of the diff's transport; of the file only if the file has such lines.
    const ending = written === "\r" && !splitReturns ? "\n" : written;
    const read = readBodyLine(lines, at, ending);
    if (!splitReturns || !read.text.includes("\r")) this.put(list, read);
    else for (const text of read.text.replace(/\r$/, "").split("\r")) this.put(list, { ...read, text });
  }

  /**
   * Whether a line that is neither removed nor added would be left out of the hunk, or taken for damaged context, and
   * asks for something: the file has no such line.
   *
   * @param isBare it has no sign. In an envelope each line of a file needs one, as far as the file does not show it.
   */
  private isStrange(at: number, isBare: boolean): boolean {
    const line = this.lines.line(at);
    if (!isBare && !signedMark.test(line)) return false;
    const text = isBare ? line : line.slice(1);
    const words = text.trim();
    const asks = this.isEnvelope && (isBare || words.startsWith("*** "));
    if (words === "" || !(asks || isOfDiff(isBare ? line : words)) || /^\\ \S/.test(line)) return false;
    return !this.context.isBaseLine(text);
  }

  /** Whether a hunk can be described by where its lines begin in the diff: they must be lines of the file as well. */
  private get mayBePlain(): boolean {
    return !this.context.splitReturns && !this.lines.endsWithReturns;
  }

  private listLines(current: OpenHunk): HunkLine[] {
    current.lines ??= cutLines(this.lines, current.body, current.body + current.plain);
    return current.lines;
  }

  private put(list: HunkLine[], line: HunkLine): void {
    list.push(line);
    this.count(line.kind);
  }

  private count(kind: HunkLine["kind"]): void {
    if (kind !== "added") this.oldLines += 1;
    if (kind !== "removed") this.newLines += 1;
  }

  private close(lastOfSpan: boolean, at: number): void {
    const current = this.current;
    this.current = undefined;
    if (current === undefined || this.context.deadline.passes()) return;
    if (countLines(current) === 0) {
      this.repairs.push({ kind: "empty_hunk", detail: "an `@@` line without lines below it" });
      return;
    }
    const number = this.hunks.length + 1;
    this.sections.notePiece({ from: current.from, to: at });
    const { lines } = current;
    if (lines === undefined) {
      // Every line has its sign, so that all belong to the hunk, whatever its counts say.
      const { header, atEnd, body, plain } = current;
      this.hunks.push(new WrittenHunk(number, header, atEnd, this.lines, body, plain));
      return;
    }
    const closed = closeHunk({ ...current, lines }, number, lastOfSpan, this.context.isBaseLine);
    this.hunks.push(closed.hunk);
    for (const repair of closed.repairs) this.repairs.push(repair);
  }
}

function countLines({ lines, plain }: OpenHunk): number {
  return lines?.length ?? plain;
}

function readBodyLine(lines: LineTable, at: number, ending: LineEnding): HunkLine {
  const kind = kindOfSign(lines.firstCode(at));
  const text = lines.text.slice(lines.startOf(at) + (kind === undefined ? 0 : 1), lines.endOf(at));
  return { kind: kind ?? "context", text, ending, bare: kind === undefined };
}

const noAnchors = { anchors: [] };
/** More headings than this, one in the other, name nothing. */
const anchorLimit = 8;
/** So begins, behind its sign, what would be a mark of an envelope or a block without it. */
const signedMark = /^.\s*[*<>]/;
const space = 32;
const plus = 43;
const minus = 45;
const backslash = 92;
