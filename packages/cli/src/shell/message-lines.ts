import { Transform, type TransformCallback } from "node:stream";

/**
 * Hands complete lines on, each as one chunk: the SDK looks through its whole buffer again at every chunk,
 * which takes time in the square of a message's size. A line that is too long is dropped while it streams
 * by, and told. Nothing more is read until the line before is admitted, so that a client that sends faster than it is
 * served waits in its pipe and not in our memory.
 */
export class MessageLines extends Transform {
  private parts: Buffer[] = [];
  private size = 0;
  private readonly ends = { head: Buffer.alloc(0), tail: Buffer.alloc(0) };

  /**
   * @param onTooLong told the id of the request that was dropped, where it can be seen; must not throw.
   * @param admit undefined where a line of so many bytes may be handed on at once, so that calls that came together
   *   begin together; else it resolves when the line may; must not reject.
   */
  constructor(
    private readonly limitBytes: number,
    private readonly onTooLong: (id: string | number | null) => void,
    private readonly admit: (bytes: number) => Promise<void> | undefined,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.handOn(chunk, 0, done);
  }

  /** The end of the input ends the connection: first every call is answered whose message was handed on. */
  override _flush(done: TransformCallback): void {
    const answered = async () => {
      await this.admit(Number.POSITIVE_INFINITY);
      // The second turn is the answer's own.
      await this.admit(Number.POSITIVE_INFINITY);
    };
    void answered().then(() => done());
  }

  private handOn(chunk: Buffer, start: number, done: TransformCallback): void {
    let from = start;
    for (let end = chunk.indexOf(newline, from); end >= 0; end = chunk.indexOf(newline, from)) {
      this.gather(chunk.subarray(from, end + 1));
      from = end + 1;
      const admitted = this.admit(this.size);
      if (admitted !== undefined) {
        void admitted.then(() => {
          this.finishLine();
          this.handOn(chunk, from, done);
        });
        return;
      }
      this.finishLine();
    }
    this.gather(chunk.subarray(from));
    done();
  }

  private gather(part: Buffer): void {
    if (part.length === 0) return;
    this.size += part.length;
    if (this.size <= this.limitBytes) {
      this.parts.push(part);
      return;
    }
    if (this.parts.length > 0) this.ends.head = Buffer.concat(this.parts).subarray(0, endBytes);
    this.parts = [];
    this.ends.tail = Buffer.concat([this.ends.tail, part]).subarray(-endBytes);
  }

  private finishLine(): void {
    if (this.size > this.limitBytes)
      this.onTooLong(idIn(this.ends.head.toString(), this.ends.tail.toString()));
    else this.push(this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts));
    this.parts = [];
    this.size = 0;
    this.ends.tail = Buffer.alloc(0);
  }
}

const newline = 10;
const endBytes = 512;

/** Clients write the id first or last; anywhere else it could be part of an argument. */
function idIn(head: string, tail: string): string | number | null {
  const found =
    /^\s*\{(?:"jsonrpc":"2\.0",)?"id":(\d+|"[^"\\]{1,200}")/.exec(head) ??
    /,"id":(\d+|"[^"\\]{1,200}")\}\s*$/.exec(tail);
  const text = found?.[1];
  if (text === undefined) return null;
  return text.startsWith('"') ? text.slice(1, -1) : Number(text);
}
