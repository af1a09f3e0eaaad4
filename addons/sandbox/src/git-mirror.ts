import * as fs from "node:fs";
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { quietly } from "@holdfast/agent/host";
import { listForeign, readForeign, readForeignText } from "@holdfast/core/node";
import type { SessionFolder } from "./session-folder.js";

/** A folder that git keeps. */
export interface GitFolder {
  /** Its real path. */
  readonly path: string;
  /** A folder above it, from which no link leads to it. */
  readonly within: string;
}

/** What did not become of a command's writes into a git folder. Paths are absolute. */
export interface MirrorReport {
  /** What no command may change, and this one did: it is as it was. */
  readonly refused: readonly string[];
  /** What somebody else changed at the same time: theirs counts, and the command's is kept at `at`. */
  readonly kept: readonly { readonly path: string; readonly at: string }[];
}

/**
 * A private top level of a git folder, which a command finds in its place: git makes `index.lock` beside `index`, so a
 * folder with some names read-only would stop it. What is on the list is carried over while commands run, in both
 * directions and under git's own locks, as if each side were another git. What is not, such as `config` and `hooks`,
 * never leaves. Who changed what is told by a third copy, of when both sides were equal.
 */
export class GitMirror {
  /** What is bound over the folder. */
  readonly top: string;
  readonly #equal: string;
  readonly #descriptor: number;
  readonly #refused = new Set<string>();
  readonly #kept: MirrorReport["kept"][number][] = [];
  #isClosed = false;

  /**
   * @param place a private folder; what a killed program left there is gone on with. @param remains where what is not
   * carried over is kept. Throws where the folder is not what its path says.
   */
  constructor(
    readonly folder: GitFolder,
    place: string,
    private readonly remains: string,
  ) {
    this.#descriptor = fs.openSync(folder.path, fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
    if (fs.readlinkSync(this.#real) !== folder.path) throw new Error(`${folder.path} is reached by a link`);
    [this.top, this.#equal] = [join(place, "top"), join(place, "equal")];
    for (const path of [this.top, this.#equal]) fs.mkdirSync(path, { recursive: true });
    fs.writeFileSync(join(place, nameOfFolder), JSON.stringify(folder));
    // Through these a command's own are reached: git makes them where it needs them, and there nobody could.
    for (const name of ["logs", "refs"]) fs.mkdirSync(`${this.#real}/${name}`, { recursive: true });
  }

  /** The folder whose mirror lies in a place; undefined where none does. */
  static folderIn(place: string): GitFolder | undefined {
    const read = readForeignText(join(place, nameOfFolder), { limitBytes: 64 << 10 });
    // A cast: nobody but this class writes there.
    return read.kind === "read" ? (JSON.parse(read.text) as GitFolder) : undefined;
  }

  /** Whether its path still leads to it. */
  get isThere(): boolean {
    const found = fs.lstatSync(this.folder.path, { throwIfNoEntry: false });
    return found?.ino === fs.fstatSync(this.#descriptor).ino;
  }

  /** Folders of the real one that a command finds inside of this one: to be written, or only to be seen. */
  inner(): readonly { readonly path: string; readonly isWritten: boolean; readonly identity: string }[] {
    return this.#folders().map((name) => {
      fs.mkdirSync(join(this.top, name), { recursive: true });
      const { dev, ino } = fs.lstatSync(`${this.#real}/${name}`);
      return { path: join(this.folder.path, name), isWritten: isThrough(name), identity: `${dev}:${ino}` };
    });
  }

  /** Carries over what either side changed. @returns what waits for a lock. */
  sync(): readonly string[] {
    return this.#isClosed ? [] : this.#names().filter((name) => !this.#syncOne(name));
  }

  /** Carries over as soon as something changes, until what is returned is called. */
  follow(): () => void {
    let timer: NodeJS.Timeout | undefined;
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => quietly(() => this.sync()), followMs).unref();
    };
    // A system that watches no more folders leaves it to the end.
    const watchers = [this.top, this.folder.path].flatMap(
      (path) => quietly(() => fs.watch(path, { persistent: false }, soon).on("error", () => {})) ?? [],
    );
    return () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    };
  }

  /**
   * At the end of a command. Waits for a lock that somebody outside holds, but not for long.
   *
   * @param isLast no other command runs: a lock on this side is what a killed git left.
   */
  async settle(isLast: boolean): Promise<MirrorReport> {
    const left = isLast && !this.#isClosed ? fs.readdirSync(this.top).filter(isPassing) : [];
    for (const name of left) fs.rmSync(join(this.top, name), { recursive: true });
    for (let round = 0; round < mostRounds && this.sync().length > 0; round++) await pause(roundMs);
    return this.#report();
  }

  /** The same at once and for good. */
  close(): MirrorReport {
    try {
      return this.#report();
    } finally {
      this.#isClosed = true;
      fs.closeSync(this.#descriptor);
    }
  }

  /** By its handle: whatever is renamed meanwhile, nothing else is written to. */
  get #real(): string {
    return `/proc/self/fd/${this.#descriptor}`;
  }

  /** What is found inside as it is. */
  #folders(): readonly string[] {
    const entries = fs.readdirSync(this.#real, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && !isCopied(entry.name)).map(({ name }) => name);
  }

  #names(): readonly string[] {
    const names = new Set([this.#real, this.top].flatMap((side) => fs.readdirSync(side)));
    for (const name of this.#folders()) names.delete(name);
    return [...names].filter((name) => !isPassing(name));
  }

  #treesOf(name: string): readonly [real: Tree, own: Tree, equal: Tree] {
    const real = treeOf(join(this.#real, name), this.#real);
    return [real, treeOf(join(this.top, name), this.top), treeOf(join(this.#equal, name), this.#equal)];
  }

  /** @returns false where somebody holds a lock, or was quicker. */
  #syncOne(name: string): boolean {
    const [real, own, equal] = this.#treesOf(name);
    // Of the steps of a rebase, the real side has those alone that run no command.
    const isSame = [equal, withoutCommands(equal)].some((tree) => isDeepStrictEqual(real, tree));
    if (isDeepStrictEqual(own, equal)) return isSame || this.#takeIn(name, real, own);
    // It is as it was once the command is over.
    if (!isCarried(name)) return true;
    if (!isSame && !isDeepStrictEqual(real, own))
      return name === scratch ? this.#takeIn(name, real, own) : this.#keep(name, real, own);
    if ([...own.values()].some(({ isLink }) => isLink))
      return this.#refused.add(name) && this.#takeIn(name, real, own);
    const safe = withoutCommands(own, real);
    if (!isDeepStrictEqual(safe, own)) this.#refused.add(`${name}/git-rebase-todo`);
    return (
      put(this.#real, name, safe, () => isDeepStrictEqual(this.#treesOf(name)[0], real)) &&
      this.#know(name, own)
    );
  }

  #takeIn(name: string, real: Tree, own: Tree): boolean {
    return (
      put(this.top, name, real, () => isDeepStrictEqual(this.#treesOf(name)[1], own)) &&
      this.#know(name, real)
    );
  }

  #know(name: string, tree: Tree): boolean {
    return put(this.#equal, name, tree, () => true);
  }

  #keep(name: string, real: Tree, own: Tree): boolean {
    const at = `${name}-${Date.now()}`;
    fs.mkdirSync(this.remains, { recursive: true, mode: 0o700 });
    put(this.remains, at, own, () => true);
    this.#kept.push({ path: join(this.folder.path, name), at: join(this.remains, at) });
    return this.#takeIn(name, real, own);
  }

  #report(): MirrorReport {
    if (this.#isClosed) return { refused: [], kept: [] };
    for (const name of this.sync()) this.#keep(name, this.#treesOf(name)[0], this.#treesOf(name)[1]);
    for (const name of this.#names()) {
      const [real, own, equal] = this.#treesOf(name);
      if (isDeepStrictEqual(own, equal)) continue;
      this.#refused.add(name);
      this.#takeIn(name, real, own);
    }
    const refused = [...this.#refused].toSorted().map((name) => join(this.folder.path, name));
    this.#refused.clear();
    return { refused, kept: this.#kept.splice(0) };
  }
}

const carried =
  "index|sharedindex\\.[0-9a-f]+|([A-Z_]+_)?HEAD|MERGE_[A-Z]+|SQUASH_MSG|AUTO_MERGE|BISECT_[A-Z_]+|rebase-[a-z]+|" +
  "sequencer|COMMIT_EDITMSG|packed-refs|shallow";
/** Each commit writes its message there anew, and none reads one of another. */
const scratch = "COMMIT_EDITMSG";
const through = "objects|refs|logs|reftable";

/** What of a git folder's top level a command may change, as alternatives of an expression. */
export const writtenByGit = `${carried}|${through}`;

const fits = (names: string) => (name: string) => new RegExp(`^(?:${names})$`, "u").test(name);
const isCarried = fits(carried);
/** What is not copied, but found inside as it is, to be written. */
const isThrough = fits(through);
const isCopied = fits(`${carried}|hooks|info|branches`);
/** Locks, and what a clearing of git notes while it runs. */
const isPassing = fits(".*\\.lock(\\.new)?|gc\\.(pid|log).*");

const nameOfFolder = "folder.json";
const followMs = 10;
const roundMs = 100;
const mostRounds = 20;

/** A file or a link, as its text; nothing else is one. */
interface TreeEntry {
  readonly bytes: Buffer;
  readonly mode: number;
  readonly isLink: boolean;
}

/** What lies at a path: one entry by the name "", or those of a folder. None where nothing is there. */
type Tree = ReadonlyMap<string, TreeEntry>;

function treeOf(path: string, within: string): Tree {
  const stat = quietly(() => fs.lstatSync(path, { throwIfNoEntry: false }));
  if (stat === undefined) return new Map();
  const { mode } = stat;
  if (stat.isSymbolicLink())
    return new Map([["", { bytes: Buffer.from(fs.readlinkSync(path)), mode, isLink: true }]]);
  const read = stat.isDirectory() ? undefined : readForeign(path, { below: within, limitBytes: 1 << 30 });
  if (read?.kind === "read") return new Map([["", { bytes: read.bytes, mode, isLink: false }]]);
  const listed = listForeign(path, { below: within, limitEntries: 10_000 });
  // Of `info`, git's clearing writes a list of the refs for a plain web server.
  const names = listed.kind === "listed" ? listed.entries.map(({ name }) => name) : [];
  const inside = names.filter((name) => !path.endsWith("/info") || name !== "refs");
  return new Map(
    inside.flatMap((name) =>
      [...treeOf(join(path, name), within)].map(([at, entry]) => [join(name, at), entry]),
    ),
  );
}

/** Gives a name its new content as git does, under a lock. @returns false where it is held, or `isStill` says no. */
function put(side: string, name: string, tree: Tree, isStill: () => boolean): boolean {
  const target = join(side, name);
  const [lock, fresh] = [`${target}.lock`, `${target}.lock.new`];
  if (quietly(() => fs.writeFileSync(lock, "", { flag: "wx" }) ?? true) !== true) return false;
  try {
    for (const [at, { bytes, mode, isLink }] of tree) {
      const path = join(fresh, at);
      fs.mkdirSync(dirname(path), { recursive: true });
      if (isLink) fs.symlinkSync(bytes.toString(), path);
      else fs.writeFileSync(path, bytes);
      if (!isLink) fs.chmodSync(path, mode);
    }
    if (!isStill()) return false;
    if (!tree.has("")) fs.rmSync(target, { recursive: true, force: true });
    if (tree.size > 0) fs.renameSync(fresh, target);
    return true;
  } catch {
    // The disk is full, or a folder is in the way: what cannot be carried over is kept.
    return false;
  } finally {
    for (const path of [fresh, lock]) quietly(() => fs.rmSync(path, { recursive: true, force: true }));
  }
}

/**
 * Without the lines that would run a command at the next `git rebase --continue`, wherever that is typed.
 *
 * @param known what a person has there already may run.
 */
function withoutCommands(tree: Tree, known: Tree = new Map()): Tree {
  return new Map(
    [...tree].map(([at, entry]) => {
      const lines = known.get(at)?.bytes.toString("latin1").split("\n") ?? [];
      const text = at.startsWith("git-rebase-todo") ? entry.bytes.toString("latin1") : "";
      const safe = text.replace(/^[ \t]*(?:x|exec)[ \t].*/gmu, (line) =>
        lines.includes(line) ? line : `# ${line.trim()}`,
      );
      return [at, safe === text ? entry : { ...entry, bytes: Buffer.from(safe, "latin1") }];
    }),
  );
}

/** The mirrors of one session, one for each folder of git that is there. */
export class GitMirrors {
  readonly #all = new Map<string, GitMirror>();
  #count = 0;

  /** @param told what somebody else changed at the same time, where no command is there to say it. */
  constructor(
    private readonly session: SessionFolder,
    private readonly told: (kept: MirrorReport["kept"][number]) => void,
  ) {}

  /** Of these folders, in the state that they have now. One that can have none is left out. */
  of(folders: readonly GitFolder[]): readonly GitMirror[] {
    for (const [path, mirror] of this.#all)
      if (!mirror.isThere || !folders.some((folder) => folder.path === path)) this.#end(path, mirror);
    for (const folder of folders)
      if (!this.#all.has(folder.path)) quietly(() => this.#begin(folder, join("git", `${this.#count++}`)));
    for (const mirror of this.#all.values()) quietly(() => mirror.sync());
    return [...this.#all.values()];
  }

  /** Carries over what killed sessions left. @param end ends what still runs of one, by its identity. */
  recover(end: (identity: string) => void): void {
    for (const left of this.session.abandoned()) {
      end(basename(left).replace(/\.\w+$/u, ""));
      for (const place of (quietly(() => readdirSync(join(left, "git"))) ?? []).map((name) =>
        join(left, "git", name),
      )) {
        const folder = GitMirror.folderIn(place);
        const open = () => folder && new GitMirror(folder, place, this.session.remains);
        quietly(open)?.close().kept.map(this.told);
      }
      this.session.forget(left);
    }
  }

  close(): void {
    for (const [path, mirror] of this.#all) this.#end(path, mirror);
  }

  #begin(folder: GitFolder, name: string): void {
    this.#all.set(folder.path, new GitMirror(folder, this.session.folder(name), this.session.remains));
  }

  #end(path: string, mirror: GitMirror): void {
    this.#all.delete(path);
    quietly(() => mirror.close().kept.map(this.told));
  }
}
