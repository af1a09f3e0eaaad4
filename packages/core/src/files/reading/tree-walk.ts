import { defined } from "../../text/index.js";
import {
  deniedByHost,
  type IgnoreRules,
  ignoreFiles,
  isIgnored,
  isLeftOut,
  join,
  keptAway,
  rootOf,
  rulesOf,
} from "../ignore/ignore-rules.js";
import type { DirectoryEntry, Disk, Target } from "../values/disk.js";
import { isRefusal, type Refusal } from "../values/refusal.js";
import type { TimeBudget } from "../values/time-budget.js";

/** One entry that a walk came by. */
interface WalkedEntry {
  readonly entry: DirectoryEntry;
  /** As the caller names it: begins with the name of the folder where the walk began. */
  readonly path: string;
  /** Relative to that folder. */
  readonly below: string;
  /** The folder that holds it, held open while the visitor looks at it. */
  readonly folder: Target;
}

/** How far `walkTree` goes, and whether the ignore files count. */
interface WalkOptions {
  /** Levels below the folder, at least 1; unless given the walk ends at a folder that is too deep. */
  readonly depth?: number;
  /** The walk goes on behind this entry, by its names from the folder on; `isAgain`: with it. */
  readonly behind?: readonly string[];
  readonly isAgain?: boolean;
  /** Also what git's rules leave out, and `.git`, but not its inside; `kept`: that, and what `.holdfastignore` keeps away. */
  readonly all: boolean | "kept";
  /** Entries of other names are passed over, and not entered. */
  readonly only?: (name: string) => boolean;
  /** Told of each folder when all of it was come by, while it is still held open. */
  readonly leave?: () => Promise<void>;
  /** As `Target.entries`; asked anew at each folder. */
  readonly sizes?: "none" | (() => number);
  /** The walk ends where it is spent, and rests in between. */
  readonly budget: TimeBudget;
}

/** A walk that came to its end; `more` where it did not come by everything. */
export interface Walked {
  readonly kind: "walked";
  /** A folder has more entries than are looked at or is too deep, or the time was up. */
  readonly more?: "limit" | "time";
  /** The last entry that the visitor was done with, as the caller names it: what is behind it was not come by. */
  readonly reached?: string;
  /** The folders that were come by without their inside, because they cannot be entered, as the caller names them. */
  readonly closed: readonly string[];
  /** How many entries `.gitignore` and its kin left out. */
  readonly ignored: number;
}

/** Looks at an entry; `false` ends the walk. */
type Visitor = (entry: WalkedEntry) => Promise<boolean> | boolean;

/**
 * Walks a folder level by level through handles, in byte order of the names, so that no link leads it
 * astray: links are come by, never followed. What the ignore files leave out is left out, and `.git` with it; of an
 * ignored folder, all. A folder that is itself ignored by git is looked at as a whole, since the caller names it.
 *
 * @param name how the caller names the folder; the entries' paths begin with it.
 * @returns `busy` where a folder cannot be entered for want of descriptors: what is in it would be missing in silence.
 */
export async function walkTree(
  disk: Disk,
  target: Target,
  name: string,
  options: WalkOptions,
  visit: Visitor,
): Promise<Walked | Refusal> {
  const walk = new TreeWalk(disk, rootOf(target), options, visit);
  const rules = await walk.rulesAbove(target.relativePath);
  if ("kind" in rules) return rules;
  if (isIgnored(rules, target.relativePath, true))
    return options.all ? keptAway : walkTree(disk, target, name, { ...options, all: true }, visit);
  const names = { path: name === "." ? "" : name, below: "" };
  const { behind = [], depth = maxDepth + behind.length } = options;
  const refusal = await walk.descend(target, { names, depth, rules, behind });
  const { more, closed, reached, ignored } = walk;
  return refusal ?? { kind: "walked", closed, ignored, ...defined({ more, reached }) };
}

class TreeWalk {
  more: Walked["more"];
  readonly closed: string[] = [];
  reached: string | undefined;
  ignored = 0;
  private ended = false;

  constructor(
    private readonly disk: Disk,
    private readonly root: string,
    private readonly options: WalkOptions,
    private readonly visit: Visitor,
  ) {}

  async rulesAbove(folder: string): Promise<readonly IgnoreRules[] | Refusal> {
    const rules: IgnoreRules[] = [];
    const parts = folder.split("/").filter((part) => part !== "");
    const above = parts.map((_, at) => [parts.slice(0, at).join("/"), ignoreFiles] as const);
    for (const [path, names] of [["", [".git/info/exclude"]] as const, ...above]) {
      const found = await this.rulesOf(path, names);
      if ("kind" in found) return found;
      rules.push(...found);
    }
    return rules;
  }

  private async rulesOf(folder: string, names: readonly string[]): Promise<readonly IgnoreRules[] | Refusal> {
    const { all, budget } = this.options;
    const found = all === "kept" ? [] : await rulesOf(this.disk, this.root, folder, names, budget);
    return all && !("kind" in found) ? found.filter(({ protects }) => protects) : found;
  }

  async descend(folder: Target, inside: Inside): Promise<Refusal | undefined> {
    const { sizes } = this.options;
    const { names, behind } = inside;
    const most = behind.length === 0 ? maxScanned : 10 * maxScanned;
    const listing = await folder.entries(most, typeof sizes === "function" ? sizes() : sizes);
    if (isRefusal(listing)) return listing;
    if (listing.more) this.more ??= "limit";
    // A second checkout of the same files: who means it begins in it.
    const isCheckout = /(?:^|\/)\.claude\/worktrees\/[^/]+$/.test(folder.relativePath) && names.below !== "";
    if (isCheckout && !this.options.all && listing.entries.some(({ name }) => name === ".git"))
      return undefined;
    const own = await this.ownRules(folder, listing.entries);
    if ("kind" in own) return own;
    const rules = [...inside.rules, ...own];
    const refusal = await this.visitAll(folder, entriesFrom(listing.entries, behind[0]), {
      ...inside,
      rules,
    });
    // What goes on from here begins with the rest of this folder.
    this.ended ||= listing.more;
    await this.options.leave?.();
    return refusal;
  }

  private async visitAll(
    folder: Target,
    entries: readonly DirectoryEntry[],
    { names, depth, rules, behind }: Inside,
  ): Promise<Refusal | undefined> {
    for (const entry of entries) {
      if (!(await this.hasTime())) return undefined;
      if (this.options.only?.(entry.name) === false) continue;
      if (this.leavesOut(rules, join(folder.relativePath, entry.name), entry)) continue;
      const [path, below] = [join(names.path, entry.name), join(names.below, entry.name)];
      const rest = entry.name === behind[0] ? behind.slice(1) : undefined;
      const isPassed = rest !== undefined && (rest.length > 0 || this.options.isAgain !== true);
      if (this.ended || !(isPassed || (await this.visit({ entry, path, below, folder })))) {
        this.ended = true;
        return undefined;
      }
      if (!isPassed) this.reached = path;
      if (entry.kind !== "directory") continue;
      const inside = { names: { path, below }, depth: depth - 1, rules, behind: rest ?? [] };
      const refusal = await this.into(folder, entry, inside);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  private async hasTime(): Promise<boolean> {
    const { budget } = this.options;
    if (budget.isDue()) {
      await budget.rest();
      if (budget.isSpent()) {
        this.more = "time";
        this.ended = true;
      }
    }
    return !this.ended;
  }

  private leavesOut(rules: readonly IgnoreRules[], path: string, entry: DirectoryEntry): boolean {
    const { all } = this.options;
    if (entry.name === ".git" && !all) return true;
    const isDirectory = entry.kind === "directory";
    if (all !== "kept" && deniedByHost(this.disk, join(this.root, path), "reading", { isDirectory }))
      return true;
    const isOut = (by: readonly IgnoreRules[]) => isLeftOut(by, path, isDirectory);
    if (!isOut(rules)) return false;
    if (!isOut(rules.filter(({ protects }) => protects))) this.ignored += 1;
    return true;
  }

  /** The listing has told already which ignore files there are: most folders have none. */
  private async ownRules(
    folder: Target,
    entries: readonly DirectoryEntry[],
  ): Promise<readonly IgnoreRules[] | Refusal> {
    const there = ignoreFiles.filter((name) => entries.some((entry) => entry.name === name));
    return this.rulesOf(folder.relativePath, there);
  }

  /**
   * A subfolder that cannot be entered is come by without its inside: one without permission, our own, or with a name that is no
   * UTF-8, is noted, one that was just deleted is not. Where it could be entered in a moment, the walk ends.
   */
  private async into(
    folder: Target,
    child: DirectoryEntry,
    { names, depth, rules, behind }: Inside,
  ): Promise<Refusal | undefined> {
    if (depth < 1) {
      if (this.options.depth !== undefined) return undefined;
      this.more ??= "limit";
      this.ended = true;
    } else if (!child.openable) this.closed.push(names.path);
    const isGit = child.name === ".git" && this.options.all !== "kept";
    if (depth < 1 || !child.openable || isGit) return undefined;
    const inside = await folder.child(child.name);
    if (isRefusal(inside)) return this.passBy(names.path, inside);
    try {
      return this.passBy(names.path, await this.descend(inside, { names, depth, rules, behind }));
    } finally {
      await inside.close();
    }
  }

  /** What a folder that was not entered means for the walk. */
  private passBy(path: string, refusal: Refusal | undefined): Refusal | undefined {
    if (refusal?.code === "permission_denied" || refusal?.code === "protected_path") this.closed.push(path);
    return refusal?.code === "busy" ? refusal : undefined;
  }
}

/** Where a walk is. */
interface Inside {
  readonly names: { readonly path: string; readonly below: string };
  readonly depth: number;
  readonly rules: readonly IgnoreRules[];
  /** As of `WalkOptions`, from here on. */
  readonly behind: readonly string[];
}

/** The entries from this one on, or where it is gone, from where it stood. */
function entriesFrom(entries: readonly DirectoryEntry[], name: string | undefined) {
  if (name === undefined) return entries;
  const at = entries.findIndex((entry) => entry.name === name);
  const from = at < 0 ? entries.findIndex((entry) => compareAsBytes(entry.name, name) > 0) : at;
  return from < 0 ? [] : entries.slice(from);
}

/**
 * The order of two names in UTF-8, which is the order of their code points, and in which disks list a folder. `<`
 * compares UTF-16, where an emoji comes before `～`.
 */
export function compareAsBytes(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  const at = left.findIndex((char, n) => char !== right[n]);
  return at < 0
    ? left.length - right.length
    : (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}

/** How deep a walk goes without being asked: it holds each folder above open. */
const maxDepth = 64;

/** How many entries of one folder are looked at, to go on in it ten times as many; above it the walk ends. */
const maxScanned = 200_000;
