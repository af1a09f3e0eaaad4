import { lstatSync, rmdirSync, type Stats, statSync } from "node:fs";
import type {
  DirectoryListing,
  Entry,
  EntryFacts,
  FileAccess,
  FileBytes,
  FileWindow,
  Streamed,
  Target,
} from "../../files/index.js";
import type { Refusal } from "../../files/values/index.js";
import { refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { accessOf, accessOfFolders } from "../disk/access.js";
import { answering, refusalOrFault } from "../disk/faults.js";
import type { Folder } from "../disk/folder.js";
import { listFolder } from "../disk/listing.js";
import { closeQuietly } from "../disk/platform.js";
import { lookAt, openFile, readLarge, readWhole, type Spot, streamFile } from "../disk/reading.js";
import { isUnreplaced, rootGone } from "../disk/root.js";
import { hasLoneSurrogate, type Reached, type Root } from "../disk/walk.js";
import { readWindow } from "../disk/window.js";

/** The entry that a walk reached; it owns the folder's handle unless that is the root's. */
export function targetOf(reached: Reached): Target {
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
