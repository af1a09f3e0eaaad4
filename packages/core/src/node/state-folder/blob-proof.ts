import { closeSync, fstatSync } from "node:fs";
import { openDescriptor } from "../disk/platform.js";
import { hashSlices, type Slices, sha256Stream } from "../disk/reading.js";

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
export function* hashFileSlices(path: string, continued?: Continued): Slices<string> {
  const state = sha256Stream();
  const fd = openDescriptor(path, "r");
  try {
    const { size } = fstatSync(fd);
    const end = Math.min(size, continued?.length ?? size);
    yield* hashSlices(state, fd, end);
  } finally {
    closeSync(fd);
  }
  if (continued !== undefined) state.update(continued.bytes);
  return state.digest();
}
