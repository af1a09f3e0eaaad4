import { closeSync, fstatSync } from "node:fs";
import { sha256Stream } from "../disk/digest.js";
import { openDescriptor, readAt } from "../disk/platform.js";
import { type Slices, sliceBytes } from "../disk/slices.js";

/** Bytes that follow the first so many of a file. */
export interface Continued {
  readonly length: number;
  readonly bytes: Uint8Array;
}

/**
 * SHA-256 of a file, in slices and without holding more than one of them: a proof asks for no bytes. Throws the
 * system's error.
 *
 * @param continued takes the place of what the file has behind that length.
 */
export function* hashFileInSlices(path: string, continued?: Continued): Slices<string> {
  const state = sha256Stream();
  const fd = openDescriptor(path, "r");
  try {
    const { size } = fstatSync(fd);
    const end = Math.min(size, continued?.length ?? size);
    const buffer = Buffer.allocUnsafe(Math.min(sliceBytes, end));
    for (let at = 0; at < end; ) {
      const count = readAt(fd, buffer, 0, Math.min(buffer.length, end - at), at);
      if (count === 0) break;
      state.update(buffer.subarray(0, count));
      at += count;
      if (at < end) yield;
    }
  } finally {
    closeSync(fd);
  }
  if (continued !== undefined) state.update(continued.bytes);
  return state.digest();
}
