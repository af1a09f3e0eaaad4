import { clip, counted } from "../../text/index.js";
import type { LineTable } from "../model/line-table.js";
import type { Deadline } from "../model/steps.js";
import type { Repair } from "../model/types.js";
import { type FileNames, noFile, type Stamp } from "./file-names.js";
import type { ModeLine, SectionLine } from "./parse-header.js";

/** The mode of a symbolic link in a git diff. */
const linkMode = "120000";

/** Whether a mode that a git diff names lets the owner run the file, which is all that git keeps of it. */
export function isExecutable(mode: string | undefined): boolean {
  return mode !== undefined && (Number.parseInt(mode, 8) & 0o100) !== 0;
}

/** A diff of more hunks is refused, whatever it says. */
export const hunkLimit = 200_000;

/** What a diff says about one file before its hunks, and where in the diff these hunks are. */
export interface FileSection {
  /** Without prefixes; undefined where the diff names no file. */
  readonly path?: string | undefined;
  /** The line that began it, where that is none of git's. */
  readonly label?: string | undefined;
  /** The file before the change, as git's line names it; "" where that line cannot be read. */
  readonly gitName?: string | undefined;
  readonly renamedFrom?: string | undefined;
  readonly renamedTo?: string | undefined;
  readonly creation: boolean;
  readonly deletion: boolean;
  /** Whether it has `---` and `+++` lines. */
  readonly isNamed: boolean;
  /** The name that a copy is made of or under. */
  readonly copy?: string | undefined;
  /** How much of a renamed file stays, such as `80%`. */
  readonly similarity?: string | undefined;
  /** The mode of a new or deleted file, or another one for an existing file, such as `100755`. */
  readonly mode?: string | undefined;
  /** The mode of what is no regular file, such as a link (`120000`), other than one that is deleted. */
  readonly specialMode?: string | undefined;
  /** Whether the entry is a link, as far as a mode says so. */
  readonly isLink?: boolean;
  /** The hashes of git's line `index`, such as `5626abf..d00491f`, and the commit above it. */
  readonly blobs?: string | undefined;
  readonly commit?: string | undefined;
  /** Whether the diff says that its bytes differ, and has them packed or not at all. */
  readonly binary: boolean;
  /** Where in the diff the bytes are that git packed, `to` after the last of them. */
  readonly packed?: { readonly from: number; readonly to: number };
  /** What it comes to by the times beside its names. */
  readonly stamps: readonly [old: Stamp | undefined, fresh: Stamp | undefined];
  /** How many lines its hunks have on each side, and how many of them are changed. */
  readonly oldLines: number;
  readonly newLines: number;
  readonly changedLines: number;
  /** Lines of the diff, one piece a hunk, its header included: `from` and `to` (after the last) by turns. */
  readonly pieces: readonly number[];
}

/** Gathers what the headers of a diff say, file by file, while the diff is read. */
export class SectionList {
  private readonly list: Writable[] = [];
  private current: Writable = empty();

  /** Every section that names a file, says something about it or has a hunk. */
  finish(): readonly FileSection[] {
    this.push();
    return this.list;
  }

  /** The file of the open section, in words. */
  get name(): string | undefined {
    return this.current.path ?? this.current.label;
  }

  noteNames(names: FileNames): void {
    const { current } = this;
    const isRepeated = current.isNamed && current.pieces.length === 0 && !this.asks && this.isOf(names);
    if (!isRepeated && (current.isNamed || current.pieces.length > 0 || !this.isOf(names))) this.push();
    this.current.isNamed = true;
    if (names.old === noFile) this.current.creation = true;
    if (names.new === noFile) this.current.deletion = true;
    this.current.stamps = [names.oldStamp, names.newStamp];
    const { path } = this.current;
    const named = (names.new === noFile ? names.old : (names.new ?? names.old)) ?? path;
    // Only the line above shows whether a folder before the name stands for a side.
    this.current.path = path !== undefined && named?.endsWith(`/${path}`) ? path : named;
  }

  /** Whether these may be names of the file that the section is about. */
  private isOf(names: FileNames): boolean {
    const { path, gitName, renamedFrom, renamedTo, label } = this.current;
    const known = [path, gitName, renamedFrom, renamedTo].filter((name) => name !== undefined && name !== "");
    const given = [names.old, names.new].filter((name) => name !== noFile);
    if (known.length === 0) return given.some((name = "") => (label ?? name).includes(lastWord(name)));
    return given.some((name = "") =>
      known.some((one) => name === one || name.endsWith(`/${one}`) || one?.endsWith(`/${name}`)),
    );
  }

  /** Whether it says what becomes of the file, hunks aside. */
  private get asks(): boolean {
    const { renamedFrom, renamedTo, copy, mode, creation, deletion, binary, specialMode } = this.current;
    const named = renamedFrom ?? renamedTo ?? copy ?? mode ?? specialMode;
    return creation || deletion || binary || named !== undefined;
  }

  /** Lines behind a hunk are about another file; what is said twice is said of two files. */
  note(line: SectionLine): void {
    if (this.current.pieces.length > 0 || this.current.packed !== undefined) this.push();
    switch (line.kind) {
      case "file":
        if (!this.isLabelled(line.names.new)) this.push();
        this.current.path = line.names.new;
        this.current.gitName = line.names.old ?? "";
        break;
      case "label":
        if (!line.label.startsWith("diff ") || !this.isLabelled()) this.push();
        this.current.label ??= line.label;
        break;
      case "field":
        if (line.field !== "copy" && this.current[line.field] !== undefined) this.push();
        this.current[line.field] = line.value;
        break;
      case "new_mode":
      case "creation":
      case "deletion":
      case "old_mode":
        this.noteMode(line.kind, line.mode);
        break;
      case "index":
        if (this.current.blobs !== undefined) this.push();
        this.current.blobs = line.blobs;
        if (line.mode !== undefined) this.noteType(line.mode, false);
        break;
      case "commit":
        this.push();
        this.current.commit = line.commit;
        break;
      case "without_content":
        if (this.name === undefined || !/^(Binary|GIT binary)/.test(line.label)) {
          this.push();
          this.current.label = line.label;
        }
        this.current.binary = true;
        break;
      case "noise":
        break;
      default:
        line satisfies never;
    }
  }

  /** Whether no more was read of the section than a line `Index: ` of this file, if that. */
  private isLabelled(name = ""): boolean {
    const { label = `Index: ${name}`, isNamed, path } = this.current;
    return (
      !isNamed && !this.asks && path === undefined && label.startsWith("Index: ") && label.endsWith(name)
    );
  }

  /** The section's file gets another name. */
  noteMove(name: string): void {
    this.current.renamedFrom = this.current.path;
    this.current.renamedTo = name;
  }

  private noteMode(kind: ModeLine, mode: string): void {
    const last = this.list.at(-1);
    if (kind !== "old_mode") {
      if (this.current.mode !== undefined) this.push();
      this.current.mode = mode;
    }
    if (kind === "creation" || kind === "deletion") this.current[kind] = true;
    this.noteType(mode, kind === "deletion");
    // Another type is two parts: the link goes, and a file comes.
    if (kind === "creation" && last?.mode === linkMode && last.path === this.current.path)
      this.current.specialMode = linkMode;
  }

  private noteType(mode: string, isGone: boolean): void {
    this.current.isLink = mode === linkMode;
    if (!/^100\d{3}$/.test(mode) && !(isGone && mode === linkMode)) this.current.specialMode = mode;
  }

  /** A hunk that was read: its lines in the diff, and how many it has of each kind. */
  notePiece(from: number, to: number, old: number, fresh: number, changed: number): void {
    const { current } = this;
    current.pieces.push(from, to);
    current.oldLines += old;
    current.newLines += fresh;
    current.changedLines += changed;
  }

  /** A line of packed bytes. */
  notePacked(at: number): void {
    this.current.packed = { from: this.current.packed?.from ?? at, to: at + 1 };
  }

  private push(): void {
    const { path, gitName, label, pieces, stamps, oldLines, newLines } = this.current;
    const [old, fresh] = stamps;
    if (pieces.length > 0 && old === "absent" && oldLines === 0) this.current.creation = true;
    if (pieces.length > 0 && fresh === "absent" && old !== "absent" && newLines === 0)
      this.current.deletion = true;
    if ((path ?? gitName ?? label) !== undefined || this.asks || pieces.length > 0)
      this.list.push(this.current);
    this.current = { ...empty(), commit: this.current.commit };
  }
}

/** What tools write alike at the end of a name, quoted or not. */
const lastWord = (name: string) => /[\w.-]*$/.exec(name)?.[0] ?? "";

type Writable = { -readonly [Key in keyof FileSection]: FileSection[Key] } & { pieces: number[] };

function empty(): Writable {
  return {
    creation: false,
    deletion: false,
    isNamed: false,
    binary: false,
    stamps: [undefined, undefined],
    oldLines: 0,
    newLines: 0,
    changedLines: 0,
    pieces: [],
  };
}

/** Lines `from` to `to` (after the last) of what the model sent. */
export interface FencedSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the parts of an answer, up to line `end`, that are diff: the inside of
 * the Markdown fences around the diff, or all of it.
 *
 * A diff of a Markdown file has fences itself, and some models leave out the space before them. A fence
 * therefore closes the block only if nothing that looks like more diff is between it and the next one.
 */
export function findDiffSpans(lines: LineTable, end: number, deadline: Deadline): readonly FencedSpan[] {
  const spans: FencedSpan[] = [];
  let at = 0;
  while (at < end && !deadline.late()) {
    const opening = findOpening(lines, at, end);
    if (opening === undefined) break;
    if (readFence(lines, opening) === null) {
      spans.push({ from: at, to: end });
      break;
    }
    const closing = findClosing(lines, opening, end);
    spans.push({ from: opening + 1, to: closing });
    at = closing + 1;
  }
  const useful = spans.filter((span) => hasDiffLine(lines, span));
  return useful.length > 0 ? useful : [{ from: 0, to: end }];
}

const fencePattern = /^( {0,3})(`{3,}|~{3,}) *([\w+-]*)$/;

/** A line of backticks or tildes, taken apart. */
export function readFence(lines: LineTable, at: number): RegExpExecArray | null {
  const from = lines.startOf(at);
  let first = from;
  while (first < from + 3 && lines.text.charCodeAt(first) === space) first += 1;
  const code = lines.text.charCodeAt(first);
  if ((code !== backtick && code !== tilde) || lines.endOf(at) - from > 200) return null;
  return fencePattern.exec(lines.line(at).trimEnd());
}

const space = 32;
const backtick = 96;
const tilde = 126;

/** A fence that opens a block, or the line where a diff begins outside of one, whichever is first. */
function findOpening(lines: LineTable, start: number, end: number): number | undefined {
  for (let at = start; at < end; at++) {
    if (readFence(lines, at) !== null) return at;
    if (/^(@@|diff --git |--- \S|\+\+\+ \S|\*\*\* (Begin|Add|Update|Delete) )/.test(lines.line(at)))
      return at;
  }
  return undefined;
}

function findClosing(lines: LineTable, opening: number, end: number): number {
  const [, indent = "", ticks = ""] = readFence(lines, opening) ?? [];
  const closings: number[] = [];
  for (let at = opening + 1; at < end; at++) {
    const [, inner, mark = "", info] = readFence(lines, at) ?? [];
    if (inner !== indent || !mark.startsWith(ticks)) continue;
    if (info === "") closings.push(at);
    else if ((info === "diff" || info === "patch") && closings.length > 0) break;
  }
  const last = closings.at(-1);
  if (last === undefined) return end;
  let more = last - 1;
  while (more > opening && !/^(@@|[-+])/.test(lines.line(more))) more -= 1;
  return closings.find((closing) => closing >= more) ?? last;
}

function hasDiffLine(lines: LineTable, span: FencedSpan): boolean {
  for (let at = span.from; at < span.to; at++) {
    if (/^(@@|[-+]|\*\*\* |diff --git )/.test(lines.line(at))) return true;
  }
  return false;
}

/** What a line of an input is: a part of a header, of a hunk (its `@@` line included), or text around the diff. */
export type LineKind = "header" | "hunk" | "text";

/** What each line of an input is. Lines are taken in their order, each once, so that none is left out in silence. */
export class LineAccount {
  readonly kinds: LineKind[] = [];

  constructor(private readonly lines: LineTable) {}

  /** The lines up to `to` (after the last) that are not accounted for yet are of this kind. */
  take(kind: LineKind, to: number): void {
    while (this.kinds.length < to) this.kinds.push(kind);
  }

  /** The same of lines outside of the diff: they are text, but for the fences around it, and a name of a file above it. */
  takeOuter(to: number, name?: string): void {
    const isName = (at: number) => name !== undefined && at >= to - 3 && this.lines.line(at).includes(name);
    for (let at = this.kinds.length; at < to; at++)
      this.take(readFence(this.lines, at) !== null || isName(at) ? "header" : "text", at + 1);
  }

  /** The text that is left out, told once; nothing where there are only blank lines. */
  describeText(): readonly Repair[] {
    let [count, first] = [0, ""];
    for (const [at, kind] of this.kinds.entries()) {
      const line = kind === "text" ? this.lines.line(at).trim() : "";
      if (line === "") continue;
      if (count === 0) first = clip(line, 60);
      count += 1;
    }
    if (count === 0) return [];
    const detail = `${counted(count, "line")} around the diff, ${JSON.stringify(first)}`;
    return [{ kind: "prose_removed", detail: count > 1 ? `${detail}, …` : detail }];
  }
}

/** The bytes of one file as `git diff --binary` packs them, and what says whether they are meant for a file. */
export interface PackedDiff {
  readonly isCreation: boolean;
  readonly isExecutable: boolean;
  /** Git's names of the contents before and after it. */
  readonly blobs: readonly string[] | undefined;
  /** Makes the new bytes; the one after it, which git adds, the old ones of the new ones. */
  readonly parts: readonly PackedPart[];
}

/** Whole bytes, or by which steps they are made of others: `size` of them, deflated, in lines of base 85. */
export interface PackedPart {
  readonly isDelta: boolean;
  readonly size: number;
  readonly lines: readonly string[];
}

/** The line above packed bytes. */
export const packedHeader = "GIT binary patch";

/** Whether a line below that one belongs to the bytes. @param isInside a part of them was begun, and did not end. */
export function isPackedLine(line: string, isInside: boolean): boolean {
  return line === "" || (isInside ? /^[A-Za-z](?:[!-~]{5}){1,13}$/ : partBegins).test(line);
}

/** The packed bytes of a section as `splitByFile` gives it; undefined of a diff of lines. */
export function readPacked(diff: string): PackedDiff | undefined {
  const [head, mode, ...blobs] = packedBegins.exec(diff) ?? [];
  if (head === undefined) return undefined;
  const parts: { isDelta: boolean; size: number; lines: string[] }[] = [];
  for (const line of diff.slice(head.length).split(/\r?\n/)) {
    const [, method, size] = partBegins.exec(line) ?? [];
    if (method !== undefined) parts.push({ isDelta: method === "delta", size: Number(size), lines: [] });
    else if (line !== "") parts.at(-1)?.lines.push(line);
  }
  const named = blobs[0] === undefined ? undefined : blobs;
  return { isCreation: mode !== undefined, isExecutable: isExecutable(mode), blobs: named, parts };
}

const partBegins = /^(literal|delta) (\d{1,10})$/;
const packedBegins = /^(?:new file mode (\d+)\n)?(?:index ([0-9a-f]+)\.\.([0-9a-f]+)\n)?GIT binary patch\n/;
