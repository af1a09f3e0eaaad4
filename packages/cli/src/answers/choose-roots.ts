import { realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Refusal, refuse } from "@holdfast/core/files/values";
import { cutVisibly, escapeForPeople } from "@holdfast/core/text";

/** The folders that a server works in, or why there are none. */
type ChosenRoots = { readonly kind: "roots"; readonly roots: readonly string[] } | Refusal;

/** Told of a root that is left out. @param folder undefined where it is none of this machine. */
type WarnOfRoot = (sentence: string, folder?: FolderLeftOut) => void;

/** A root that is none, as it was named, and why. */
export interface FolderLeftOut {
  readonly path: string;
  readonly why: "missing" | "no_folder";
}

/**
 * What a server's `--root` and its client's roots come to. The client can narrow what `--root` gives, and never widen
 * it; without `--root` its roots count, and without those the folder that the server was started in.
 *
 * @param given the folders of `--root`, undefined without it.
 * @param uris what the client names, undefined where it names nothing.
 * @param warn told of each root that is left out, in one sentence.
 * @returns `invalid_arguments` where the client's roots are no folders of this machine and nothing else is given.
 */
export function chooseRoots(
  given: readonly string[] | undefined,
  uris: readonly string[] | undefined,
  warn: WarnOfRoot,
): ChosenRoots {
  const own = given === undefined ? undefined : withoutMissing(given, warn);
  if (uris === undefined) return { kind: "roots", roots: own ?? [process.cwd()] };
  const named = withoutMissing(
    uris.flatMap((uri) => folderOf(uri, warn)),
    warn,
  );
  if (own !== undefined) return { kind: "roots", roots: narrowed(own, named, warn) };
  if (named.length > 0) return { kind: "roots", roots: named };
  const shown = uris.slice(0, 3).map(nameOf).join(", ");
  return refuse(
    "invalid_arguments",
    `The client's roots (${shown}) are no folders of this machine. Start the server with --root.`,
  );
}

function folderOf(uri: string, warn: WarnOfRoot): readonly string[] {
  try {
    const url = new URL(uri);
    const path = url.protocol === "file:" ? fileURLToPath(url) : "";
    if (path !== "" && !path.includes("\0") && path.length <= longestPath) return [path];
  } catch {
    // What is no URL, or of another machine, is no folder here.
  }
  warn(`the client's root ${nameOf(uri)} is no folder of this machine and is left out`);
  return [];
}

/** Characters of the longest path that a system takes. */
const longestPath = 4_096;

/** A client may name anything, of any length. */
function nameOf(uri: string): string {
  return cutVisibly(escapeForPeople(uri), 200);
}

/** Of several folders those that are there; all of them where none is, for whoever opens them to refuse. */
function withoutMissing(folders: readonly string[], warn: WarnOfRoot): readonly string[] {
  const leftOut = noFolders(folders);
  if (leftOut.length === folders.length) return folders;
  for (const folder of leftOut) {
    const what = folder.why === "missing" ? "does not exist" : "is no folder";
    warn(`the root ${escapeForPeople(folder.path)} ${what} and is left out`, folder);
  }
  const gone = new Set(leftOut.map(({ path }) => path));
  return folders.filter((path) => !gone.has(path));
}

/** Those of some paths at which there is no folder. An empty path is none that went missing. */
export function noFolders(paths: readonly string[]): readonly FolderLeftOut[] {
  return paths.flatMap((path): readonly FolderLeftOut[] => {
    if (path.trim() === "") return [];
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [{ path, why: "missing" }];
    return stats.isDirectory() ? [] : [{ path, why: "no_folder" }];
  });
}

/** The folders that lie in both; where nothing does, what a person gave. */
function narrowed(own: readonly string[], named: readonly string[], warn: WarnOfRoot): readonly string[] {
  const both = own.flatMap((folder) =>
    named.flatMap((other) => (isWithin(other, folder) ? [other] : isWithin(folder, other) ? [folder] : [])),
  );
  if (both.length > 0) return [...new Set(both)];
  if (named.length > 0) warn("none of the client's roots lies in a folder of --root; those of --root count");
  return own;
}

/** Whether a folder is another or lies in it, with links resolved where it is there. */
export function isWithin(inner: string, outer: string): boolean {
  const [below, above] = [real(inner), real(outer)];
  return below === above || below.startsWith(above.endsWith(sep) ? above : above + sep);
}

function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}
