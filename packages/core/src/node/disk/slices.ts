import { closeSync, fdatasync, fstatSync, fsync, readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { openDescriptor, readAt, writeAll } from "./platform.js";

/**
 * What the disk gives and takes of large files, in slices of some milliseconds: a disk may be slow. Between two of them
 * whatever else this process has to do has its turn. A promise that is yielded is waited for, such as that of a sync,
 * which the system does meanwhile.
 */
export type Slices<Result> = Generator<Promise<unknown> | undefined, Result, void>;

/** Takes all slices; `finish` does so at once, where they wait for nothing. What is small has none. */
export async function takeSlices<Result>(slices: Slices<Result>): Promise<Result> {
  for (;;) {
    const slice = slices.next();
    if (slice.done === true) return slice.value;
    await (slice.value ?? nextTurn());
  }
}

/** In bytes: read or written in one to ten milliseconds. What is no larger is done at once. */
export const sliceBytes = 1024 * 1024;

/** `writeAll` in slices. */
export function* writeSlices(fd: number, bytes: Uint8Array): Slices<void> {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    if (at > 0) yield;
    writeAll(fd, bytes.subarray(at, at + sliceBytes), at);
  }
}

/** The whole of a file; throws the system's error. */
export function* readSlices(path: string): Slices<Uint8Array> {
  const fd = openDescriptor(path, "r");
  try {
    const { size } = fstatSync(fd);
    return size <= sliceBytes ? readFileSync(fd) : yield* readOpenedSlices(fd, size);
  } finally {
    closeSync(fd);
  }
}

/** So many bytes of an open file, or all where it has fewer. */
export function* readOpenedSlices(fd: number, size: number): Slices<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(size);
  let at = 0;
  while (at < size) {
    const count = readAt(fd, buffer, at, Math.min(sliceBytes, size - at), at);
    if (count === 0) break;
    at += count;
    yield;
  }
  return new Uint8Array(buffer.buffer, buffer.byteOffset, at);
}

/** Hands an open file to a running hash, so many bytes at most, without holding more than a piece of them. */
export function* hashSlices(
  hash: { update(bytes: Uint8Array): void },
  fd: number,
  end: number,
): Slices<void> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end));
  for (let at = 0; at < end; ) {
    const count = readAt(fd, buffer, 0, Math.min(buffer.length, end - at), at);
    if (count === 0) return;
    hash.update(buffer.subarray(0, count));
    at += count;
    if (count === chunkBytes) yield;
  }
}

/** In bytes: read piece by piece, none of which is kept. */
export const chunkBytes = 256 * 1024;

/** Waits for a sync while others have their turns. An fsync that fails is a failed write. */
export const syncBeside = { all: promisify(fsync), data: promisify(fdatasync) };
