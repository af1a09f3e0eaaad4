import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { type Disk, type Refusal, refuse, type Target } from "../../files/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { answering } from "../disk/faults.js";
import { type OpenedRoot, openRoot } from "../disk/folder.js";
import { canWalkByHandle, codeOf } from "../disk/platform.js";
import { type Root, walk } from "../disk/walk.js";
import { targetOf } from "./disk-target.js";

/** The disk below some roots, whose handles are held until `close`. */
export interface OpenedDisk extends Disk {
  readonly kind: "disk";
  close(): void;
}

/** Weaker ways than this machine has, for tests and measurements. */
export interface DiskOptions {
  /** `false` takes the weaker walk by compared paths, as on systems without handles to walk from. */
  readonly byHandle?: boolean;
  /** `false` replaces by renaming alone, as on systems that cannot exchange two names. */
  readonly exchanges?: boolean;
}

/**
 * Opens the roots once: whatever is renamed to their paths later, this disk stays in the folders that it
 * opened, and refuses (`root_changed`) while their paths mean something else. A root may be a link itself; a relative one counts from the current folder.
 *
 * @returns `invalid_arguments` without roots, else what is wrong with one (`file_missing`, `not_a_file`).
 */
export function openDisk(rootPaths: readonly string[], options: DiskOptions = {}): OpenedDisk | Refusal {
  if (rootPaths.length === 0) return refuse("invalid_arguments", "A workspace needs a root folder.");
  const roots: Root[] = [];
  for (const path of rootPaths) {
    const named = resolve(path);
    const opened = answering<OpenedRoot>(named, () => openRoot(named, options.byHandle ?? canWalkByHandle()));
    if ("kind" in opened) {
      for (const root of roots) root.folder.close();
      return rootRefusal(opened, named);
    }
    const { realPath: real, folder } = opened;
    // One that is gone already is refused as changed.
    const identity = folderAt(folder.self()) ?? "";
    roots.push({ named, real, folder, exchanges: options.exchanges ?? true, identity });
  }
  return new HandleDisk(roots);
}

class HandleDisk implements OpenedDisk {
  readonly kind = "disk";
  readonly roots: readonly string[];
  readonly realRoots: readonly string[];
  private closed = false;

  constructor(private readonly opened: readonly Root[]) {
    this.roots = opened.map((root) => root.named);
    this.realRoots = opened.map((root) => root.real);
  }

  async enter(path: string, missing: "refuse" | "allow" | "create", use?: "name"): Promise<Target | Refusal> {
    // Folders are made only in the folder that the path still means.
    if (missing === "create" && use !== "name") {
      const changed = this.opened.map(changedRoot).find(isDefined);
      if (changed !== undefined) return changed;
    }
    if (this.closed) throw new Error("this disk was closed");
    const reached = walk(this.opened, path, missing);
    if (reached.kind === "refusal") return this.opened.map(changedRoot).find(isDefined) ?? reached;
    const target = targetOf(reached);
    const changed = use === "name" ? undefined : changedRoot(reached.root);
    if (changed === undefined) return target;
    await target.close();
    return changed;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const root of this.opened) root.folder.close();
  }
}

/** The device and inode of the folder at a path; undefined where there is none, or none to be seen. */
function folderAt(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

/** Refuses a root whose path means another folder by now, or none. */
function changedRoot(root: Root): Refusal | undefined {
  if (folderAt(root.named) === root.identity) return undefined;
  const shown = escapeForDisplay(root.named);
  return refuse(
    "root_changed",
    `The folder ${shown} was moved, replaced or deleted since it was opened; nothing was read or written. What was read before counts no more: open the workspace again.`,
  );
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function rootRefusal(refusal: Refusal, path: string): Refusal {
  const shown = escapeForDisplay(isAbsolute(path) ? path : resolve(path));
  switch (refusal.code) {
    case "file_missing":
      return refuse("file_missing", `The root ${shown} does not exist.`);
    case "not_a_file":
      return refuse("not_a_file", `The root ${shown} is not a folder.`);
    default:
      return refusal;
  }
}
