import { lstatSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import {
  canWalkByHandle,
  closeQuietly,
  handlePath,
  handleTarget,
  openDescriptor,
  openFlags,
  openForSync,
  syncFolder,
} from "./platform.js";

/**
 * A folder that was reached without following a link. Its entries are named through it, never through
 * the path it once had, so what happens to the path afterwards does not matter.
 */
export interface Folder {
  /** The path that the system calls take for the entry `name`. Throws where the folder was replaced. */
  at(name: string): string;
  /** The path of the folder itself, for listing. */
  self(): string;
  /** The folder `name` in it. Throws `ENOTDIR` for a file, `ELOOP` for a link. */
  enter(name: string): Folder;
  /** Makes the entries durable. */
  sync(): void;
  /** A descriptor of the folder for `syncOpened`, which the caller closes; undefined where there is nothing to sync. */
  openForSync(): number | undefined;
  close(): void;
}

/** A root of the workspace, held open. */
export interface OpenedRoot {
  readonly folder: Folder;
  /** All links resolved, at the moment of opening. */
  readonly realPath: string;
}

/** Opens a root; it may be a link itself. `byHandle: false` takes the weaker way of other systems. */
export function openRoot(path: string, byHandle = canWalkByHandle()): OpenedRoot {
  if (byHandle) {
    const fd = openDescriptor(path, openFlags.root);
    return { folder: new HandleFolder(fd), realPath: handleTarget(fd) };
  }
  const realPath = realpathSync.native(path);
  if (!statSync(realPath).isDirectory()) throw systemError("ENOTDIR", "open", path);
  return { folder: new PathFolder(realPath), realPath };
}

class HandleFolder implements Folder {
  private isClosed = false;

  constructor(private readonly fd: number) {}

  at(name: string): string {
    // A descriptor that was closed may be another folder's by now.
    if (this.isClosed) throw systemError("ENOENT", "open", name);
    return handlePath(this.fd, name);
  }

  self(): string {
    return this.at(".");
  }

  enter(name: string): Folder {
    return new HandleFolder(openDescriptor(this.at(name), openFlags.folder));
  }

  sync(): void {
    syncFolder(this.self());
  }

  openForSync(): number | undefined {
    return openForSync(this.self());
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    closeQuietly(this.fd);
  }
}

/** For systems without walking by handle: compares the real path again before each use. */
class PathFolder implements Folder {
  constructor(private readonly realPath: string) {}

  at(name: string): string {
    return `${this.self()}${sep}${name}`;
  }

  self(): string {
    if (realpathSync.native(this.realPath) !== this.realPath) {
      throw systemError("ELOOP", "realpath", this.realPath);
    }
    return this.realPath;
  }

  enter(name: string): Folder {
    const path = this.at(name);
    if (!lstatSync(path).isDirectory()) throw systemError("ENOTDIR", "open", path);
    return new PathFolder(path);
  }

  sync(): void {
    syncFolder(this.self());
  }

  openForSync(): number | undefined {
    return openForSync(this.self());
  }

  close(): void {}
}

function systemError(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}, ${syscall} '${path}'`), { code, syscall });
}
