import { fstatSync } from "node:fs";
import type { Held } from "../../files/index.js";
import { sha256 } from "../disk/digest.js";
import { closeQuietly, codeOf } from "../disk/platform.js";
import { readUpTo } from "../disk/reading.js";

/** A larger file is not read again. */
const limitBytes = 256 * 1024 * 1024;
/** A time stamp younger than this may hide a second write within the same tick of the kernel's clock. */
const settledNs = 100_000_000n;

/** What is known of the content of an open file. */
interface Known {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly sha256: string;
}

/** A file that has lost its name, held open for as long as somebody else may still write into it. */
export class HeldFile implements Held {
  readonly bytes: number;
  private settled: boolean;
  private isClosed = false;

  /** @param known its content when it was last proved. The descriptor is ours from here on. */
  constructor(
    private readonly fd: number,
    private known: Known,
  ) {
    this.bytes = Number(known.size);
    this.settled = BigInt(Date.now()) * 1_000_000n - known.mtimeNs > settledNs;
  }

  changed(care?: "sure"): Uint8Array | undefined {
    if (this.isClosed) return undefined;
    try {
      return this.look(care);
    } catch (error) {
      // Nobody asked for this file any more: a disk that does not give it back is no failure of a call.
      if (codeOf(error) === "") throw error;
      return undefined;
    }
  }

  private look(care: "sure" | undefined): Uint8Array | undefined {
    const now = fstatSync(this.fd, { bigint: true });
    const moved = now.size !== this.known.size || now.mtimeNs !== this.known.mtimeNs;
    if (!moved && (this.settled || care !== "sure")) return undefined;
    this.settled = care === "sure";
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
    closeQuietly(this.fd);
  }
}
