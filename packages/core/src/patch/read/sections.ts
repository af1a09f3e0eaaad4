import { type FileNames, noFile } from "./file-names.js";
import type { FencedSpan } from "./parse-fences.js";
import type { GitLine } from "./parse-header.js";

/** A diff of more hunks is refused, whatever it says. */
export const hunkLimit = 200_000;

/** What a diff says about one file before its hunks, and where in the diff these hunks are. */
export interface FileSection {
  /** Without prefixes; undefined where the diff names no file. */
  readonly path: string | undefined;
  readonly renamedFrom: string | undefined;
  readonly renamedTo: string | undefined;
  readonly creation: boolean;
  readonly deletion: boolean;
  /** The name of a copy that is to be made. */
  readonly copiedTo: string | undefined;
  /** Another mode of the file, such as `100755`. */
  readonly mode: string | undefined;
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
    if (this.named || this.current.pieces.length > 0 || this.isModeOfAnother(names)) this.push();
    this.named = true;
    if (names.old === noFile) this.current.creation = true;
    if (names.new === noFile) this.current.deletion = true;
    const { path } = this.current;
    const named = (names.new === noFile ? names.old : (names.new ?? names.old)) ?? path;
    // Beside no file only git's line shows whether a letter before the name is a prefix.
    const isPrefixed = path !== undefined && named?.slice(1) === `/${path}`;
    this.current.path = isPrefixed ? path : named;
  }

  /** Whether git's lines so far give a mode to a file that these names do not name. */
  private isModeOfAnother(names: FileNames): boolean {
    const { path, mode } = this.current;
    if (path === undefined || mode === undefined) return false;
    return ![names.old, names.new].some((name) => name === path || name?.slice(1) === `/${path}`);
  }

  noteGitLine(git: GitLine): void {
    switch (git.kind) {
      case "file":
        this.push();
        this.current.path = git.name;
        break;
      case "rename_from":
        this.current.renamedFrom = git.name;
        break;
      case "rename_to":
        this.current.renamedTo = git.name;
        break;
      case "copy_to":
        this.current.copiedTo = git.name;
        break;
      case "new_mode":
        this.current.mode = git.mode;
        break;
      case "creation":
      case "deletion":
      case "binary":
        this.current[git.kind] = true;
        break;
      case "old_mode":
      case "noise":
        break;
      default:
        git satisfies never;
    }
  }

  notePiece({ from, to }: FencedSpan): void {
    this.current.pieces.push(from, to);
  }

  private push(): void {
    const { path, renamedTo, copiedTo, mode, creation, deletion, binary, pieces } = this.current;
    const says = creation || deletion || binary || (renamedTo ?? copiedTo ?? mode) !== undefined;
    if (path !== undefined || says || pieces.length > 0) this.list.push(this.current);
    this.current = empty();
    this.named = false;
  }
}

type Writable = { -readonly [Key in keyof FileSection]: FileSection[Key] } & { pieces: number[] };

function empty(): Writable {
  return {
    path: undefined,
    renamedFrom: undefined,
    renamedTo: undefined,
    creation: false,
    deletion: false,
    copiedTo: undefined,
    mode: undefined,
    binary: false,
    pieces: [],
  };
}
