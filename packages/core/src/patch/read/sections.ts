import { type FileNames, noFile } from "./file-names.js";
import type { FencedSpan } from "./parse-fences.js";
import type { GitLine, ModeLine } from "./parse-header.js";

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
  readonly path: string | undefined;
  /** The file before the change, as git's line names it; "" where that line cannot be read. */
  readonly gitName: string | undefined;
  readonly renamedFrom: string | undefined;
  readonly renamedTo: string | undefined;
  readonly creation: boolean;
  readonly deletion: boolean;
  /** The name that a copy is made of or under. */
  readonly copy: string | undefined;
  /** The mode of a new or deleted file, or another one for an existing file, such as `100755`. */
  readonly mode: string | undefined;
  /** The mode of what is no regular file, such as a link (`120000`), other than one that is deleted. */
  readonly specialMode: string | undefined;
  /** Whether the entry is a link, as far as a mode says so. */
  readonly isLink?: boolean;
  /** The hashes of git's line `index` of a file that is changed, and the commit above it. */
  readonly blobs?: string | undefined;
  readonly commit?: string | undefined;
  readonly binary: boolean;
  /** Lines of the diff, one piece a hunk, its header included: `from` and `to` (after the last) by turns. */
  readonly pieces: readonly number[];
}

/** Gathers what the headers of a diff say, file by file, while the diff is read. */
export class SectionList {
  private readonly list: Writable[] = [];
  private current: Writable = empty();
  /** Whether the open section has its `---` and `+++` lines. */
  private named = false;

  /** Every section that names a file, says something about it or has a hunk. */
  finish(): readonly FileSection[] {
    this.push();
    return this.list;
  }

  noteNames(names: FileNames): void {
    if (this.named || this.current.pieces.length > 0 || this.isOfAnother(names)) this.push();
    this.named = true;
    if (names.old === noFile) this.current.creation = true;
    if (names.new === noFile) this.current.deletion = true;
    const { path } = this.current;
    const named = (names.new === noFile ? names.old : (names.new ?? names.old)) ?? path;
    // Beside no file only git's line shows whether a letter before the name is a prefix.
    const isPrefixed = path !== undefined && named?.slice(1) === `/${path}`;
    this.current.path = isPrefixed ? path : named;
  }

  /** Whether git's lines so far ask for something of a file that these names do not name. */
  private isOfAnother(names: FileNames): boolean {
    const { path, renamedFrom, renamedTo } = this.current;
    const known = [path, renamedFrom, renamedTo].filter((name) => name !== undefined);
    if (known.length === 0 || !this.asks) return false;
    return ![names.old, names.new].some((name) =>
      known.some((one) => name === one || name?.slice(1) === `/${one}`),
    );
  }

  private get asks(): boolean {
    const { renamedFrom, renamedTo, copy, mode, creation, deletion, binary, specialMode } = this.current;
    const named = renamedFrom ?? renamedTo ?? copy ?? mode ?? specialMode;
    return creation || deletion || binary || named !== undefined;
  }

  /** What is said twice is said of two files, the second of which has no line `diff --git`. */
  noteGitLine(git: GitLine): void {
    switch (git.kind) {
      case "file":
        this.push();
        this.current.path = git.names.new;
        this.current.gitName = git.names.old ?? "";
        break;
      case "rename_from":
        if (this.current.renamedFrom !== undefined) this.push();
        this.current.renamedFrom = git.name;
        break;
      case "rename_to":
        if (this.current.renamedTo !== undefined) this.push();
        this.current.renamedTo = git.name;
        break;
      case "copy":
        this.current.copy = git.name;
        break;
      case "new_mode":
      case "creation":
      case "deletion":
      case "old_mode":
        this.noteMode(git.kind, git.mode);
        this.current.blobs ??= git.blobs;
        break;
      case "commit":
        this.push();
        this.current.commit = git.commit;
        break;
      case "binary":
        this.current.binary = true;
        break;
      case "noise":
        break;
      default:
        git satisfies never;
    }
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
    this.current.isLink = mode === linkMode;
    const isGone = kind === "deletion" && mode === linkMode;
    if (!/^100\d{3}$/.test(mode) && !isGone) this.current.specialMode = mode;
    // Another type is two parts: the link goes, and a file comes.
    else if (kind === "creation" && last?.mode === linkMode && last.path === this.current.path)
      this.current.specialMode = linkMode;
  }

  notePiece({ from, to }: FencedSpan): void {
    this.current.pieces.push(from, to);
  }

  private push(): void {
    const { path, gitName, pieces } = this.current;
    if ((path ?? gitName) !== undefined || this.asks || pieces.length > 0) this.list.push(this.current);
    this.current = { ...empty(), commit: this.current.commit };
    this.named = false;
  }
}

type Writable = { -readonly [Key in keyof FileSection]: FileSection[Key] } & { pieces: number[] };

function empty(): Writable {
  return {
    path: undefined,
    gitName: undefined,
    renamedFrom: undefined,
    renamedTo: undefined,
    creation: false,
    deletion: false,
    copy: undefined,
    mode: undefined,
    specialMode: undefined,
    binary: false,
    pieces: [],
  };
}
