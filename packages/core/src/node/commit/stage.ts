import { closeSync, fchmodSync, fstatSync, fsyncSync, readdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { GivenAccess, ReplacedFile } from "../../files/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay, finish } from "../../text/index.js";
import { cannotPreserve, giveAccess } from "../disk/folder.js";
import {
  closeQuietly,
  codeOf,
  type DescriptorHolder,
  dropDescriptor,
  holdDescriptor,
  namelessFlags,
  openDescriptor,
  openFlags,
  shortWrite,
  withDescriptor,
  writeAll,
} from "../disk/platform.js";
import {
  hashOpenedSlices,
  newId,
  readUpTo,
  type Slices,
  type Spot,
  sha256,
  statAt,
  syncBeside,
  takeSlices,
  writeSlices,
} from "../disk/reading.js";

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

/**
 * Waits while a change set of another state folder, whose locks are not ours, holds a file by a second name: that
 * name is gone with the set. At most ten seconds; whoever looks next says what is still there.
 */
export async function waitForSet(spot: Spot): Promise<void> {
  const until = Date.now() + limitMs;
  while (isLinkedBySet(spot) && Date.now() < until) await pause(lookMs);
}

/**
 * Refuses a file with several names: with `busy` if one of them is that of a change set in flight.
 *
 * @param ownName the second name that the asking change set gave it itself.
 */
export function severalNames(spot: Spot, names: bigint, ownName?: string): Refusal {
  if (!isLinkedBySet(spot, ownName)) return cannotPreserve(`it has ${names} names (hard links)`);
  return refuse(
    "busy",
    `A change set in flight, of another state folder, holds ${escapeForDisplay(spot.shown)}; nothing was changed. Try again.`,
  );
}

const limitMs = 10_000;
const lookMs = 10;

/** Whether one of the file's further names is a stage beside it. */
function isLinkedBySet(spot: Spot, ownName?: string): boolean {
  const file = statAt(spot);
  if (file === undefined || file.nlink < 2n) return false;
  return stagesBeside(spot).some((name) => {
    if (name === ownName) return false;
    const other = statAt({ ...spot, name });
    return other?.ino === file.ino && other.dev === file.dev;
  });
}

function stagesBeside({ folder }: Spot): readonly string[] {
  try {
    return withDescriptor(() => readdirSync(folder.self())).filter((name) => name.startsWith(stagePrefix));
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return [];
  }
}

/** A larger file is not read again. */
const limitBytes = 256 * 1024 * 1024;

/** The content of an open file when it was last proved. */
interface KnownContent {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  /** Of the first look: before it the name was lost, which moves it. */
  readonly ctimeNs?: bigint;
  readonly sha256: string;
}

/** A file without a name, kept open for as long as another program may still write into it. */
export class OpenReplacedFile implements ReplacedFile, DescriptorHolder {
  readonly bytes: number;
  private isClosed = false;
  /** Bytes that were found when the descriptor was let go, for the next look. */
  private found: Uint8Array | undefined;

  /** @param known its content when it was last proved. The descriptor is ours from here on. */
  constructor(
    private readonly fd: number,
    private known: KnownContent,
  ) {
    this.bytes = Number(known.size);
  }

  /** It is held open from here on, by nobody else, until it is closed or the descriptor is needed. */
  hold(): this {
    holdDescriptor(this);
    return this;
  }

  changed(): Uint8Array | undefined {
    if (this.isClosed) return this.takeFound();
    try {
      return this.readIfMoved();
    } catch (error) {
      return ignored(error);
    }
  }

  async changedByHash(): Promise<Uint8Array | undefined> {
    if (this.isClosed) return this.takeFound();
    return await takeSlices(this.compare()).catch(ignored);
  }

  /** The same in one go, for who cannot wait. */
  changedAtOnce(): Uint8Array | undefined {
    try {
      return finish(this.compare());
    } catch (error) {
      return ignored(error);
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    dropDescriptor(this);
    closeQuietly(this.fd);
  }

  letGo(): void {
    const found = this.changedAtOnce();
    this.close();
    this.found = found;
  }

  private takeFound(): Uint8Array | undefined {
    const { found } = this;
    this.found = undefined;
    return found;
  }

  private readIfMoved(): Uint8Array | undefined {
    const { size, mtimeNs, ctimeNs } = fstatSync(this.fd, { bigint: true });
    const { known } = this;
    const isSame = (known.ctimeNs ?? ctimeNs) === ctimeNs && size === known.size && mtimeNs === known.mtimeNs;
    if (!isSame) return this.read();
    this.known = { ...known, ctimeNs };
    return undefined;
  }

  /** By its bytes alone: no stamp tells of a write through a mapping, nor of the second one within a tick of the clock. */
  private *compare(): Slices<Uint8Array | undefined> {
    const { size } = fstatSync(this.fd, { bigint: true });
    const hashing = hashOpenedSlices(this.fd, Math.min(Number(size), limitBytes));
    for (;;) {
      const slice = hashing.next();
      if (slice.done === true) return slice.value === this.known.sha256 ? undefined : this.read();
      yield;
      // By now the number of the descriptor may be another file's.
      if (this.isClosed) return this.takeFound();
    }
  }

  private read(): Uint8Array | undefined {
    const { size, mtimeNs, ctimeNs } = fstatSync(this.fd, { bigint: true });
    const bytes = readUpTo(this.fd, Number(size), limitBytes);
    if (bytes === undefined) return undefined;
    const hash = sha256(bytes);
    const same = hash === this.known.sha256;
    this.known = { size, mtimeNs, ctimeNs, sha256: hash };
    return same ? undefined : bytes;
  }
}

/** No call asked for this file: a disk that cannot read it fails none. */
function ignored(error: unknown): undefined {
  if (codeOf(error) === "") throw error;
  return undefined;
}
