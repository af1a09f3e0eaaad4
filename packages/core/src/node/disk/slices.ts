import { closeSync, fdatasync, fstatSync, fsync, readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { sha256, sha256Stream } from "./digest.js";
import { openDescriptor, readAt, writeAll } from "./platform.js";

/**
 * Work on large files in slices of some milliseconds: between two of them whatever else this process has to do has its
 * turn. A promise that is yielded is waited for, such as that of a sync, which the system does meanwhile.
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

/** In bytes: read, written or hashed in one to ten milliseconds. What is no larger is done at once. */
export const sliceBytes = 1024 * 1024;

/** `writeAll` in slices. */
export function* writeInSlices(fd: number, bytes: Uint8Array): Slices<void> {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    if (at > 0) yield;
    writeAll(fd, bytes.subarray(at, at + sliceBytes), at);
  }
}

/** The whole of a file; throws the system's error. */
export function* readInSlices(path: string): Slices<Uint8Array> {
  const fd = openDescriptor(path, "r");
  try {
    const { size } = fstatSync(fd);
    if (size <= sliceBytes) return readFileSync(fd);
    const buffer = Buffer.allocUnsafeSlow(size);
    for (let at = 0; at < size; ) {
      const count = readAt(fd, buffer, at, Math.min(sliceBytes, size - at), at);
      if (count === 0) return buffer.subarray(0, at);
      at += count;
      yield;
    }
    return buffer;
  } finally {
    closeSync(fd);
  }
}

/** The bytes of both, one behind the other. */
export function* joinInSlices(head: Uint8Array, tail: Uint8Array): Slices<Uint8Array> {
  if (head.length + tail.length <= sliceBytes) return Buffer.concat([head, tail]);
  const joined = Buffer.allocUnsafeSlow(head.length + tail.length);
  let at = 0;
  for (const bytes of [head, tail]) {
    for (let from = 0; from < bytes.length; from += sliceBytes) {
      joined.set(bytes.subarray(from, from + sliceBytes), at + from);
      yield;
    }
    at += bytes.length;
  }
  return joined;
}

/** SHA-256 as 64 lower-case hex digits. */
export function* hashInSlices(bytes: Uint8Array): Slices<string> {
  if (bytes.length <= sliceBytes) return sha256(bytes);
  const state = sha256Stream();
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    state.update(bytes.subarray(at, at + sliceBytes));
    yield;
  }
  return state.digest();
}

/** Waits for a sync while others have their turns. An fsync that fails is a failed write. */
export const syncBeside = { all: promisify(fsync), data: promisify(fdatasync) };
