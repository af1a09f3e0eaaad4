import { finish } from "../../text/index.js";
import type { Disk, FileIdentity, HostRule, Target } from "../values/disk.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { finishSteps, type TimeBudget } from "../values/time-budget.js";
import { IgnoreList } from "./ignore-list.js";

/** The rules of one ignore file, for the paths below its folder. */
export interface IgnoreRules {
  /** The folder's path relative to the root; "" is the root. */
  readonly folder: string;
  readonly list: IgnoreList;
  /** Kept away from these tools, not only from listings. */
  readonly protects: boolean;
}

/** Its rules protect, so that they fold case: the disk may do so, too. */
const holdfastIgnore = ".holdfastignore";

/** Files that say what listings leave out. The last one also forbids reading and writing. */
export const ignoreFiles = [".gitignore", holdfastIgnore] as const;

/**
 * The rules in force in a folder: those of its parents and its own.
 *
 * @param budget rests while a file of many lines is read; without one it is read at once.
 * @returns `busy` where the machine lacks something now, such as descriptors, or `root_changed`: nobody can say yet whether
 *   there are rules.
 */
export async function rulesOf(
  disk: Disk,
  rootPath: string,
  folder: string,
  names: readonly string[],
  budget?: TimeBudget,
): Promise<readonly IgnoreRules[] | Refusal> {
  const found: IgnoreRules[] = [];
  for (const name of names) {
    const text = await readSmall(disk, join(rootPath, join(folder, name)), name === holdfastIgnore);
    if (text === undefined) continue;
    if (typeof text !== "string") return text;
    const protects = name === holdfastIgnore;
    const steps = IgnoreList.inSteps(text, protects);
    const list = budget === undefined ? finish(steps) : await finishSteps(steps, budget);
    found.push({ folder, list, protects });
  }
  return found;
}

/**
 * Whether the rules leave out a path that lies in no ignored folder; those of the deepest folder that say anything
 * of it decide.
 */
export function isLeftOut(rules: readonly IgnoreRules[], path: string, isDirectory: boolean): boolean {
  for (let at = rules.length - 1; at >= 0; at--) {
    const { folder, list } = rules[at] as IgnoreRules; // `at` counts down from the last one.
    const own = folder === "" ? path : (below(folder, path) ?? "");
    const verdict = own === "" ? undefined : list.verdict(own, isDirectory);
    if (verdict !== undefined) return verdict === "ignored";
  }
  return false;
}

/** Whether the rules leave out a path or a folder above it: what lies in an ignored folder is not taken back. */
export function isIgnored(rules: readonly IgnoreRules[], path: string, isDirectory: boolean): boolean {
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1))
    if (isLeftOut(rules, path.slice(0, end), true)) return true;
  return isLeftOut(rules, path, isDirectory);
}

/**
 * Refuses what a `.holdfastignore` keeps away from these tools, reading included: that of any root that
 * holds the place, whichever of them the path counted from. A rule of the host that denies reading does the same.
 */
export async function excludedByOwner(
  disk: Disk,
  { realPath }: Pick<Target, "realPath">,
): Promise<Refusal | undefined> {
  const denied = deniedByHost(disk, realPath, "reading");
  if (denied !== undefined) return denied;
  for (const root of disk.realRoots) {
    const path = below(root, realPath);
    if (path === undefined || path === "") continue;
    const rules = await ownersRules(disk, root);
    if ("kind" in rules) return rules;
    if (!isIgnored(rules, path, false)) continue;
    return keptAway;
  }
  return undefined;
}

/** The refusal of what a `.holdfastignore` keeps away. */
export const keptAway = refuse(
  "ignored_path",
  "The workspace's .holdfastignore keeps this path away from these tools.",
);

/**
 * Refuses what a rule of the host denies.
 *
 * @param realPath absolute.
 * @param walked as `HostRule.matches`.
 */
export function deniedByHost(
  disk: Disk,
  realPath: string,
  doing: HostRule["denies"],
  walked?: { readonly isDirectory: boolean },
): Refusal | undefined {
  const rule = disk
    .hostRules?.()
    .filter(({ denies }) => denies === "reading" || doing === "writing")
    .find((one) => one.matches(realPath, walked));
  if (rule === undefined) return undefined;
  return rule.denies === "reading"
    ? refuse("ignored_path", `A rule of the person keeps this path away from all file tools: ${rule.shown}.`)
    : refuse(
        "protected_path",
        `A rule of the person denies writing here to all file tools: ${rule.shown}. Reading is allowed.`,
      );
}

/** Matches the paths that lines in the syntax of `.gitignore` leave out, read as a file in the folder `/`. */
export function matchesLines(lines: string): HostRule["matches"] {
  const rules = [{ folder: "", list: new IgnoreList(lines, true), protects: true }];
  return (realPath, walked) =>
    walked === undefined
      ? isIgnored(rules, realPath.slice(1), false)
      : isLeftOut(rules, realPath.slice(1), walked.isDirectory);
}

/** The rules of a root's `.holdfastignore`: every call asks for them, so that they are parsed once while the file stays. */
async function ownersRules(disk: Disk, root: string): Promise<readonly IgnoreRules[] | Refusal> {
  const path = join(root, holdfastIgnore);
  const kept = keptOf(disk);
  const identity = await identityAt(disk, path);
  if (identity === "missing") return [];
  if (identity !== undefined && "kind" in identity) return identity;
  const known = identity === undefined ? undefined : kept.get(path);
  if (known !== undefined && identity !== undefined && isSame(known.identity, identity)) return known.rules;
  // Two writes within one tick of the file system's clock look the same: what is young before it is read is parsed each time.
  const isTold = identity !== undefined && isOld(identity);
  const rules = await rulesOf(disk, root, "", [holdfastIgnore]);
  if ("kind" in rules) return rules;
  if (isTold) kept.set(path, { identity, rules });
  else kept.delete(path);
  return rules;
}

interface KeptRules {
  /** Of before the file was read: while it is the same, nothing was written since. */
  readonly identity: FileIdentity;
  readonly rules: readonly IgnoreRules[];
}

const keptRules = new WeakMap<Disk, Map<string, KeptRules>>();

function keptOf(disk: Disk): Map<string, KeptRules> {
  const known = keptRules.get(disk);
  if (known !== undefined) return known;
  const fresh = new Map<string, KeptRules>();
  keptRules.set(disk, fresh);
  return fresh;
}

/** `undefined` for what is there and is no file that can be seen; a refusal where that may be another in a moment. */
async function identityAt(disk: Disk, path: string): Promise<FileIdentity | "missing" | Refusal | undefined> {
  const target = await disk.enter(path, "allow", "name");
  if (isRefusal(target)) return mayPass(target) ? target : undefined;
  try {
    const entry = await target.look();
    if (entry.kind === "missing") return isNameItself(target, path) ? "missing" : undefined;
    if (isRefusal(entry)) return mayPass(entry) ? entry : undefined;
    return entry.kind === "file" ? entry.identity : undefined;
  } finally {
    await target.close();
  }
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.device === other.device &&
    one.inode === other.inode &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs
  );
}

function isOld({ ctimeNs }: FileIdentity): boolean {
  const age = BigInt(Date.now()) * 1_000_000n - ctimeNs;
  return age > youngNs;
}

/** The coarsest clock of a file system that people use counts two seconds. */
const youngNs = 3_000_000_000n;

/** A path relative to a folder that holds it; "" for the folder itself, undefined where it lies elsewhere. */
export function below(folder: string, path: string): string | undefined {
  if (path === folder) return "";
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** The absolute path of the root that holds a place. */
export function rootOf(target: Target): string {
  return target.relativePath === "" ? target.realPath : target.realPath.slice(0, -target.relativePath.length);
}

/**
 * The path of an entry in a folder, by letters alone; "" is the root, whose entries have no folder in their paths.
 */
export function join(folder: string, name: string): string {
  if (folder === "") return name;
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

const maxIgnoreBytes = 1024 * 1024;
/** Rules that cannot be read keep everything away: nobody can say what they were to protect. */
const everything = "*";

/** The text of an ignore file; undefined where there is none, and for a `.gitignore` that leads nowhere. */
async function readSmall(disk: Disk, path: string, protects: boolean): Promise<string | Refusal | undefined> {
  const nowhere = protects ? everything : undefined;
  const target = await disk.enter(path, "allow", "name");
  if (isRefusal(target)) return mayPass(target) ? target : nowhere;
  try {
    const read = await target.read(maxIgnoreBytes);
    if (!isRefusal(read))
      return read.bytes.includes(0) ? everything : new TextDecoder("utf-8").decode(read.bytes);
    if (mayPass(read)) return read;
    if (read.code !== "file_missing") return everything;
    return isNameItself(target, path) ? undefined : nowhere;
  } finally {
    await target.close();
  }
}

/** Whether the walk followed no link to the target: where that is missing, then, nothing has the name. */
function isNameItself(target: Target, path: string): boolean {
  return target.realPath === path;
}

/** A refusal that says nothing of the rules: the call answers it, and a later one may find them. */
function mayPass({ code }: Refusal): boolean {
  return code === "busy" || code === "root_changed";
}
