import { clip } from "../../text/index.js";
import { type Hunk, type HunkHeader, kindOfSign } from "../model/hunk.js";
import type { LineTable } from "../model/line-table.js";
import type { Deadline, Steps } from "../model/steps.js";
import type { Repair } from "../model/types.js";
import { noFile, readFileNames } from "./file-names.js";
import {
  closeHunk,
  describeReading,
  findHunkEnd,
  isMarker,
  type OpenHunk,
  opensSignature,
} from "./open-hunk.js";
import { type EnvelopeLine, readEnvelopeLine } from "./parse-envelope.js";
import {
  isOfDiff,
  looksLikeFileHeader,
  type ReadHeader,
  readHunkHeader,
  readSectionLine,
  type SectionLine,
  startsHeader,
  strangeLine,
} from "./parse-header.js";
import {
  type FencedSpan,
  type FileSection,
  hunkLimit,
  isPackedLine,
  LineAccount,
  packedHeader,
  readFence,
  SectionList,
} from "./sections.js";

/** What reading a diff needs to know besides its lines. */
export interface ReadingContext {
  /** Whether the file has a line of this text: distinguishes forgotten context from text. Absent where no file is known. */
  readonly isBaseLine?: (text: string) => boolean;
  /** So many folders are taken off the names; found out unless given. */
  readonly strip?: number;
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
  readonly account: LineAccount;
  private readonly sections = new SectionList();
  private current: OpenHunk | undefined;
  private bodyStart = 0;
  /** Whether only lines of git's may follow: since its first one there was no blank line and no other header. */
  private inGitHeader = false;
  /** Whether a file was named and none of its hunks was begun yet. */
  private isNamed = false;
  /** A line with a sign that stands in no hunk, below the name of a file. */
  private unread: number | undefined;
  /** Whether bytes that git packed may follow, and whether a part of them was begun. */
  private packed: "between" | "inside" | undefined;
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
  ) {
    this.account = new LineAccount(lines);
  }

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
    this.account.kinds.length = Math.min(this.account.kinds.length, from);
    this.account.take("text", from);
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
    if (this.unread !== undefined) this.refuseLine(this.unread);
    return this.sections.finish();
  }

  /** @returns how many lines were read. */
  private readLine(at: number, end: number): number {
    if (this.packed !== undefined && this.readPacked(at)) return 1;
    const headerLines = this.fileHeaderAt(at, end);
    if (headerLines > 0) return headerLines;
    // What begins with one of these is never a header; most lines do.
    if (this.current !== undefined && this.beginsBody(at)) {
      this.readBody(at);
      return 1;
    }
    const line = this.lines.line(at);
    if (this.readHeader(line, at)) return 1;
    const section = readSectionLine(line, this.lines.line(at + 1), this.context.strip);
    if (section !== undefined && this.isHeader(section, line)) this.readSection(section, at);
    else if (this.current !== undefined) this.readBody(at);
    else this.leaveOut(line, at);
    return 1;
  }

  private readPacked(at: number): boolean {
    const line = this.lines.line(at);
    const belongs = isPackedLine(line, this.packed === "inside");
    this.packed = !belongs ? undefined : line === "" ? "between" : "inside";
    if (belongs && line !== "") this.sections.notePacked(at);
    if (belongs) this.account.take("hunk", at + 1);
    return belongs;
  }

  /** Whether the line ends the hunk above it; it may also be context without its space. */
  private isHeader(section: SectionLine, line: string): boolean {
    const { current } = this;
    if (current === undefined || (current.metAt !== undefined && !current.isOverrun)) return true;
    if (section.kind === "file" || section.kind === "commit") return true;
    const begins = ["label", "without_content"].includes(section.kind);
    return begins && this.context.isBaseLine?.(line) !== true;
  }

  private readSection(section: SectionLine, at: number): void {
    this.close(true, at);
    this.sections.note(section);
    const { kind } = section;
    this.packed = kind === "without_content" && section.label === packedHeader ? "between" : undefined;
    this.inGitHeader = kind === "file" || (this.inGitHeader && kind !== "without_content");
    this.isNamed = false;
    this.bodyStart = at + 1;
    this.account.take("header", this.bodyStart);
  }

  /** The text around the fences of a diff. */
  leaveOutSpan(span: FencedSpan): void {
    for (let at = span.from; at < span.to; at++) {
      if (readFence(this.lines, at) === null) this.leaveOut(this.lines.line(at), at);
      this.account.takeOuter(at + 1);
    }
  }

  /** Outside of hunks there may be text, but nothing that asks for something. */
  private leaveOut(line: string, at: number): void {
    if (line.trim() === "" || opensSignature(line)) this.inGitHeader = false;
    else if (this.inGitHeader || isOfDiff(line) || startsHeader(this.lines, at)) this.refuseLine(at);
    else if (this.isNamed && /^[-+]/.test(line)) this.unread ??= at;
    this.account.take("text", at + 1);
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
    if (mark !== undefined) {
      this.readMark(mark, at);
      this.account.take("header", at + 1);
    } else if (inFile && this.readHeader(line, at)) this.mayMove = false;
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
        this.close(false, at);
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
      current.old + current.fresh > 0 ||
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
    return this.noteNames(at, line, next);
  }

  private halfHeaderAt(at: number, line: string, next: string): number {
    if (!/^(--- |\+\+\+ )\S/.test(line) || readHunkHeader(next) === undefined) return 0;
    const isOld = line.startsWith("---");
    this.repairs.push({ kind: "header_mended", detail: `\`${isOld ? "+++" : "---"}\` line missing` });
    return this.noteNames(at, isOld ? line : undefined, isOld ? undefined : line);
  }

  private noteNames(at: number, oldLine: string | undefined, newLine: string | undefined): number {
    this.sections.noteNames(readFileNames(oldLine, newLine, this.context.strip));
    [this.inGitHeader, this.isNamed] = [false, true];
    this.bodyStart = at + (oldLine === undefined || newLine === undefined ? 1 : 2);
    this.account.take("header", this.bodyStart);
    return this.bodyStart - at;
  }

  /** Whether the open hunk is over, so that `--- x`, `+++ y` are the next file's header. */
  private endsBefore(oldLine: string, newLine: string): boolean {
    const { header, old = 0, fresh = 0 } = this.current ?? {};
    const { numbers } = header ?? {};
    if (numbers === undefined) return looksLikeFileHeader(oldLine, newLine);
    if (old === numbers.oldCount && fresh === numbers.newCount) return true;
    if (old + 1 === numbers.oldCount && fresh + 1 === numbers.newCount) return false;
    return looksLikeFileHeader(oldLine, newLine);
  }

  private open(header: HunkHeader, from: number, body: number): void {
    const counts = { old: 0, fresh: 0, changed: 0, metAt: undefined };
    const flags = { isPlain: true, isOverrun: false, atEnd: false };
    this.current = { header, from, body, ...counts, ...flags, marks: [] };
    [this.inGitHeader, this.isNamed] = [false, false];
  }

  private readBody(at: number): void {
    const { current, lines } = this;
    if (current === undefined) return;
    const kind = kindOfSign(lines.firstCode(at));
    if ((kind ?? "context") === "context" && this.isStrange(at, kind === undefined)) {
      if (readEnvelopeLine(lines.line(at).trim())?.kind === "end_of_file") current.atEnd = true;
      else this.refuseLine(at);
      if (kind !== undefined) current.marks.push(at);
    }
    current.isPlain &&= kind !== undefined && current.marks.length === 0;
    if (kind === undefined && isMarker(lines, at)) {
      if (current.metAt === at) current.metAt = at + 1;
      return;
    }
    if (kind !== undefined && current.marks.at(-1) === at) return;
    if (kind !== "added") current.old += 1;
    if (kind !== "removed") current.fresh += 1;
    if (kind !== undefined && kind !== "context") current.changed += 1;
    if (current.metAt !== undefined && kind !== undefined) current.isOverrun = true;
    const { numbers } = current.header;
    if (numbers?.oldCount === current.old && numbers.newCount === current.fresh) current.metAt = at + 1;
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
    return this.context.isBaseLine?.(text) === false;
  }

  private close(isLastOfSpan: boolean, at: number): void {
    const { current, lines } = this;
    this.current = undefined;
    if (current === undefined || this.context.deadline.passes()) return;
    const { from, body, header } = current;
    const context = { at, isLastOfSpan, isBaseLine: this.context.isBaseLine ?? (() => true) };
    const end = findHunkEnd(lines, current, context);
    this.account.take("hunk", end);
    this.account.take("text", at);
    if (end === body) {
      if (header.numbers !== undefined && header.numbers.oldCount + header.numbers.newCount > 0)
        this.flaw ??= emptyHunk(header.raw, this.sections.name);
      this.repairs.push({ kind: "empty_hunk", detail: "an `@@` line without lines below it" });
      return;
    }
    const hunk = closeHunk(lines, current, end, this.hunks.length + 1, this.context.splitReturns);
    this.hunks.push(hunk);
    this.repairs.push(...describeReading(lines, hunk, end, context));
    const { oldCount: old, newCount: fresh } = (end === current.metAt ? header.numbers : undefined) ?? {
      oldCount: current.old,
      newCount: current.fresh,
    };
    this.sections.notePiece(from, at, old, fresh, current.changed);
  }
}

/** A header that promises lines, as a diff has it that was broken off or filtered. */
function emptyHunk(header: string, name: string | undefined): string {
  const part = name === undefined ? "" : ` in its part for ${JSON.stringify(clip(name, 200))}`;
  return `The hunk ${JSON.stringify(clip(header, 120))}${part} has no lines, so nothing was changed. Send that part whole, or leave it out.`;
}

const noAnchors = { anchors: [] };
/** More headings than this, one in the other, name nothing. */
const anchorLimit = 8;
/** So begins, behind its sign, what would be a mark of an envelope or a block without it. */
const signedMark = /^.\s*[*<>]/;
const space = 32;
const plus = 43;
const minus = 45;
