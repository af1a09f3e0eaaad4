import { closeSync, existsSync, fdatasyncSync, mkdirSync, realpathSync, renameSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay, finish } from "../../text/index.js";
import {
  answering,
  codeOf,
  defaultStateFolder,
  hasOwners,
  openDescriptor,
  openFlags,
  writeAll,
} from "../disk/platform.js";
import { newId, removeQuietly, type Slices, writeSlices } from "../disk/reading.js";

/** The folders inside a state folder. */
type StateRoom =
  | "blobs"
  | "callers"
  | "changes"
  | "conversations"
  | "guard"
  | "history"
  | "intents"
  | "locks"
  | "operations"
  | "roots"
  | "secrets"
  | "sessions"
  | "uploads";

/** The folder outside the user's project in which everything is kept that is not the user's. */
export interface StateFolder {
  readonly kind: "state";
  /** Absolute; links resolved where the folder exists already. */
  readonly path: string;
  /** The path of an entry of one of its folders. */
  at(room: StateRoom, ...names: readonly string[]): string;
  /**
   * Runs system calls on entries of a folder and, where they answer `ENOENT`, once more after making it:
   * so nothing is made before it is needed, and a state folder that is deleted meanwhile comes back.
   */
  within<T>(folder: string, work: () => T): T;
}

/**
 * Finds the state folder without making it.
 *
 * @param path `HOLDFAST_STATE_DIR`, the XDG state folder or its default, unless given.
 * @returns `permission_denied` where the folder belongs to somebody else, `not_a_file` where it is none.
 */
export function openStateFolder(path: string = defaultStateFolder()): StateFolder | Refusal {
  const named = resolve(path);
  const real = answering(named, () => ownFolder(named));
  if (typeof real !== "string") return real;
  // Of a folder that is new to this process it is asked first: that costs a tenth of an error.
  const met = new Set<string>();
  const meet = (folder: string) => {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) makePrivate(folder);
    met.add(folder);
  };
  return {
    kind: "state",
    path: real,
    at: (room, ...names) => join(real, room, ...names),
    within: (folder, work) => {
      if (!met.has(folder)) meet(folder);
      try {
        return work();
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
      }
      makePrivate(folder);
      return work();
    },
  };
}

/** Where a state folder is, its links resolved; nothing in it is looked at. @returns a refusal as `openStateFolder` does. */
export function stateFolderPath(path?: string): string | Refusal {
  const state = openStateFolder(path);
  return state.kind === "refusal" ? state : state.path;
}

function ownFolder(named: string): string | Refusal {
  const stat = statSync(named, { throwIfNoEntry: false });
  if (stat === undefined) {
    const parent = realPathOfParent(named);
    return typeof parent === "string" ? join(parent, basename(named)) : parent;
  }
  const shown = escapeForDisplay(named);
  if (!stat.isDirectory()) return refuse("not_a_file", `The state folder ${shown} is not a folder.`);
  if (hasOwners && stat.uid !== process.geteuid?.()) {
    return refuse("permission_denied", `The state folder ${shown} belongs to another user; name your own.`);
  }
  // A folder that was made for something else keeps its mode: what is ours in it is private by itself.
  if (hasOwners && (stat.mode & 0o022) !== 0) {
    return refuse("permission_denied", `Others can write in the state folder ${shown}; name a private one.`);
  }
  return realpathSync.native(named);
}

/** The folder that will hold the state folder, links resolved as far as it exists. */
function realPathOfParent(named: string): string | Refusal {
  const parent = dirname(named);
  if (parent === named) return parent;
  const stat = statSync(parent, { throwIfNoEntry: false });
  if (stat === undefined) {
    const above = realPathOfParent(parent);
    return typeof above === "string" ? join(above, basename(parent)) : above;
  }
  // Some releases of Node answer "no entry" for what lies below a file, others throw.
  if (!stat.isDirectory()) {
    return refuse(
      "not_a_file",
      `The state folder cannot be made: ${escapeForDisplay(parent)} is not a folder.`,
    );
  }
  return realpathSync.native(parent);
}

/**
 * Makes a folder and the folders above it. Not by the system library's recursive way: that one never comes
 * back from a file system that answers ENOENT to every `mkdir`, as /proc does.
 */
function makePrivate(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    const parent = dirname(path);
    if (codeOf(error) !== "ENOENT" || parent === path) throw error;
    // Another process may have made it in between: then once more, and not for ever.
    if (!existsSync(parent)) makePrivate(parent);
    makeOnce(path);
  }
}

function makeOnce(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

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
