import { type BigIntStats, statSync, utimesSync } from "node:fs";
import { codeOf } from "../disk/platform.js";

/**
 * Files of the state folder that this process wrote or proved itself, and what the system said of them then: as long
 * as it says the same, they are neither read nor hashed again.
 */
export class ProvedBlobs {
  private readonly signatures = new Map<string, string>();

  /** Whether nobody changed it since; it is marked as used then, if its mark is old. */
  isAsItWas(path: string): boolean {
    const known = this.signatures.get(path);
    if (known === undefined) return false;
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || signatureOf(stat) !== known) return false;
    if (Date.now() - Number(stat.mtimeMs) >= markMs) {
      if (!markUsed(path)) return false;
      this.note(path);
    }
    return true;
  }

  note(path: string): void {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return;
    this.signatures.delete(path);
    this.signatures.set(path, signatureOf(stat));
    const [oldest] = this.signatures.keys();
    if (this.signatures.size > mostProved && oldest !== undefined) this.signatures.delete(oldest);
  }
}

/**
 * For the garbage collection, which counts in days. Throws the system's error.
 *
 * @returns false where it was collected meanwhile: it is to be kept anew.
 */
export function markUsed(path: string): boolean {
  const now = Date.now() / 1_000;
  try {
    utimesSync(path, now, now);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Who writes into a file moves its time of change, which nobody can set. */
function signatureOf({ ino, size, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${ctimeNs}`;
}

/** A mark of use is renewed after this time. */
const markMs = 60_000;
const mostProved = 256;
