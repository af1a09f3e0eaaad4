import ignore, { type Ignore } from "ignore";
import type { Disk, Place } from "./ports.js";
import { isRefusal, type Refusal, refuse } from "./refusal.js";

/** The rules of one ignore file, for the paths below its folder. */
export interface IgnoreRules {
  /** The folder's path relative to the root; "" is the root. */
  readonly folder: string;
  readonly rules: Ignore;
}

/** Files that say what listings leave out. The last one also forbids reading and writing. */
export const ignoreFiles = [".gitignore", ".holdfastignore"] as const;

/** The rules in force in a folder: those of its parents and its own. */
export async function rulesOf(
  disk: Disk,
  rootPath: string,
  folder: string,
  names: readonly string[],
): Promise<readonly IgnoreRules[]> {
  const found: IgnoreRules[] = [];
  for (const name of names) {
    const text = await readSmall(disk, join(rootPath, join(folder, name)));
    if (text !== undefined) found.push({ folder, rules: ignore().add(text) });
  }
  return found;
}

/** Whether the rules leave a path out; the rules of the deepest folder decide. */
export function isIgnored(rules: readonly IgnoreRules[], path: string, isDirectory: boolean): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const below =
      folder === "" ? path : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
    if (below === undefined || below === "") continue;
    const verdict = own.test(isDirectory ? `${below}/` : below);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/**
 * Refuses what a `.holdfastignore` keeps away from these tools, reading included: that of any root that
 * holds the place, whichever of them the path counted from.
 */
export async function excludedByOwner(disk: Disk, place: Place): Promise<Refusal | undefined> {
  for (const root of disk.realRoots) {
    const path = below(root, place.realPath);
    if (path === undefined || path === "") continue;
    const rules = await rulesOf(disk, root, "", [".holdfastignore"]);
    if (!isIgnored(rules, path, false)) continue;
    return refuse("ignored_path", "The workspace's .holdfastignore keeps this path away from these tools.");
  }
  return undefined;
}

/** A path relative to a folder that holds it; "" for the folder itself, undefined where it lies elsewhere. */
export function below(folder: string, path: string): string | undefined {
  if (path === folder) return "";
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** The absolute path of the root that holds a place. */
export function rootOf(place: Place): string {
  return place.relativePath === "" ? place.realPath : place.realPath.slice(0, -place.relativePath.length);
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

async function readSmall(disk: Disk, path: string): Promise<string | undefined> {
  const place = await disk.enter(path, "refuse");
  if (isRefusal(place)) return undefined;
  try {
    const read = await place.read(maxIgnoreBytes);
    if (isRefusal(read)) return read.code === "file_missing" ? undefined : everything;
    return read.bytes.includes(0) ? everything : new TextDecoder("utf-8").decode(read.bytes);
  } finally {
    await place.close();
  }
}
