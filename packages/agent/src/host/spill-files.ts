import { closeSync, mkdirSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cutVisibly } from "@holdfast/core/text";
import { type OutputPart, wholeEnd } from "./output-log.js";

interface SpilledFile {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
}

/** A stretch of a file. */
interface SpilledPart extends OutputPart {
  /** Of the whole file. */
  readonly sizeBytes: number;
}

/** Texts that are too long to be shown, in files of a private folder, within a bound. Close it: they are removed. */
export class SpillFiles {
  private readonly kept: SpilledFile[] = [];
  private count = 0;

  /**
   * @param tempDir need not exist.
   * @param mostBytes of all files together; the oldest go for a new one.
   * @param reader the tool that shows them by their ids, to be named where a text is cut; only the path is, without one.
   */
  constructor(
    private readonly tempDir: string,
    private readonly mostBytes: number = 128 << 20,
    private readonly reader?: string,
  ) {}

  /** The path of a new file with this content; undefined where it could not be kept. */
  keep(content: string | Uint8Array, suffix = ".txt"): string | undefined {
    return this.keepAs(content, suffix)?.path;
  }

  private keepAs(content: string | Uint8Array, suffix: string): SpilledFile | undefined {
    const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.length;
    if (bytes > this.mostBytes) return undefined;
    this.makeRoom(bytes);
    const id = `r${++this.count}`;
    const path = join(
      this.tempDir,
      `result-${process.pid}-${Date.now().toString(36)}-${this.count}${suffix}`,
    );
    const file = { id, path, bytes };
    try {
      mkdirSync(this.tempDir, { recursive: true, mode: 0o700 });
      this.kept.push(file);
      writeFileSync(path, content, { mode: 0o600, flag: "wx" });
      return file;
    } catch {
      return undefined;
    }
  }

  /** The text itself, or its beginning and where all of it is. */
  within(text: string, limitChars: number): string {
    if (text.length <= limitChars) return text;
    const file = this.keepAs(text, ".txt");
    const shown = this.reader === undefined ? "" : `; ${this.reader} with id ${file?.id} shows it`;
    const where = file === undefined ? "which could not be kept" : `all of it is in ${file.path}${shown}`;
    return `${cutVisibly(text, limitChars)} (${where})`;
  }

  /**
   * A part of a file, in whole characters of UTF-8.
   *
   * @returns undefined where there is no such file, or not any more.
   */
  read(id: string, from: number, limit: number): SpilledPart | undefined {
    const file = this.kept.find((one) => one.id === id);
    if (file === undefined) return undefined;
    try {
      const start = Math.min(from, file.bytes);
      const bytes = bytesOf(file.path, start, Math.min(limit, file.bytes - start));
      const whole = start + bytes.length < file.bytes ? wholeEnd(bytes) : bytes;
      return { bytes: whole, from: start, next: start + whole.length, sizeBytes: file.bytes };
    } catch {
      return undefined;
    }
  }

  /** Removes the files. */
  close(): void {
    for (const { path } of this.kept.splice(0)) rmSync(path, { force: true });
  }

  private makeRoom(bytes: number): void {
    let sum = this.kept.reduce((all, one) => all + one.bytes, bytes);
    while (sum > this.mostBytes) {
      const oldest = this.kept.shift();
      if (oldest === undefined) return;
      rmSync(oldest.path, { force: true });
      sum -= oldest.bytes;
    }
  }
}

function bytesOf(path: string, from: number, length: number): Uint8Array {
  const file = openSync(path, "r");
  try {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, from));
  } finally {
    closeSync(file);
  }
}
