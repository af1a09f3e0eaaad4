import { lstatSync, rmdirSync, type Stats, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type {
  DirectoryListing,
  Disk,
  Entry,
  EntryFacts,
  FileAccess,
  FileBytes,
  FileWindow,
  Streamed,
  Target,
} from "../../files/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { accessOf, accessOfFolders, type Folder, type OpenedRoot, openRoot } from "../disk/folder.js";
import { listFolder } from "../disk/listing.js";
import { answering, canWalkByHandle, closeQuietly, refusalOrFault } from "../disk/platform.js";
import { lookAt, openFile, readLarge, readWhole, type Spot, streamFile } from "../disk/reading.js";
import {
  folderAt,
  hasLoneSurrogate,
  isBelow,
  isUnreplaced,
  type Reached,
  type Root,
  rootGone,
  rootReplaced,
  walk,
} from "../disk/walk.js";
import { readWindow } from "../disk/window.js";

/** The entry that a walk reached; it owns the folder's handle unless that is the root's. */
function targetOf(reached: Reached): Target {
  return new DiskTarget(reached.root, reached.names, reached.folder, reached.made);
}

/** The entry behind a target, for work on several at once; undefined where its folder is missing. */
export function spotOf(target: Target): Spot | undefined {
  return target instanceof DiskTarget ? target.entry() : undefined;
}

/** The folder that a target is, held open, and closed by its taker; a refusal where it is none, or not on this disk. */
export function folderOf(target: Target): OpenFolder | Refusal {
  if (target instanceof DiskTarget) return target.opened();
  return refuse("not_a_file", `${escapeForDisplay(target.relativePath)} is no folder of this disk.`);
}

/** A folder that is held open, and what lets it go. */
export interface OpenFolder {
  readonly kind: "open_folder";
  readonly folder: Folder;
  close(): void;
}

class DiskTarget implements Target {
  readonly kind = "target";
  readonly realPath: string;
  readonly relativePath: string;
  readonly madeFolders?: readonly string[];
  private closed = false;

  /** @param folder undefined where the parent folders are missing. */
  constructor(
    private readonly root: Root,
    private readonly names: readonly string[],
    private readonly folder: Folder | undefined,
    made: readonly (readonly string[])[] = [],
  ) {
    if (made.length > 0) this.madeFolders = made.map((one) => joined(root.real, one));
    this.relativePath = names.join("/");
    this.realPath = joined(root.real, names);
  }

  rootChanged(): Refusal | undefined {
    return isUnreplaced(this.root) ? undefined : rootGone(this.root);
  }

  async look(): Promise<Entry | Refusal> {
    const { spot } = this;
    if (this.isRoot) return { kind: "directory" };
    if (spot === undefined) return { kind: "missing" };
    return answering(this.relativePath, () => lookAt(spot));
  }

  async facts(): Promise<EntryFacts | Refusal> {
    if (this.isRoot) return answering(".", () => factsOf(statSync(this.root.folder.self())));
    return this.answering((spot) => {
      const stat = lstatSync(spot.folder.at(spot.name));
      return factsOf(stat);
    });
  }

  async access(): Promise<FileAccess | undefined> {
    const found = this.answering((spot) => {
      const opened = openFile(spot);
      if (opened.kind === "refusal") return opened;
      try {
        return { of: this.withFolders(accessOf(opened.fd, opened.stat, true)) };
      } finally {
        closeQuietly(opened.fd);
      }
    });
    return "code" in found ? undefined : found.of;
  }

  async read(limitBytes: number): Promise<FileBytes | Refusal> {
    const { spot } = this;
    if (spot === undefined) return this.missing();
    return this.refusing(async () => {
      const read = readWhole(spot, limitBytes);
      const whole = read.kind === "opened" ? await readLarge(this.relativePath, read, limitBytes) : read;
      return whole.kind === "refusal" ? whole : { ...whole, access: this.withFolders(whole.access) };
    });
  }

  async window(firstLine: number, lineCount: number, limitBytes: number): Promise<FileWindow | Refusal> {
    const { spot } = this;
    if (spot === undefined) return this.missing();
    return this.refusing(() => readWindow(spot, { firstLine, lineCount, limitBytes }));
  }

  async stream(take: (piece: Uint8Array, whole: boolean) => boolean): Promise<Streamed | Refusal> {
    const { spot } = this;
    return spot === undefined ? this.missing() : this.refusing(() => streamFile(spot, take));
  }

  async entries(limit: number, sizes?: "none" | number): Promise<DirectoryListing | Refusal> {
    const opened = this.isRoot ? answering(".", () => this.root.folder) : this.openFolder();
    if ("code" in opened) return opened;
    try {
      return await this.refusing(() => listFolder(opened, limit, sizes));
    } finally {
      if (!this.isRoot) opened.close();
    }
  }

  async child(name: string): Promise<Target | Refusal> {
    if (name === "" || name === "." || name === ".." || /[/\0]/.test(name) || hasLoneSurrogate(name)) {
      return refuse("invalid_arguments", `${escapeForDisplay(name)} is not the name of an entry.`);
    }
    const names = [...this.names, name];
    const barred = this.root.bar?.(joined(this.root.real, names));
    if (barred !== undefined) return barred;
    if (this.isRoot) return new DiskTarget(this.root, names, this.root.folder);
    const { spot } = this;
    if (spot === undefined) return this.missing();
    return answering(this.relativePath, () => new DiskTarget(this.root, names, spot.folder.enter(spot.name)));
  }

  async removeFolder(): Promise<boolean> {
    const { spot } = this;
    if (spot === undefined) return false;
    try {
      // A link is none, and is not followed.
      rmdirSync(spot.folder.at(spot.name));
    } catch {
      return false;
    }
    spot.folder.sync();
    return true;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    if (this.folder !== this.root.folder) this.folder?.close();
  }

  opened(): OpenFolder | Refusal {
    const folder = this.isRoot ? this.root.folder : this.openFolder();
    if ("code" in folder) return folder;
    // A root's handle is the disk's, and outlasts every request.
    return { kind: "open_folder", folder, close: () => (this.isRoot ? undefined : folder.close()) };
  }

  entry(): Spot | undefined {
    return this.spot;
  }

  private get isRoot(): boolean {
    return this.names.length === 0;
  }

  /** Undefined for a root, which is an entry of no folder of ours, and where the folder is missing. */
  private get spot(): Spot | undefined {
    // A descriptor that was closed may be another file's by now: it must never be used again.
    if (this.closed) throw new Error("this target was closed");
    const name = this.names.at(-1);
    if (this.folder === undefined || name === undefined) return undefined;
    const { exchanges } = this.root;
    return { folder: this.folder, name, shown: this.relativePath, exchanges };
  }

  private withFolders(access: FileAccess | undefined): FileAccess | undefined {
    if (access === undefined || this.folder === undefined || this.names.length < 2) return access;
    return { ...access, folders: accessOfFolders(this.folder, this.names.length - 1) };
  }

  private missing(): Refusal {
    if (this.isRoot) return refuse("is_directory", "This is the root folder of the workspace.");
    return refuse("file_missing", `${escapeForDisplay(this.relativePath)}: its folder does not exist.`);
  }

  private answering<T>(work: (spot: Spot) => T): T | Refusal {
    const { spot } = this;
    return spot === undefined ? this.missing() : answering(this.relativePath, () => work(spot));
  }

  private async refusing<T>(work: () => Promise<T>): Promise<T | Refusal> {
    try {
      return await work();
    } catch (error) {
      return refusalOrFault(error, this.relativePath);
    }
  }

  /** The folder that this entry is; the caller closes it. */
  private openFolder(): Folder | Refusal {
    return this.answering((spot) => {
      const entry = lookAt(spot);
      if (entry.kind === "missing") {
        return refuse("file_missing", `${escapeForDisplay(this.relativePath)}: there is no such folder.`);
      }
      return spot.folder.enter(spot.name);
    });
  }
}

function factsOf(stat: Stats): EntryFacts {
  return {
    kind: "facts",
    what: stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other",
    sizeBytes: stat.size,
    createdMs: stat.birthtimeMs,
    modifiedMs: stat.mtimeMs,
    accessedMs: stat.atimeMs,
    mode: stat.mode & 0o777,
  };
}

function joined(root: string, names: readonly string[]): string {
  if (names.length === 0) return root;
  return `${root === "/" ? "" : root}/${names.join("/")}`;
}

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
