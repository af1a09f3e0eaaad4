import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cutVisibly } from "@holdfast/core";

/** Texts that are too long to be shown, in files of a private folder, within a bound. Close it: they are removed. */
export class SpillFiles {
  private readonly kept: { readonly path: string; readonly bytes: number }[] = [];
  private count = 0;

  /**
   * @param tempDir need not exist.
   * @param mostBytes of all files together; the oldest go for a new one.
   */
  constructor(
    private readonly tempDir: string,
    private readonly mostBytes: number = 128 << 20,
  ) {}

  /** The path of a new file with this content; undefined where it could not be kept. */
  keep(content: string | Uint8Array, suffix = ".txt"): string | undefined {
    const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.length;
    if (bytes > this.mostBytes) return undefined;
    this.makeRoom(bytes);
    const path = join(
      this.tempDir,
      `result-${process.pid}-${Date.now().toString(36)}-${++this.count}${suffix}`,
    );
    try {
      mkdirSync(this.tempDir, { recursive: true, mode: 0o700 });
      this.kept.push({ path, bytes });
      writeFileSync(path, content, { mode: 0o600, flag: "wx" });
      return path;
    } catch {
      return undefined;
    }
  }

  /** The text itself, or its beginning and where all of it is. */
  within(text: string, limitChars: number): string {
    if (text.length <= limitChars) return text;
    const path = this.keep(text);
    const where = path === undefined ? "which could not be kept" : `all of it is in ${path}`;
    return `${cutVisibly(text, limitChars)} (${where})`;
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
