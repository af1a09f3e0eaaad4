import { fstatSync, fsyncSync, ftruncateSync, writeSync } from "node:fs";
import type { Changed, Committed, ExpectedFile } from "../../files/index.js";
import type { Refusal } from "../../files/values/index.js";
import { sha256 as sha256Of } from "../disk/digest.js";
import { faultFrom, refusalOrFault } from "../disk/faults.js";
import { openFlags, readAt, writeAll } from "../disk/platform.js";
import { openFile, readUpTo, type Spot, statAt } from "../disk/reading.js";
import {
  barredFrom,
  changed,
  lostLock,
  type ProvedFile,
  provedAgain,
  verifyBeforeStep,
} from "./proved-file.js";
import type { Cleanup } from "./stage.js";
import { afterStep, type Taken } from "./taken.js";

interface Addition {
  readonly expected: ExpectedFile;
  readonly guard: () => Promise<boolean>;
  readonly cleanup: Cleanup;
}

interface Overwrite extends Addition {
  readonly proved: ProvedFile;
}

/**
 * Adds to the existing inode, behind what others may have added since: a log that never rests gets its line. What the
 * bytes begin with has to stand there still.
 */
export async function appendInPlace(
  spot: Spot,
  bytes: Uint8Array,
  { expected: { identity, sha256 }, guard, cleanup }: Addition,
): Promise<Taken | Changed | Refusal> {
  const opened = openFile(spot, openFlags.append);
  if (opened.kind === "refusal") return opened;
  const { fd, stat } = opened;
  cleanup.closes(fd);
  const barred = barredFrom(opened, spot);
  if (barred !== undefined) return barred;
  if (stat.ino !== identity.inode || stat.dev !== identity.device) return changed;
  // It may have grown between the look that told its size and the read.
  const old = bytes.subarray(0, Number(identity.size));
  if (sha256Of(old) !== sha256) return changed;
  if (!(await guard())) return lostLock(spot);
  const now = statAt(spot);
  if (now?.ino !== stat.ino || now.dev !== stat.dev) return changed;
  if (!startsWith(bytesFrom(fd, 0), old)) return changed;
  return step(spot, fd, bytes, old, bytes.subarray(old.length));
}

/**
 * Writes into the existing inode: links, owner and attributes stay, atomicity is given up. What can fail
 * for want of space is done before the first old byte is touched; after any failure the old bytes are
 * put back. What is only added goes to the end, wherever that is by then.
 */
export async function writeInPlace(
  spot: Spot,
  bytes: Uint8Array,
  { expected, proved, guard, cleanup }: Overwrite,
): Promise<Taken | Changed | Refusal> {
  const size = Number(proved.stat.size);
  const old = readUpTo(proved.fd, size, size);
  if (old === undefined) return changed;
  const added = bytes.length > size && startsWith(bytes, old) ? bytes.subarray(size) : undefined;
  const opened = openFile(spot, added === undefined ? openFlags.write : openFlags.append);
  if (opened.kind === "refusal") return opened;
  const { fd } = opened;
  cleanup.closes(fd);
  if (opened.stat.ino !== proved.stat.ino || opened.stat.dev !== proved.stat.dev) return changed;
  // No file is left that could be looked at later: what the stamps do not show has to be seen now.
  if (sha256Of(old) !== expected.sha256) return changed;
  if (!(await guard())) return lostLock(spot);
  if (!provedAgain(proved, expected.sha256)) return changed;
  const last = verifyBeforeStep(spot, expected, proved, cleanup);
  if (last.kind !== "proved") return last;
  if (last.stat.ino !== opened.stat.ino) return changed;
  return step(spot, fd, bytes, old, added);
}

/** @param added what the bytes have more than the old ones, if they begin with these. */
function step(
  spot: Spot,
  fd: number,
  bytes: Uint8Array,
  old: Uint8Array,
  added?: Uint8Array,
): Taken | Refusal {
  try {
    if (added === undefined) overwrite(fd, bytes, old.length);
    else append(fd, added);
  } catch (error) {
    return takeBack(spot, fd, old, error, added);
  }
  const sync = () => {
    fsyncSync(fd);
    return undefined;
  };
  return { kind: "taken", finish: () => afterStep(spot, [sync, () => addedTo(fd, old, added)]) };
}

function overwrite(fd: number, bytes: Uint8Array, oldLength: number): void {
  if (bytes.length > oldLength) writeAll(fd, bytes.subarray(oldLength), oldLength);
  writeAll(fd, bytes.subarray(0, oldLength), 0);
  ftruncateSync(fd, bytes.length);
}

/** By one call, if the disk has room, so that no other program's bytes come between. */
function append(fd: number, added: Uint8Array): void {
  for (let at = 0; at < added.length; ) at += writeSync(fd, added, at);
}

/** What the added bytes stand behind, if that is more than the old ones: another program had added to them before. */
function addedTo(fd: number, old: Uint8Array, added?: Uint8Array): Partial<Committed> {
  if (added === undefined) return {};
  const since = bytesFrom(fd, old.length);
  const at = since.indexOf(added);
  return at > 0 ? { addedTo: Buffer.concat([old, since.subarray(0, at)]) } : {};
}

function takeBack(spot: Spot, fd: number, old: Uint8Array, cause: unknown, added?: Uint8Array): Refusal {
  try {
    // Behind the old bytes another program's may stand by now.
    if (added !== undefined && !startsWith(added, bytesFrom(fd, old.length))) throw cause;
    ftruncateSync(fd, old.length);
    if (added === undefined) writeAll(fd, old, 0);
    fsyncSync(fd);
  } catch {
    throw faultFrom(cause, spot.shown, "mixed");
  }
  return refusalOrFault(cause, spot.shown);
}

function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return Buffer.compare(bytes.subarray(0, beginning.length), beginning) === 0;
}

/** All from there to the end, or what was the end a moment ago. */
function bytesFrom(fd: number, position: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - position));
  return bytes.subarray(0, readAt(fd, bytes, 0, bytes.length, position));
}
