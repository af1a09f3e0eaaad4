import { fstatSync } from "node:fs";
import type { ReplacedFile } from "../../files/index.js";
import { type DescriptorHolder, dropDescriptor, holdDescriptor } from "../disk/descriptors.js";
import { sha256 } from "../disk/digest.js";
import { closeQuietly, codeOf } from "../disk/platform.js";
import { readUpTo } from "../disk/reading.js";
import { sliceBytes } from "../disk/slices.js";
import { isYoung } from "../disk/time-stamps.js";

/** A larger file is not read again. */
const limitBytes = 256 * 1024 * 1024;

/** The content of an open file when it was last proved. */
interface KnownContent {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly sha256: string;
}

/** A file without a name, kept open for as long as another program may still write into it. */
export class OpenReplacedFile implements ReplacedFile, DescriptorHolder {
  readonly bytes: number;
  private isClosed = false;
  /** Bytes that were found when the descriptor was let go, for the next look. */
  private found: Uint8Array | undefined;

  /**
   * @param known its content when it was last proved. The descriptor is ours from here on.
   * @param isProved its mtime was old then, so that a write since then shows.
   */
  constructor(
    private readonly fd: number,
    private known: KnownContent,
    private isProved = !isYoung(known.mtimeNs),
  ) {
    this.bytes = Number(known.size);
  }

  /** It is held open from here on, by nobody else, until it is closed or the descriptor is needed. */
  hold(): this {
    holdDescriptor(this);
    return this;
  }

  changed(care?: "sure"): Uint8Array | undefined {
    if (this.isClosed) {
      const { found } = this;
      this.found = undefined;
      return found;
    }
    try {
      return this.look(care);
    } catch (error) {
      // No call asked for this file: a disk that cannot read it fails none.
      if (codeOf(error) === "") throw error;
      return undefined;
    }
  }

  private look(care: "sure" | undefined): Uint8Array | undefined {
    const now = fstatSync(this.fd, { bigint: true });
    const moved = now.size !== this.known.size || now.mtimeNs !== this.known.mtimeNs;
    // Into a mapping a program may write without a new stamp: what is small is read where it matters.
    const tells = this.isProved && this.bytes > sliceBytes;
    if (!moved && (tells || care !== "sure")) return undefined;
    // Before the read: a stamp that is young now hides a later write of its tick.
    this.isProved = care === "sure" && !isYoung(now.mtimeNs);
    const bytes = readUpTo(this.fd, Number(now.size), limitBytes);
    if (bytes === undefined) return undefined;
    const hash = sha256(bytes);
    const same = hash === this.known.sha256;
    this.known = { size: now.size, mtimeNs: now.mtimeNs, sha256: hash };
    return same ? undefined : bytes;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    dropDescriptor(this);
    closeQuietly(this.fd);
  }

  letGo(): void {
    const found = this.changed("sure");
    this.close();
    this.found = found;
  }
}
