import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { runsLater } from "@holdfast/core/files";
import { readForeign } from "@holdfast/core/node";
import { quietly, realPathOf } from "./repository.js";

/** A file that a program goes by without being told to, and that is not as it was. */
export interface LaterFile {
  /** Absolute. */
  readonly path: string;
  /** From its root on. */
  readonly shown: string;
  /** What it is, as a refusal says it. */
  readonly reason: string;
  /** What it held: undefined where it was not there, null where nobody knows. */
  readonly before: Buffer | null | undefined;
}

/**
 * Knows the files of the workspace that run later, such as `.envrc`, hooks and instructions, and finds those that were made
 * or changed. The first look lists every folder; a later one lists those in which a name came or went.
 */
export class LaterFiles {
  #folders: ReadonlyMap<string, KnownFolder> = new Map();
  #files: ReadonlyMap<string, KnownFile> = new Map();
  readonly #roots: readonly string[];
  #isCut = false;

  constructor(
    roots: readonly string[],
    private readonly mostFolders = 50_000,
  ) {
    this.#roots = roots.flatMap((root) => realPathOf(root) ?? []);
  }

  /** A first look was taken. */
  get isBegun(): boolean {
    return this.#folders.size > 0;
  }

  /** There are more folders than are looked at: those nearest to a root are. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The folders of git in the workspace. */
  get repositories(): readonly string[] {
    return [...this.#folders].flatMap(([path, { git }]) => (git === "" ? [path] : []));
  }

  /** Files by which a program that is open goes at once. */
  get live(): readonly string[] {
    return [...this.#files].flatMap(([path, { isLive }]) => (isLive ? [path] : []));
  }

  /** What was made or changed since the last look, the first one aside. What was taken away runs no more. */
  async look(): Promise<readonly LaterFile[]> {
    const [folders, files] = [new Map<string, KnownFolder>(), new Map<string, KnownFile>()];
    const isFirst = !this.isBegun;
    const changed: LaterFile[] = [];
    const due: Visit[] = this.#roots.map((root) => ({ root, path: root, git: undefined }));
    for (const visit of due) {
      if (folders.size >= this.mostFolders) break;
      if (folders.size % 500 === 499) await nextTurn();
      const folder = this.#lookIn(visit);
      folders.set(visit.path, folder);
      for (const name of folder.folders) {
        const git = isGit(name) ? "" : folder.git === undefined ? undefined : join(folder.git, name);
        due.push({ ...visit, path: join(visit.path, name), git });
      }
      for (const { name, ...row } of folder.files) {
        const path = join(visit.path, name);
        const before = this.#files.get(path);
        const stamp = stampOf(path);
        const file = before?.stamp === stamp ? before : { ...row, stamp, bytes: bytesOf(path, visit.root) };
        files.set(path, file);
        if (!isFirst && file !== before && this.#isNews(path, file, before?.bytes))
          changed.push({
            path,
            shown: relative(visit.root, path),
            reason: row.reason,
            before: before?.bytes,
          });
      }
    }
    this.#isCut = due.length > folders.size;
    this.#folders = folders;
    this.#files = files;
    return changed;
  }

  #lookIn({ root, path, git }: Visit): KnownFolder {
    const stamp = stampOf(path);
    const known = this.#folders.get(path);
    if (known?.stamp === stamp) return known;
    // None of a folder that is gone, or that nobody may look into.
    const entries = quietly(() => readdirSync(path, { withFileTypes: true })) ?? [];
    const isBare = ["HEAD", "objects", "refs"].every((name) => entries.some((entry) => entry.name === name));
    const own = isBare ? "" : git;
    const place = own ?? relative(root, path).replace(inWorktree, "");
    const within = rowOf(place, own !== undefined);
    // What a folder is not, its entries are by their last names: no row has more of them than three.
    const last = place.split("/").slice(-2).join("/");
    const passed = own === undefined ? installed : ofGit;
    const folders: string[] = [];
    const files: NamedFile[] = [];
    for (const entry of entries) {
      const row = entry.isDirectory()
        ? undefined
        : (within ?? rowOf(join(last, entry.name), own !== undefined));
      if (row !== undefined) files.push({ name: entry.name, ...row });
      if (entry.isDirectory() && !passed.includes(entry.name)) folders.push(entry.name);
    }
    return { stamp, git: own, files, folders };
  }

  /** Whether it may have somebody run something else than it did. */
  #isNews(path: string, { bytes, isOfGit }: KnownFile, before: Buffer | null | undefined): boolean {
    if (bytes === null || before === null) return true;
    if (before?.equals(bytes) === true) return false;
    const text = bytes.toString("latin1");
    const name = basename(path);
    if (isGit(name)) return !this.#isCheckout(path, text);
    if (isOfGit && name === "git-rebase-todo") return /^\s*(?:x|exec)\s/mu.test(text);
    if (!isOfGit || !name.startsWith("config")) return true;
    const known = settingsIn(before?.toString("latin1") ?? "");
    return settingsIn(text).some((setting) => !known.includes(setting) && !harmless.test(setting));
  }

  /** Whether it is that of a submodule or a worktree which a repository of the workspace knows. */
  #isCheckout(path: string, text: string): boolean {
    const [, named = ""] = /^gitdir: (.+)\n$/u.exec(text) ?? [];
    const folder = resolve(dirname(path), named);
    return [...this.#folders].some(
      ([at, { git }]) => at === folder && git !== undefined && /\/(?:modules|worktrees)\//u.test(at),
    );
  }
}

interface Visit {
  readonly root: string;
  readonly path: string;
  /** Where it lies in a folder of git; undefined where it is none. */
  readonly git: string | undefined;
}

interface LaterRow {
  readonly reason: string;
  readonly isLive: boolean;
  readonly isOfGit: boolean;
}

interface NamedFile extends LaterRow {
  readonly name: string;
}

interface KnownFile extends LaterRow {
  readonly stamp: string;
  /** Null where they are too many, or none can be read. */
  readonly bytes: Buffer | null;
}

interface KnownFolder {
  readonly stamp: string;
  readonly git: string | undefined;
  readonly files: readonly NamedFile[];
  readonly folders: readonly string[];
}

/** Installed packages: what is in them runs where they are used, and they are fetched with hooks and workflows of others. */
const installed = ["node_modules", "bower_components", "site-packages", ".venv"];
/** Folders of git in which nothing is that runs. */
const ofGit = ["objects", "refs", "logs", "lfs", "info", "branches", "rr-cache", "reftable"];
const inWorktree = /^(?:.*\/)?\.claude\/worktrees\/[^/]+\/?/u;
const isGit = (name: string) => name.toLowerCase() === ".git";

function rowOf(path: string, isOfGit: boolean): LaterRow | undefined {
  if (isOfGit && !runByGit.test(path)) return undefined;
  const row = runsLater(isOfGit ? ".git" : path);
  return row && { reason: row.reason, isLive: row.isLive, isOfGit };
}

const runByGit =
  /(?:^|\/)(?:config|config\.worktree|commondir|git-rebase-todo|hooks\/(?!.*\.sample$)[^/]+)$/u;

/** The settings of git's file, one a line, as `section.key = value`. What it cannot read is a setting like none. */
function settingsIn(text: string): readonly string[] {
  let section = "";
  return text.split("\n").flatMap((line) => {
    const [, name, sub] = /^\[([\w-]+)(?: "([^"\\]*)")?\]$/u.exec(line) ?? [];
    if (name !== undefined) section = [name, ...(sub === undefined ? [] : [sub])].join(".");
    return name !== undefined || /^\s*(?:[#;].*)?$/u.test(line) ? [] : [`${section}.${line.trim()}`];
  });
}

/** By these git runs nothing, and looks nowhere else for what it runs. */
const harmless = new RegExp(
  `^(?:${[
    "core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)",
    "remote\\..+\\.(?:url|pushurl|fetch|tagopt|prune)|branch\\..+\\.(?:remote|merge|rebase|pushremote|description)",
    "user\\.(?:name|email)|submodule\\..+\\.(?:url|active|branch)|extensions\\.\\w+|init\\.defaultbranch",
  ].join("|")}) = (?!.*(?:::|\\\\))`,
  "iu",
);

const mostBytes = 256 << 10;

function bytesOf(path: string, root: string): Buffer | null {
  const read = readForeign(path, { limitBytes: mostBytes, below: root });
  return read.kind === "read" ? read.bytes : null;
}

/** A clock of the file system may tick after the next change: what is new is looked at once more. */
function stampOf(path: string): string {
  const stat = quietly(() => lstatSync(path));
  if (stat === undefined) return "gone";
  const { ino, size, mtimeMs, ctimeMs } = stat;
  return [ino, size, mtimeMs, ctimeMs, Date.now() - ctimeMs < tickMs ? performance.now() : 0].join(".");
}

const tickMs = 50;
