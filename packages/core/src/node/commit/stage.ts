import { closeSync, fchmodSync, fstatSync, fsyncSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { GivenAccess } from "../../files/index.js";
import { giveAccess } from "../disk/access.js";
import { newId } from "../disk/digest.js";
import {
  closeQuietly,
  codeOf,
  namelessFlags,
  openDescriptor,
  openFlags,
  shortWrite,
  writeAll,
} from "../disk/platform.js";
import type { Spot } from "../disk/reading.js";
import { syncBeside, takeSlices, writeSlices } from "../disk/slices.js";

/** Stage files are recognised by this; with the random rest the name has 36 bytes, whatever the target's. */
export const stagePrefix = ".holdfast-";

/** A name that no file has; `isStageName` knows it. */
export function newStageName(): string {
  return `${stagePrefix}${newId()}`;
}

/** The new content beside its target, not yet in its place. */
export interface Stage {
  readonly fd: number;
  readonly path: string;
}

/** What a commit opened and made, and must leave behind as it found it unless the step was taken. */
export class Cleanup {
  private readonly fds: number[] = [];
  private stage: Stage | undefined;

  closes(fd: number): void {
    this.fds.push(fd);
  }

  removes(stage: Stage): void {
    this.stage = stage;
  }

  /** Leaves a descriptor open: somebody else closes it. */
  leavesOpen(fd: number): void {
    const at = this.fds.indexOf(fd);
    if (at >= 0) this.fds.splice(at, 1);
  }

  /** The stage became the target. */
  keepStage(): void {
    this.stage = undefined;
  }

  run(): void {
    if (this.stage !== undefined) quietly(unlinkSync, this.stage.path);
    for (const fd of this.fds) quietly(closeSync, fd);
  }
}

/** What fails here was reported by the call that led here, or is found by recovery. */
function quietly<T>(call: (argument: T) => void, argument: T): void {
  try {
    call(argument);
  } catch (error) {
    if (codeOf(error) === "") throw error;
  }
}

/** Writes the content into a new file that nobody else can read. Throws the system's error. */
export function makeStage(spot: Spot, bytes: Uint8Array, name: string, cleanup: Cleanup): Stage {
  const stage = openStage(spot, name, cleanup);
  writeAll(stage.fd, bytes, 0);
  checkSize(stage, bytes);
  return stage;
}

function openStage(spot: Spot, name: string, cleanup: Cleanup): Stage {
  const path = spot.folder.at(name);
  const fd = openDescriptor(path, openFlags.create, 0o600);
  const stage = { fd, path };
  cleanup.closes(fd);
  cleanup.removes(stage);
  return stage;
}

function checkSize({ fd, path }: Stage, bytes: Uint8Array): void {
  const { size } = fstatSync(fd);
  if (size !== bytes.length) throw shortWrite(path);
}

/**
 * The same for large content: written in slices, and made durable, while others have their turns. Nobody reads it
 * before it has its name.
 */
export async function makeLargeStage(
  spot: Spot,
  bytes: Uint8Array,
  name: string,
  cleanup: Cleanup,
): Promise<Stage> {
  const stage = openStage(spot, name, cleanup);
  await takeSlices(writeSlices(stage.fd, bytes));
  checkSize(stage, bytes);
  await syncBeside.all(stage.fd);
  return stage;
}

/**
 * A new file is made as any program makes one: readable and writable, or executable, too, as far as its folder and the
 * umask let it. One that is made again is given what is known of it.
 */
export function giveNewMode(stage: Stage, access?: GivenAccess): void {
  const wanted = access === "executable" ? 0o777 : 0o666;
  if (typeof access === "object") giveAccess(stage.fd, access);
  else fchmodSync(stage.fd, modeOfNewFile(dirname(stage.path), wanted) ?? wanted & ~process.umask());
}

/**
 * What the system gives a new file in this folder: where the folder has a default ACL that counts, not the umask.
 * Undefined where nameless files cannot be made, so that it cannot be tried.
 */
function modeOfNewFile(folder: string, wanted: number): number | undefined {
  if (namelessFlags === undefined) return undefined;
  try {
    const fd = openDescriptor(folder, namelessFlags, wanted);
    try {
      return fstatSync(fd).mode & 0o777;
    } finally {
      closeQuietly(fd);
    }
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

/** Once: a descriptor whose fsync failed says yes the next time although the bytes are lost. */
export function makeDurable(stage: Stage): void {
  fsyncSync(stage.fd);
}
