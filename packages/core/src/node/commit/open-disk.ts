import { isAbsolute, resolve } from "node:path";
import type { Disk, Target } from "../../files/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { answering } from "../disk/faults.js";
import { type OpenedRoot, openRoot } from "../disk/folder.js";
import { canWalkByHandle } from "../disk/platform.js";
import { folderAt, isBelow, isUnreplaced, rootGone, rootReplaced } from "../disk/root.js";
import { type Root, walk } from "../disk/walk.js";
import { targetOf } from "./disk-target.js";

/** The disk below some roots, whose handles are held until `close`. */
export interface OpenedDisk extends Disk {
  readonly kind: "disk";
  /**
   * When another folder was put in the place of the root that holds this path, in milliseconds since the epoch;
   * undefined if it never was. What was recorded before is about another file.
   */
  replacedAt(realPath: string): number | undefined;
  close(): void;
}

/** What is kept from everybody; and weaker ways than this machine has, for tests and measurements. */
export interface DiskOptions {
  /** `false` takes the weaker walk by compared paths, as on systems without handles to walk from. */
  readonly byHandle?: boolean;
  /** `false` replaces by renaming alone, as on systems that cannot exchange two names. */
  readonly exchanges?: boolean;
  /** Refuses a place that nobody gets to through this disk. */
  readonly bar?: (realPath: string) => Refusal | undefined;
  readonly hostRules?: Disk["hostRules"];
}

/**
 * Opens the roots: whatever is renamed to their paths later, this disk stays in the folders that it opened, and
 * refuses (`root_changed`) while their paths mean none, or one somewhere else. A folder that was put in the very
 * place of a root is opened with that refusal, as a new one. A root may be a link itself; a relative one counts
 * from the current folder.
 *
 * @returns `invalid_arguments` without roots, else what is wrong with one (`file_missing`, `not_a_file`).
 */
export function openDisk(rootPaths: readonly string[], options: DiskOptions = {}): OpenedDisk | Refusal {
  if (rootPaths.length === 0) return refuse("invalid_arguments", "A workspace needs a root folder.");
  const roots: Root[] = [];
  for (const path of rootPaths) {
    const named = resolve(path);
    const opened = openNamed(named, options);
    if (opened.kind === "refusal") {
      for (const root of roots) root.folder.close();
      return rootRefusal(opened, named);
    }
    roots.push(opened.root);
  }
  return new HandleDisk(roots, options);
}

function openNamed(
  named: string,
  options: DiskOptions,
): { readonly kind: "opened"; readonly root: Root } | Refusal {
  if (named.includes("\0"))
    return refuse(
      "file_missing",
      `${escapeForDisplay(named)} is the name of no folder: no name holds a NUL.`,
    );
  const opened = answering<OpenedRoot>(named, () => openRoot(named, options.byHandle ?? canWalkByHandle()));
  if ("kind" in opened) return opened;
  const { realPath: real, folder } = opened;
  // One that is gone already is refused as changed.
  const identity = folderAt(folder.self()) ?? "";
  const { exchanges = true, bar } = options;
  return { kind: "opened", root: { named, real, folder, exchanges, identity, bar } };
}

class HandleDisk implements OpenedDisk {
  readonly kind = "disk";
  readonly roots: readonly string[];
  readonly realRoots: readonly string[];
  readonly hostRules: Disk["hostRules"];
  private closed = false;
  /** Handles of folders that were replaced, for the calls that still hold them. */
  private readonly retired: Root[] = [];
  private readonly replaced = new Map<string, number>();
  private count = 0;
  private readonly listeners: ((realRoot: string) => void)[] = [];

  constructor(
    private readonly opened: Root[],
    private readonly options: DiskOptions,
  ) {
    this.roots = opened.map((root) => root.named);
    this.realRoots = opened.map((root) => root.real);
    this.hostRules = options.hostRules;
  }

  async enter(...[path, missing, use, access]: Parameters<Disk["enter"]>): Promise<Target | Refusal> {
    // Folders are made only in the folder that the path still means.
    if (missing === "create" && use !== "name") {
      const changed = this.changedAmong(this.opened);
      if (changed !== undefined) return changed;
    }
    if (this.closed) throw new Error("this disk was closed");
    const reached = walk(this.opened, path, missing, use === "entry", access);
    if (reached.kind === "refusal") return this.changedAmong(this.opened) ?? reached;
    const target = targetOf(reached);
    const changed = use === "name" ? undefined : this.changedAmong([reached.root]);
    const refusal = changed ?? reached.root.bar?.(target.realPath);
    if (refusal === undefined) return target;
    await target.close();
    return refusal;
  }

  get replacements(): number {
    return this.count;
  }

  whenReplaced(listener: (realRoot: string) => void): void {
    this.listeners.push(listener);
  }

  replacedAt(realPath: string): number | undefined {
    const times = [...this.replaced].filter(([real]) => isBelow(real, realPath)).map(([, time]) => time);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const root of [...this.opened, ...this.retired]) root.folder.close();
  }

  private changedAmong(roots: readonly Root[]): Refusal | undefined {
    const changed = roots.find((root) => !isUnreplaced(root));
    if (changed === undefined) return undefined;
    const at = this.opened.indexOf(changed);
    return at < 0 || !this.openAnew(changed, at) ? rootGone(changed) : rootReplaced(changed);
  }

  /** Opens the folder that stands in the place of a root now. Returns false if it is none, or somewhere else. */
  private openAnew(root: Root, at: number): boolean {
    if ([undefined, root.identity].includes(folderAt(root.named))) return false;
    const anew = openNamed(root.named, this.options);
    if (anew.kind === "refusal") return false;
    if (anew.root.real !== root.real || !isUnreplaced(anew.root)) {
      anew.root.folder.close();
      return false;
    }
    this.opened[at] = anew.root;
    this.retire(root);
    this.count += 1;
    this.replaced.set(root.real, momentBetween());
    for (const listener of this.listeners) listener(root.real);
    return true;
  }

  /** A call that holds a folder so long after it was replaced finds it closed. */
  private retire(root: Root): void {
    this.retired.push(root);
    if (this.retired.length > mostRetired) this.retired.shift()?.folder.close();
  }
}

const mostRetired = 16;

/** A millisecond of which nothing else is recorded: what is older and what is newer can be told apart. */
export function momentBetween(): number {
  const before = Date.now();
  while (Date.now() === before);
  const moment = Date.now();
  while (Date.now() === moment);
  return moment;
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
