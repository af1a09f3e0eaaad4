import type { LineEnding } from "../../text/index.js";
import type { Hunk, HunkHeader, HunkLine } from "./hunk.js";
import type { LineTable } from "./line-table.js";

/**
 * A hunk without a flaw: each of its lines is a line of the diff that begins with its sign, one after the
 * other. Nothing is kept of them but where they begin; of the thousands of lines of a large diff most are
 * looked at once and need no object that outlives the look.
 */
export class WrittenHunk implements Hunk {
  private list: readonly HunkLine[] | undefined;

  constructor(
    readonly number: number,
    readonly header: HunkHeader,
    readonly atEnd: boolean,
    private readonly table: LineTable,
    /** The line of the diff that is the hunk's first. */
    private readonly from: number,
    readonly count: number,
  ) {}

  get endsWithNewlines(): boolean {
    return this.table.endsWithNewlines;
  }

  get oldLacksNewline(): boolean {
    return false;
  }

  get newLacksNewline(): boolean {
    return false;
  }

  get lines(): readonly HunkLine[] {
    this.list ??= cutLines(this.table, this.from, this.from + this.count);
    return this.list;
  }

  kindOf(at: number): HunkLine["kind"] {
    return kindOfSign(this.table.firstCode(this.from + at)) ?? "context";
  }

  textOf(at: number): string {
    return this.table.textAfterSign(this.from + at);
  }

  endingOf(at: number): LineEnding {
    return this.table.ending(this.from + at) ?? "";
  }
}

/** A hunk whose lines are not simply those of the diff. */
export class ListedHunk implements Hunk {
  readonly endsWithNewlines = false;
  readonly number: number;
  readonly header: HunkHeader;
  readonly oldLacksNewline: boolean;
  readonly newLacksNewline: boolean;
  readonly atEnd: boolean;

  constructor(
    from: Pick<Hunk, "number" | "header" | "oldLacksNewline" | "newLacksNewline" | "atEnd">,
    readonly lines: readonly HunkLine[],
  ) {
    this.number = from.number;
    this.header = from.header;
    this.oldLacksNewline = from.oldLacksNewline;
    this.newLacksNewline = from.newLacksNewline;
    this.atEnd = from.atEnd;
  }

  get count(): number {
    return this.lines.length;
  }

  kindOf(at: number): HunkLine["kind"] {
    return this.lines[at]?.kind ?? "context";
  }

  textOf(at: number): string {
    return this.lines[at]?.text ?? "";
  }

  endingOf(at: number): LineEnding {
    return this.lines[at]?.ending ?? "";
  }
}

/** Lines of a diff that all begin with their signs, as objects. */
export function cutLines(table: LineTable, from: number, to: number): HunkLine[] {
  const lines: HunkLine[] = [];
  for (let at = from; at < to; at++) {
    const kind = kindOfSign(table.firstCode(at)) ?? "context";
    lines.push({ kind, text: table.textAfterSign(at), ending: table.ending(at) ?? "", bare: false });
  }
  return lines;
}

/** What the first character of a line in a hunk says; undefined where it is no sign. */
export function kindOfSign(code: number): HunkLine["kind"] | undefined {
  return code === space ? "context" : code === plus ? "added" : code === minus ? "removed" : undefined;
}

const space = 32;
const plus = 43;
const minus = 45;
