import { type BigIntStats, lstatSync, mkdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, parse, sep } from "node:path";
import type { GivenAccess } from "../../files/index.js";
import { type Refusal, refuse, refuseIn } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { type Folder, giveFolderAccess } from "./folder.js";
import { codeOf, faultFrom, ifPossible, refusalFrom } from "./platform.js";

/** A folder below which everything is allowed and above which nothing is. */
export interface Root {
  /** As the caller named it, made absolute. */
  readonly named: string;
  readonly real: string;
  readonly folder: Folder;
  /** Whether replacements may exchange names, where the system can. */
  readonly exchanges: boolean;
  /** The device and inode that its path had when it was opened. */
  readonly identity: string;
  /** As of `DiskOptions`. */
  readonly bar?: ((realPath: string) => Refusal | undefined) | undefined;
}

/** Where a walk ended: an entry, there or missing, of a folder that is held open. */
export interface Reached {
  readonly kind: "reached";
  readonly root: Root;
  /** Undefined where parent folders are missing. */
  readonly folder: Folder | undefined;
  /** The names from the root to the entry, none of them a link; empty for the root itself. */
  readonly names: readonly string[];
  /** The folders that the walk made, an outer one before those in it, each by its names. */
  readonly made: readonly (readonly string[])[];
}

const linkLimit = 40;
/** Steps of one walk; only a path made to be slow takes more. */
const stepLimit = 5_000;
const pathLimitBytes = 4_095;
const nameLimitBytes = 255;

/**
 * Walks from a root's handle to the entry that a path names, component by component and never through a
 * link: a link is read and its target walked from the root in its turn, so that whatever is swapped in
 * meanwhile, the walk stays inside.
 *
 * @param missing what to do about missing parent folders, as in `Disk.enter`.
 * @param isEntry a link in the last place is where the walk ends.
 * @param access of the entry, for the folders that are made.
 */
export function walk(
  roots: readonly Root[],
  path: string,
  missing: "refuse" | "allow" | "create",
  isEntry = false,
  access?: GivenAccess,
): Reached | Refusal {
  const flaw = flawOf(path);
  if (flaw !== undefined) return refuse("invalid_arguments", `${escapeForDisplay(path)}: ${flaw}.`);
  // A link outside of all roots is none of theirs, whatever it leads to.
  const start = locate(roots, path) ?? locateByLinks(roots, path, isEntry ? 1 : 0);
  if (start === undefined) return outside(path, roots);
  const walker = new Walker(roots, path, missing, start, isEntry, access);
  let reached: Reached | Refusal | undefined;
  try {
    reached = walker.run();
  } catch (error) {
    reached = refusalFrom(error, path);
    if (reached === undefined) throw faultFrom(error, path);
  } finally {
    if (reached?.kind !== "reached" || reached.folder === undefined) walker.leave();
  }
  return reached;
}

interface WalkStart {
  readonly root: Root;
  readonly rest: readonly string[];
}

class Walker {
  private root: Root;
  private folder: Folder;
  private done: string[] = [];
  private rest: string[];
  private links = 0;
  private steps = 0;
  private readonly made: (readonly string[])[] = [];

  constructor(
    private readonly roots: readonly Root[],
    private readonly asked: string,
    private readonly missing: "refuse" | "allow" | "create",
    start: WalkStart,
    private readonly isEntry: boolean,
    private readonly access: GivenAccess | undefined,
  ) {
    this.root = start.root;
    this.folder = start.root.folder;
    this.rest = [...start.rest];
  }

  run(): Reached | Refusal {
    for (;;) {
      this.steps += 1;
      if (this.steps > stepLimit)
        return refuse("not_a_file", `${this.shown}: the path takes too many steps.`);
      const answer = this.step();
      if (answer !== undefined) return answer;
    }
  }

  /** Closes the folder that is held, unless it is the root's own. */
  leave(): void {
    const { folder } = this;
    this.folder = this.root.folder;
    if (folder !== this.root.folder) folder.close();
  }

  private get shown(): string {
    return escapeForDisplay(this.asked);
  }

  private step(): Reached | Refusal | undefined {
    const name = this.rest.shift();
    if (name === undefined) {
      if (this.done.length === 0) return this.reached();
      // The path ended in a folder that was entered: its place is its entry in the folder above.
      return this.restart(this.root, this.done);
    }
    if (name === "..") return this.climb();
    return this.rest.length === 0 ? this.finish(name) : this.descend(name);
  }

  private finish(name: string): Reached | Refusal | undefined {
    const path = this.folder.at(name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true && !this.isEntry) return this.follow(name);
    this.done.push(name);
    return this.reached();
  }

  private reached(): Reached | Refusal {
    return this.tooLong() ?? this.at(this.folder, this.done);
  }

  private at(folder: Folder | undefined, names: readonly string[]): Reached {
    return { kind: "reached", root: this.root, folder, names, made: this.made };
  }

  private tooLong(): Refusal | undefined {
    const bytes = Buffer.byteLength(this.root.real) + Buffer.byteLength(this.done.join("/")) + 1;
    if (bytes <= pathLimitBytes) return undefined;
    return refuse("invalid_arguments", `${this.shown}: the path is longer than ${pathLimitBytes} bytes.`);
  }

  private descend(name: string): Reached | Refusal | undefined {
    try {
      this.enter(name);
      return undefined;
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT") return this.lack(name);
      if (code !== "ENOTDIR" && code !== "ELOOP") throw error;
    }
    return this.follow(name);
  }

  private enter(name: string): void {
    const next = this.folder.enter(name);
    this.leave();
    this.folder = next;
    this.done.push(name);
  }

  /** A parent folder is missing. */
  private lack(name: string): Reached | Refusal | undefined {
    if (this.missing === "create") return this.create(name);
    const names = [...this.done, name, ...this.rest];
    if (this.missing === "refuse" || this.rest.includes("..")) {
      const folder = escapeForDisplay([...this.done, name].join("/"));
      return refuse("file_missing", `${this.shown}: the folder ${folder} does not exist.`);
    }
    this.done = names;
    return this.tooLong() ?? this.at(undefined, names);
  }

  private create(name: string): undefined {
    const { folders } = typeof this.access === "object" ? this.access : {};
    const access = folders?.[this.rest.length - 1];
    try {
      mkdirSync(this.folder.at(name), { mode: access === undefined ? 0o777 : 0o700 });
      this.made.push([...this.done, name]);
      if (access !== undefined) giveFolderAccess(this.folder, name, access);
      this.folder.sync();
    } catch (error) {
      // Somebody else was quicker: what they made is walked like anything else.
      if (codeOf(error) !== "EEXIST") throw error;
    }
    this.rest.unshift(name);
  }

  private follow(name: string): Refusal | undefined {
    const target = this.readLink(name);
    if (target === undefined) {
      return refuse("not_a_file", `${this.shown}: ${escapeForDisplay(name)} is not a folder.`);
    }
    this.links += 1;
    if (this.links > linkLimit) {
      return refuse("not_a_file", `${this.shown}: more than ${linkLimit} links, or links in a circle.`);
    }
    if (flawOf(target) !== undefined) return outside(this.asked, this.roots);
    if (!isAbsolute(target)) {
      this.rest.unshift(...componentsOf(target));
      return undefined;
    }
    const start = locate(this.roots, target) ?? locateByLinks(this.roots, target, 0);
    if (start === undefined) return outside(this.asked, this.roots);
    return this.restart(start.root, [...start.rest, ...this.rest]);
  }

  /** The text of a link; undefined for anything else. */
  private readLink(name: string): string | undefined {
    try {
      return readlinkSync(this.folder.at(name));
    } catch (error) {
      if (codeOf(error) === "EINVAL" || codeOf(error) === "UNKNOWN") return undefined;
      throw error;
    }
  }

  /** One level up, counted along the names walked so far, none of which is a link. */
  private climb(): Refusal | undefined {
    const names = this.done.slice();
    let ups = 1;
    while (this.rest[0] === "..") {
      this.rest.shift();
      ups += 1;
    }
    if (ups <= names.length) {
      return this.restart(this.root, [...names.slice(0, names.length - ups), ...this.rest]);
    }
    return this.climbOut(ups - names.length);
  }

  /** Above this root: allowed only if the names then lead into another one. */
  private climbOut(levels: number): Refusal | undefined {
    const above = componentsOf(this.root.real);
    const stack = above.slice(0, Math.max(0, above.length - levels));
    for (const [at, name] of this.rest.entries()) {
      if (name === "..") stack.pop();
      else stack.push(name);
      const root = this.roots.find((candidate) => sameNames(componentsOf(candidate.real), stack));
      if (root !== undefined) return this.restart(root, this.rest.slice(at + 1));
    }
    return outside(this.asked, this.roots);
  }

  private restart(root: Root, rest: readonly string[]): undefined {
    this.leave();
    this.root = root;
    this.folder = root.folder;
    this.done = [];
    this.rest = [...rest];
  }
}

/** The root that a path counts from, and the names below it; the widest of several. */
function locate(roots: readonly Root[], path: string): WalkStart | undefined {
  const names = componentsOf(path);
  if (!isAbsolute(path)) {
    const [root] = roots;
    return root === undefined ? undefined : { root, rest: names };
  }
  let best: WalkStart | undefined;
  for (const root of roots) {
    for (const base of [root.named, root.real].map(componentsOf)) {
      if (!sameNames(base, names.slice(0, base.length))) continue;
      if (best === undefined || root.real.length < best.root.real.length) {
        best = { root, rest: names.slice(base.length) };
      }
    }
  }
  return best;
}

/** The same of a path that links lead into a root. @param kept how many of the last names are not followed. */
function locateByLinks(roots: readonly Root[], path: string, kept: number): WalkStart | undefined {
  const names = componentsOf(path);
  for (let at = 0; at < names.length - kept; at++) {
    const named = parse(path).root + names.slice(0, at + 1).join(sep);
    const real = ifPossible(() => realpathSync.native(named), undefined);
    if (real === undefined) return undefined;
    const start = locate(roots, real);
    if (start !== undefined) return { root: start.root, rest: [...start.rest, ...names.slice(at + 1)] };
  }
  return undefined;
}

function componentsOf(path: string): string[] {
  const parts = sep === "/" ? path.split("/") : path.split(/[\\/]/);
  return parts.filter((part) => part !== "" && part !== ".");
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

/** Such a name would be written to the disk as another one. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

function flawOf(path: string): string | undefined {
  if (path.includes("\0")) return "a path cannot hold a NUL character";
  if (hasLoneSurrogate(path)) return "the name is not well-formed Unicode";
  if (Buffer.byteLength(path) > pathLimitBytes) return `the path is longer than ${pathLimitBytes} bytes`;
  const long = componentsOf(path).some((name) => Buffer.byteLength(name) > nameLimitBytes);
  return long ? `a name is longer than ${nameLimitBytes} bytes` : undefined;
}

function outside(path: string, roots: readonly Root[]): Refusal {
  const named = roots.map((root) => escapeForDisplay(root.named)).join(", ");
  return refuseIn(
    "outside_workspace",
    "$path leads outside the workspace; use a path inside one of its roots ($roots)[, or name the folder that holds it with {root}].",
    { path: escapeForDisplay(path), roots: named },
  );
}

/** The device and inode of the folder at a path; undefined where there is none, or none to be seen. */
export function folderAt(path: string): string | undefined {
  const stat = lookAt(path);
  return stat === undefined ? undefined : placeOf(stat);
}

function lookAt(path: string): BigIntStats | undefined {
  const stat = ifPossible(() => statSync(path, { bigint: true, throwIfNoEntry: false }), undefined);
  return stat?.isDirectory() === true ? stat : undefined;
}

function placeOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Which folder one is, also when it is looked at later, by another process. */
export interface FolderMark {
  /** Its device and inode, which may be another folder's after it is gone. */
  readonly place: string;
  /** When it was made, in nanoseconds, as the system says. */
  readonly born: string;
  /** That is no time of a change: some systems give that in its place, which would call every folder a new one. */
  readonly isBornSure: boolean;
}

/** The mark of the folder at a path; undefined where there is none to be seen. */
export function markOf(path: string): FolderMark | undefined {
  const stat = lookAt(path);
  if (stat === undefined) return undefined;
  const { birthtimeNs, ctimeNs } = stat;
  return {
    place: placeOf(stat),
    born: `${birthtimeNs}`,
    isBornSure: birthtimeNs > 0n && birthtimeNs !== ctimeNs,
  };
}

/** Whether the folder of the first mark may be that of the second. A system that was sure once is so again. */
export function isSameMark(before: FolderMark, now: FolderMark): boolean {
  return before.place === now.place && (!before.isBornSure || before.born === now.born);
}

/** Whether the path of a root still means the folder that was opened. One look that fails says nothing. */
export function isUnreplaced(root: Root): boolean {
  return (folderAt(root.named) ?? folderAt(root.named)) === root.identity;
}

/** Refuses a root whose path means no folder, or one somewhere else. */
export function rootGone(root: Root): Refusal {
  return refuse(
    "root_changed",
    `The folder ${escapeForDisplay(root.named)} was moved, replaced or deleted since it was opened; nothing was read or written. Put it back, or open the workspace again.`,
  );
}

/** The first answer after another folder was put in a root's place. */
export function rootReplaced(root: Pick<Root, "named">): Refusal {
  return refuse(
    "root_changed",
    `The folder ${escapeForDisplay(root.named)} was replaced by another one since it was opened; nothing was read or written. From now on the new folder is worked in, and what was known of the old one counts no more: read again what you need, then repeat the call.`,
  );
}

/** Whether a real path is that of a folder, or of something in it. */
export function isBelow(folder: string, realPath: string): boolean {
  return realPath === folder || realPath.startsWith(folder === "/" ? "/" : `${folder}/`);
}
