/**
 * Cuts a stream of UTF-8 bytes into lines in bounded memory. Bytes that are no UTF-8 come as U+FFFD: what
 * is found so is for looking, never for writing.
 */
export class LineStream {
  private carried: Uint8Array = new Uint8Array();
  /** A line longer than the limit was handed over; the rest of it is passed over. */
  private skipping = false;
  private started = false;

  /**
   * @param line takes each line without its terminator; `false` ends the stream.
   * @param passOver is asked before some lines are decoded, the last of them without its terminator; `true` leaves
   *   them out.
   */
  constructor(
    private readonly line: (text: string) => boolean,
    private readonly passOver: (lines: Uint8Array) => boolean = () => false,
  ) {}

  /** @returns whether more is wanted. */
  push(chunk: Uint8Array): boolean {
    let rest = this.started ? chunk : withoutMark(chunk);
    this.started = true;
    if (this.skipping) {
      const end = rest.indexOf(newline);
      if (end < 0) return true;
      rest = rest.subarray(end + 1);
      this.skipping = false;
    }
    const end = rest.lastIndexOf(newline);
    if (end < 0) return this.carry(rest);
    const lines = joined(this.carried, rest.subarray(0, end));
    this.carried = new Uint8Array();
    if (!this.passOver(lines))
      for (const one of decode(lines).split("\n")) if (!this.line(withoutReturn(one))) return false;
    return this.carry(rest.subarray(end + 1));
  }

  /** What stands after the last terminator. */
  end(): void {
    if (this.carried.length > 0) this.line(withoutReturn(decode(this.carried)));
  }

  private carry(part: Uint8Array): boolean {
    this.carried = joined(this.carried, part);
    if (this.carried.length <= longestBytes) return true;
    const text = decode(this.carried);
    this.carried = new Uint8Array();
    this.skipping = true;
    return this.line(text);
  }
}

const newline = 0x0a;
const longestBytes = 4 * 1024 * 1024;

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Always a copy: the chunk's memory is filled again. */
export function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}
