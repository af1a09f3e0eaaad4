import { setImmediate as nextTurn } from "node:timers/promises";
import type { FileWindow } from "../../files/index.js";
import type { Refusal } from "../../files/values/index.js";
import { closeQuietly, readAt } from "./platform.js";
import { chunkBytes, openFile, type Spot, sha256Stream, tooLarge } from "./reading.js";

/** Files that hide their size (as those of /proc do) are read so far and no further. */
const unsizedLimitBytes = 1024 * 1024;
/** So much is read in one turn of the loop: others get theirs while a large file is read. */
const turnBytes = 2 * 1024 * 1024;

interface Wish {
  readonly firstLine: number;
  readonly lineCount: number;
  readonly limitBytes: number;
}

/**
 * Some lines of a file of any size, in memory bounded by `limitBytes`. Lines end as in `splitLines`: with
 * `\n`, or with `\r` in a file that has no `\n` at all; in UTF-16 (told by its mark) with the two bytes
 * of one. Whole lines are given; a first line that does not fit is cut at a character.
 */
export async function readWindow(spot: Spot, wish: Wish): Promise<FileWindow | Refusal> {
  const opened = openFile(spot);
  if (opened.kind === "refusal") return opened;
  try {
    const size = Number(opened.stat.size);
    const endBytes = size === 0 ? unsizedLimitBytes : size;
    const first = await scan(opened.fd, endBytes, wish, 0x0a);
    if (size === 0 && first.totalBytes >= unsizedLimitBytes) {
      return tooLarge(spot, undefined, unsizedLimitBytes);
    }
    const oldMacintosh = first.newlines === 0 && first.returns > 0;
    const {
      newlines: _,
      returns: __,
      ...window
    } = oldMacintosh ? await scan(opened.fd, endBytes, wish, 0x0d) : first;
    return window;
  } finally {
    closeQuietly(opened.fd);
  }
}

interface Scanned extends FileWindow {
  readonly newlines: number;
  readonly returns: number;
}

async function scan(fd: number, endBytes: number, wish: Wish, terminator: number): Promise<Scanned> {
  const hash = sha256Stream();
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, endBytes + 1));
  const collector = new Collector(wish);
  let splitter: Splitter | undefined;
  let head = new Uint8Array();
  let at = 0;
  while (at < endBytes) {
    const count = readAt(fd, buffer, 0, Math.min(buffer.length, endBytes - at), at);
    if (count === 0) break;
    const chunk = buffer.subarray(0, count);
    if (splitter === undefined) {
      head = Uint8Array.from(chunk.subarray(0, 4));
      splitter = splitterFor(head, terminator, collector);
    }
    hash.update(chunk);
    splitter.push(chunk);
    if (Math.floor(at / turnBytes) !== Math.floor((at + count) / turnBytes)) await nextTurn();
    at += count;
  }
  splitter?.end();
  const returns = splitter?.returns ?? 0;
  return {
    ...collector.window(),
    head,
    totalBytes: at,
    sha256: hash.digest(),
    newlines: collector.ended,
    returns,
  };
}

/** Finds the ends of lines in a stream of chunks and hands the pieces to a collector. */
interface Splitter {
  push(chunk: Buffer): void;
  end(): void;
  /** Lone or not: how many `\r` there were. */
  readonly returns: number;
}

function splitterFor(head: Uint8Array, terminator: number, collector: Collector): Splitter {
  const [first, second] = head;
  const little = first === 0xff && second === 0xfe;
  const big = first === 0xfe && second === 0xff;
  return little || big
    ? new WideSplitter(terminator, little, collector)
    : new ByteSplitter(terminator, collector);
}

class ByteSplitter implements Splitter {
  returns = 0;

  constructor(
    private readonly terminator: number,
    private readonly collector: Collector,
  ) {}

  push(chunk: Buffer): void {
    // Only whether there are any matters, and only in the search for old Macintosh files.
    if (this.returns === 0 && chunk.includes(0x0d)) this.returns = 1;
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(this.terminator, from);
      if (end < 0) break;
      this.collector.add(chunk, from, end + 1, true);
      from = end + 1;
    }
    if (from < chunk.length) this.collector.add(chunk, from, chunk.length, false);
  }

  end(): void {}
}

class WideSplitter implements Splitter {
  returns = 0;
  /** The first byte of a pair that the chunk cut. */
  private carried: number | undefined;

  constructor(
    private readonly terminator: number,
    private readonly little: boolean,
    private readonly collector: Collector,
  ) {}

  push(chunk: Buffer): void {
    const whole = this.carried === undefined ? chunk : Buffer.concat([Buffer.of(this.carried), chunk]);
    const even = whole.length - (whole.length % 2);
    this.carried = even < whole.length ? whole[even] : undefined;
    let from = 0;
    for (let at = 0; at < even; at += 2) {
      const low = this.little ? whole[at] : whole[at + 1];
      const high = this.little ? whole[at + 1] : whole[at];
      if (high !== 0) continue;
      if (low === 0x0d) this.returns = 1;
      if (low !== this.terminator) continue;
      this.collector.add(whole, from, at + 2, true);
      from = at + 2;
    }
    if (from < even) this.collector.add(whole, from, even, false);
  }

  end(): void {
    if (this.carried !== undefined) this.collector.add(Buffer.of(this.carried), 0, 1, false);
  }
}

/** Keeps the pieces of the lines asked for and counts the rest. */
class Collector {
  /** Lines that were ended by a terminator. */
  ended = 0;
  private open = false;
  private kept: Buffer[] = [];
  private keptBytes = 0;
  private keptLines = 0;
  /** The pieces of the line that is being read, not yet known to fit. */
  private pieces: Buffer[] = [];
  private pieceBytes = 0;
  private clipped = false;

  constructor(private readonly wish: Wish) {}

  /** Most lines are only counted: a piece is cut out where it is wanted. */
  add(chunk: Buffer, from: number, to: number, endsLine: boolean): void {
    const line = this.ended + 1;
    const wanted = line >= this.wish.firstLine && line - this.wish.firstLine < this.wish.lineCount;
    if (wanted && !this.clipped) this.collect(chunk.subarray(from, to), endsLine);
    this.open = !endsLine;
    if (endsLine) this.ended += 1;
  }

  window(): Omit<FileWindow, "totalBytes" | "sha256"> {
    if (this.open && this.pieceBytes > 0) this.keepLine();
    return {
      kind: "window",
      bytes: Uint8Array.from(Buffer.concat(this.kept)),
      firstLine: this.wish.firstLine,
      lineCount: this.keptLines,
      totalLines: this.ended + (this.open ? 1 : 0),
      finalNewline: this.ended > 0 && !this.open,
      clipped: this.clipped,
    };
  }

  private collect(piece: Buffer, endsLine: boolean): void {
    const room = this.wish.limitBytes - this.keptBytes - this.pieceBytes;
    if (piece.length > room) {
      this.clip(piece.subarray(0, room));
      return;
    }
    // A copy: the buffer is read into again.
    this.pieces.push(Buffer.from(piece));
    this.pieceBytes += piece.length;
    if (endsLine) this.keepLine();
  }

  private clip(fitting: Buffer): void {
    this.clipped = true;
    if (this.keptLines === 0) {
      const cut = atCharacter(Buffer.concat([...this.pieces, fitting]));
      this.pieces = [cut];
      this.pieceBytes = cut.length;
      this.keepLine();
    }
    this.pieces = [];
    this.pieceBytes = 0;
  }

  private keepLine(): void {
    this.kept.push(...this.pieces);
    this.keptBytes += this.pieceBytes;
    this.keptLines += 1;
    this.pieces = [];
    this.pieceBytes = 0;
  }
}

/** Shortens by the bytes of a character that the cut went through: of UTF-8, or half a pair of UTF-16. */
function atCharacter(bytes: Buffer): Buffer {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return bytes.subarray(0, bytes.length - (bytes.length % 2));
  }
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
