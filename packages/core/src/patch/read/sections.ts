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
