import { closeSync, fdatasyncSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { finish } from "../../text/index.js";
import { openDescriptor, openFlags, writeAll } from "../disk/platform.js";
import { newId, removeQuietly, type Slices, writeSlices } from "../disk/reading.js";
import type { StateFolder } from "./state-folder.js";

/** How a file gets its name. */
interface WholeFileOptions {
  /** What the name begins with until the file is finished. */
  readonly prefix: string;
  /** Its bytes survive a power cut; its name in the folder may not yet. */
  readonly isDurable: boolean;
}

/**
 * Puts a file into the state folder: whoever finds it finds all of it. Throws the system's error; nothing is
 * left then.
 */
export function placeWhole(
  state: StateFolder,
  path: string,
  bytes: Uint8Array,
  options: WholeFileOptions,
): void {
  finish(placeSlices(state, path, bytes, { ...options, isAtOnce: true }));
}

/** The same in slices of a large file. */
export function* placeSlices(
  state: StateFolder,
  path: string,
  bytes: Uint8Array,
  { prefix, isDurable, isAtOnce = false }: WholeFileOptions & { readonly isAtOnce?: boolean },
): Slices<void> {
  const folder = dirname(path);
  const unfinished = `${folder}/${prefix}${newId()}`;
  const fd = state.within(folder, () => openDescriptor(unfinished, openFlags.create, 0o600));
  try {
    try {
      if (isAtOnce) writeAll(fd, bytes, 0);
      else yield* writeSlices(fd, bytes);
      if (isDurable) fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(unfinished, path);
  } catch (error) {
    removeQuietly(unfinished);
    throw error;
  }
}
