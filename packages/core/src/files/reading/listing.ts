import { defined, escapeForDisplay } from "../../text/index.js";
import { inside } from "../access/call.js";
import type { Session } from "../access/session.js";
import type { DirectoryEntry, Disk, Target } from "../values/disk.js";
import type { ListedEntry, ListOutcome } from "../values/outcomes.js";
import { tidyPath } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import type { Asked, ListRequest } from "../values/requests.js";
import { TimeBudget } from "../values/time-budget.js";
import { walkTree } from "./tree-walk.js";

/** How far `listFolder` goes: levels, entries in all, and whether ignored files count. */
interface ListOptions {
  /** Levels below the folder; at least 1. */
  readonly depth: number;
  readonly limit: number;
  readonly all: boolean;
  readonly behind: readonly string[];
  readonly budget: TimeBudget;
}

/** Entries in the order of the walk; `more` where some were left out, and why. */
interface Listing {
  readonly kind: "listing";
  readonly entries: readonly ListedEntry[];
  readonly more?: "limit" | "time";
  readonly reached?: string;
  /** Folders that cannot be entered, so that what is in them is missing. */
  readonly closed: readonly string[];
  readonly ignored: number;
}

/** The answer to a request for the names in a folder. */
export async function listEntries(session: Session, request: Asked<ListRequest>): Promise<ListOutcome> {
  const { depth = 1, limit = 1000, all = false } = request;
  const whole = Number.isSafeInteger(depth) && Number.isSafeInteger(limit);
  if (!whole || depth < 1 || limit < 1) {
    return refuseIn("invalid_arguments", "{depth} and {limit} are whole numbers of at least 1.");
  }
  return inside(session, request.path, async (target, name) => {
    const { ports, limits } = session;
    const budget = new TimeBudget(ports, limits.searchMs);
    const behind = namesBelow(name, request.after);
    if (isRefusal(behind)) return behind;
    const listing = await listFolder(ports.disk, target, name, { depth, limit, all, behind, budget });
    if (isRefusal(listing) && listing.code === "file_missing" && request.orEmpty === true)
      return { kind: "listed", path: name, entries: [], more: false };
    if (isRefusal(listing)) return listing;
    const { entries, more: because, reached: after, closed, ignored } = listing;
    const cut = because === undefined ? { more: false } : { more: true, because, ...defined({ after }) };
    return {
      kind: "listed",
      path: name,
      entries,
      ...cut,
      ...(closed.length === 0 ? {} : { closedFolders: closed.length, closed }),
      ...(ignored === 0 ? {} : { ignored }),
    };
  });
}

/**
 * A folder's entries, as `walkTree` comes by them.
 *
 * @param name how the caller names the folder; the entries' paths begin with it.
 */
export async function listFolder(
  disk: Disk,
  target: Target,
  name: string,
  options: ListOptions,
): Promise<Listing | Refusal> {
  const flaw = await notAFolder(target, name);
  if (flaw !== undefined) return flaw;
  const entries: ListedEntry[] = [];
  let more = false;
  // Nobody asks for the sizes of what is not shown.
  const walking = { ...options, sizes: () => options.limit - entries.length };
  const walked = await walkTree(disk, target, name, walking, async ({ path, entry, folder }) => {
    more = entries.length >= options.limit;
    const sized = more ? undefined : await withSize(folder, entry);
    if (sized !== undefined) entries.push(listedEntry(path, sized));
    return !more;
  });
  if (isRefusal(walked)) return walked;
  const why = more ? "limit" : walked.more;
  const { closed, ignored, reached } = walked;
  return { kind: "listing", entries, closed, ignored, ...defined({ more: why, reached }) };
}

/** The names below a folder of what a call goes on behind; none where it begins with the first. */
export function namesBelow(folder: string, after = ""): readonly string[] | Refusal {
  const isBelow = folder === "." ? !after.startsWith("/") : after.startsWith(`${folder}/`);
  if (after !== "" && !isBelow)
    return refuse(
      "invalid_arguments",
      `after is the last path of the answer before, which begins with ${escapeForDisplay(folder)} here.`,
    );
  const below = folder === "." ? after : after.slice(folder.length);
  return below.split("/").filter((name) => name !== "" && name !== ".");
}

/**
 * An entry with its size, where it was not looked at yet; undefined where the file is gone since it was listed. It stands
 * there without a size where that cannot be seen.
 */
export async function withSize(folder: Target, entry: DirectoryEntry): Promise<DirectoryEntry | undefined> {
  if (entry.kind !== "file" || entry.sizeBytes !== undefined || !entry.openable) return entry;
  const child = await folder.child(entry.name);
  if (isRefusal(child)) return child.code === "file_missing" ? undefined : entry;
  try {
    const look = await child.look();
    if (isRefusal(look)) return look.code === "file_missing" ? undefined : entry;
    if (look.kind === "missing") return undefined;
    return look.kind === "file" ? { ...entry, sizeBytes: look.size } : entry;
  } finally {
    await child.close();
  }
}

/** The refusal of what is no folder that can be walked. */
export async function notAFolder(target: Target, name: string): Promise<Refusal | undefined> {
  const entry = await target.look();
  if (isRefusal(entry)) return entry;
  if (entry.kind === "missing")
    return refuse("file_missing", `There is no folder ${escapeForDisplay(name)}.`);
  if (entry.kind !== "directory")
    return refuse("not_a_file", `${escapeForDisplay(name)} is not a folder; read it instead.`);
  return undefined;
}

/**
 * An entry of a folder as an outcome shows it.
 *
 * @param path the path by which the caller can open it.
 */
export function listedEntry(path: string, entry: DirectoryEntry): ListedEntry {
  return {
    path,
    isDirectory: entry.kind === "directory",
    openable: entry.openable && !isRefusal(tidyPath(entry.name)),
    ...(entry.sizeBytes === undefined || entry.kind !== "file" ? {} : { sizeBytes: entry.sizeBytes }),
    ...defined({ leadsTo: entry.leadsTo }),
    ...(entry.kind === "link" || entry.kind === "other" ? { special: entry.kind } : {}),
  };
}
