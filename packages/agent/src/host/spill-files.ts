import { join } from "node:path";
import { cutVisibly } from "@holdfast/core/text";
import { OutputLog } from "./output-log.js";

interface SpilledFile {
  readonly id: string;
  readonly path: string;
  readonly log: OutputLog;
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
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    if (bytes.length > this.mostBytes) return undefined;
    this.makeRoom(bytes.length);
    const id = `r${++this.count}`;
    const name = `result-${process.pid}-${Date.now().toString(36)}-${this.count}${suffix}`;
    const path = join(this.tempDir, name);
    const log = new OutputLog(path, { shownBytes: inMemory, fileBytes: bytes.length }, true);
    log.add(bytes);
    log.close();
    if (log.kept?.bytes !== bytes.length) return void log.remove();
    const file = { id, path, log };
    this.kept.push(file);
    return file;
  }

  /** The text itself, or its beginning and where all of it is. */
  within(text: string, limitChars: number): string {
    if (text.length <= limitChars) return text;
    const file = this.keepAs(text, ".txt");
    const shown = this.reader === undefined ? "" : `; ${this.reader} with id ${file?.id} shows it`;
    const where = file === undefined ? "which could not be kept" : `all of it is in ${file.path}${shown}`;
    return `${cutVisibly(text, limitChars)} (${where})`;
  }

  /** What was kept; undefined where there is no such file, or not any more. */
  printed(id: string): OutputLog | undefined {
    return this.kept.find((one) => one.id === id)?.log;
  }

  /** Removes the files. */
  close(): void {
    for (const { log } of this.kept.splice(0)) log.remove();
  }

  private makeRoom(bytes: number): void {
    let sum = this.kept.reduce((all, { log }) => all + log.sizeBytes, bytes);
    while (sum > this.mostBytes) {
      const oldest = this.kept.shift();
      if (oldest === undefined) return;
      oldest.log.remove();
      sum -= oldest.log.sizeBytes;
    }
  }
}

/** Bytes of a file that stay in memory as well: its beginning is in the answer, and the rest is read from the file. */
const inMemory = 2;
