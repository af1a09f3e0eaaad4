import { fsyncSync, ftruncateSync } from "node:fs";
import type { Changed, ExpectedFile, Refusal } from "../../files/index.js";
import { faultFrom, refusalOrFault } from "../disk/faults.js";
import { openFlags, writeAll } from "../disk/platform.js";
import { openFile, readUpTo, type Spot } from "../disk/reading.js";
import { hashInSlices, takeSlices } from "../disk/slices.js";
import { changed, lostLock, type ProvedFile, provedAgain, verifyBeforeStep } from "./proved-file.js";
import type { Cleanup } from "./stage.js";
import { afterStep, type Taken } from "./taken.js";

interface Overwrite {
  readonly expected: ExpectedFile;
  readonly proved: ProvedFile;
  readonly guard: () => Promise<boolean>;
  readonly cleanup: Cleanup;
}

/**
 * Writes into the existing inode: links, owner and attributes stay, atomicity is given up. What can fail
 * for want of space is done before the first old byte is touched; after any failure the old bytes are
 * put back.
 */
export async function writeInPlace(
  spot: Spot,
  bytes: Uint8Array,
  { expected, proved, guard, cleanup }: Overwrite,
): Promise<Taken | Changed | Refusal> {
  const opened = openFile(spot, openFlags.write);
  if (opened.kind === "refusal") return opened;
  cleanup.closes(opened.fd);
  if (opened.stat.ino !== proved.stat.ino || opened.stat.dev !== proved.stat.dev) return changed;
  const size = Number(proved.stat.size);
  const old = readUpTo(opened.fd, size, size);
  if (old === undefined) return changed;
  // No file is left that could be looked at later: what the stamps do not show has to be seen now.
  if ((await takeSlices(hashInSlices(old))) !== expected.sha256) return changed;
  if (!(await guard())) return lostLock(spot);
  if (!provedAgain(proved, expected.sha256)) return changed;
  const last = verifyBeforeStep(spot, expected, proved, cleanup);
  if (last.kind !== "proved") return last;
  if (last.stat.ino !== opened.stat.ino) return changed;
  try {
    overwrite(opened.fd, bytes, old.length);
  } catch (error) {
    return takeBack(spot, opened.fd, old, error);
  }
  const sync = () => {
    fsyncSync(opened.fd);
    return undefined;
  };
  return { kind: "taken", finish: () => afterStep(spot, [sync]) };
}

function overwrite(fd: number, bytes: Uint8Array, oldLength: number): void {
  if (bytes.length > oldLength) writeAll(fd, bytes.subarray(oldLength), oldLength);
  writeAll(fd, bytes.subarray(0, oldLength), 0);
  ftruncateSync(fd, bytes.length);
}

function takeBack(spot: Spot, fd: number, old: Uint8Array, cause: unknown): Refusal {
  try {
    ftruncateSync(fd, old.length);
    writeAll(fd, old, 0);
    fsyncSync(fd);
  } catch {
    throw faultFrom(cause, spot.shown, "mixed");
  }
  return refusalOrFault(cause, spot.shown);
}
