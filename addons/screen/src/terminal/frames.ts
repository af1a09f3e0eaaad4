import type { WindowSize } from "@holdfast/agent/shown";
import { windowSize } from "@holdfast/agent/ui";
import { frame, noTail, nothingStands, type Standing, type Tail } from "../screen/frame.js";

/** Something that has the whole window: rows that fit into it. */
type WholeWindow = (size: WindowSize) => readonly string[];

interface OpenWhole {
  readonly draw: WholeWindow;
  /** In which it was opened. */
  readonly size: WindowSize;
  /** What stands, and in which window it was drawn. */
  rows: readonly string[];
  drawnIn: WindowSize;
}

/**
 * Draws on standard output, which is a terminal: one write a frame, at most one in 16 ms beside those for keys, and none while the terminal has
 * not taken the last one. Lines are committed in their order; nothing of them is lost, whoever has the terminal meanwhile.
 */
export class Frames {
  #standing: Standing = nothingStands(windowSize());
  #commit: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #lastMs = 0;
  #isAway = false;
  #whole: OpenWhole | undefined;

  /** @param tail the rows below what is committed. @param movesMs how soon they change by themselves, if they do. */
  constructor(
    private readonly tail: (size: WindowSize) => Tail,
    private readonly movesMs: () => number | undefined,
  ) {}

  /** Writes lines for good; they are safe to write. */
  commit(lines: readonly string[]): void {
    for (const line of lines) this.#commit.push(line);
    if (lines.length > 0) this.changed();
  }

  /** Something else is to be shown, in the next frame. */
  changed(inMs = 0): void {
    const now = performance.now();
    const dueMs = Math.max(now + inMs, this.#lastMs + frameMs);
    if (this.#isAway || dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#frame(), dueMs - now);
  }

  /** Shows at once what a key has changed. */
  now(): void {
    clearTimeout(this.#timer);
    if (!this.#isAway) this.#frame();
  }

  /** Leaves the terminal to somebody else: only what is committed stays. */
  leave(): void {
    this.closeWhole();
    this.#write(this.#next(noTail));
    this.#isAway = true;
    clearTimeout(this.#timer);
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /**
   * Somebody else may have had the terminal: everything is drawn anew. A tail that was not removed, as SIGSTOP leaves it, is
   * erased first. @param clear what makes place for it elsewhere.
   */
  return(clear = this.#isAway || this.#whole !== undefined ? "\r\u001b[J" : undefined): void {
    this.#isAway = false;
    // In a window of another size a tail is erased and drawn anew.
    this.#standing = clear === undefined ? { ...this.#standing, size: noSize } : nothingStands(windowSize());
    if (this.#whole !== undefined) this.#whole.rows = [];
    this.#write(clear ?? "");
    this.changed();
  }

  /** Gives the whole window away; what it shows leaves nothing behind. */
  openWhole(draw: WholeWindow): void {
    this.#write(`${this.#next(noTail)}\u001b[?1049h\u001b[2J`);
    const size = windowSize();
    this.#whole = { draw, size, rows: [], drawnIn: size };
    this.changed();
  }

  /** Takes the window back. */
  closeWhole(): void {
    if (this.#whole === undefined) return;
    const size = windowSize();
    // In a window of another size the cursor does not come back to where it was: below everything nothing is lost.
    const below = isSame(size, this.#whole.size) ? "" : `\u001b[${size.rows};1H\r\n`;
    this.#whole = undefined;
    this.#standing = nothingStands(size);
    this.#write(`\u001b[?1049l${below}`);
    this.changed();
  }

  #frame(): void {
    this.#dueMs = Number.POSITIVE_INFINITY;
    const isTaken = !process.stdout.writableNeedDrain;
    if (isTaken) {
      this.#lastMs = performance.now();
      this.#write(this.#whole === undefined ? this.#next(this.tail(windowSize())) : this.#wholeFrame());
    }
    const soonMs = isTaken ? this.movesMs() : 2 * frameMs;
    if (soonMs !== undefined) this.changed(soonMs);
  }

  #next(tail: Tail): string {
    const { bytes, standing } = frame(this.#standing, {
      commit: this.#commit.splice(0),
      tail,
      size: windowSize(),
    });
    this.#standing = standing;
    return bytes;
  }

  #wholeFrame(): string {
    if (this.#whole === undefined) return "";
    const { draw, rows: former, drawnIn } = this.#whole;
    const size = windowSize();
    const rows = draw(size);
    this.#whole.rows = rows;
    this.#whole.drawnIn = size;
    // A terminal cuts and moves rows as it likes where its window becomes another one.
    const [clear, before] = isSame(size, drawnIn) ? ["", former] : ["\u001b[2J", []];
    const changed = Array.from({ length: Math.max(rows.length, before.length) }, (_, at) => at).filter(
      (at) => rows[at] !== before[at],
    );
    const text = clear + changed.map((at) => `\u001b[${at + 1};1H${rows[at] ?? ""}\u001b[K`).join("");
    return text === "" ? "" : `\u001b[?2026h\u001b[?7l${text}\u001b[?7h\u001b[?2026l`;
  }

  #write(bytes: string): void {
    if (bytes !== "" && process.stdout.writable) process.stdout.write(bytes);
  }
}

function isSame(one: WindowSize, other: WindowSize): boolean {
  return one.columns === other.columns && one.rows === other.rows;
}

const noSize: WindowSize = { columns: 0, rows: 0 };
const frameMs = 16;
