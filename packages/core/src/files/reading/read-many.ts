import { defined, escapeForDisplay } from "../../text/index.js";
import type { Session } from "../access/session.js";
import type {
  ListedEntry,
  ListOutcome,
  ReadManyOutcome,
  ReadOutcome,
  ReadRefusal,
} from "../values/outcomes.js";
import { isSecret } from "../values/path-policy.js";
import { isRefusal } from "../values/refusal.js";
import type { Asked, ListRequest, ReadManyRequest, ReadRequest } from "../values/requests.js";
import { compileGlob, type Glob } from "./glob.js";

/**
 * Reads the named paths, then what the globs match in the order of their names, each path once, until the
 * total cap is reached; what it left out from there on is named with its size. What may hold secrets is read only by its name. A glob
 * that could not be followed to the end is told like a file that could not be read.
 */
export async function readMany(
  workspace: Reader,
  session: Session,
  request: Asked<ReadManyRequest>,
): Promise<ReadManyOutcome> {
  const found = await matching(workspace, session, request);
  const named = new Set([...(request.paths ?? []), ...(request.globs ?? [])]);
  const paths = behind(request.after, [...new Set([...(request.paths ?? []), ...found.paths])], found.paths);
  const files: ReadOutcome[] = [...found.refusals];
  const leftOut: { path: string; sizeBytes: number }[] = [];
  let [total, secretCount, done] = [0, 0, 0];
  let after: string | undefined;
  for (const path of paths) {
    if (leftOut.length >= maxNamed) break;
    done += 1;
    const { size, realPath } = await lookAt(session, path);
    // Who gives a pattern does not mean what must not be shown; who names the file does.
    if (isSecret(realPath) && !named.has(path)) {
      secretCount += 1;
      continue;
    }
    const isFull = files.length >= maxFiles || (total > 0 && total + size > session.limits.manyReadBytes);
    if (isFull || leftOut.length > 0) {
      leftOut.push({ path, sizeBytes: size });
      continue;
    }
    const outcome = await workspace.read({ path, ...encodingOf(request) });
    if (outcome.kind === "read") total += size;
    files.push(outcome);
    after = path;
  }
  const leftOutCount = leftOut.length + paths.length - done;
  const secrets = secretCount === 0 ? {} : { secretCount };
  const cut = leftOutCount === 0 ? {} : defined({ after });
  return { kind: "read_many", files, leftOut, leftOutCount, ...secrets, ...cut };
}

/** The paths behind this one; where it is gone, those of the globs that sort behind it. */
function behind(after: string | undefined, all: readonly string[], found: readonly string[]) {
  if (after === undefined) return all;
  const at = all.indexOf(after);
  return at < 0 ? found.filter((path) => path > after) : all.slice(at + 1);
}

/** The part of a workspace that this needs. */
interface Reader {
  read(request: Asked<ReadRequest>): Promise<ReadOutcome>;
  list(request: Asked<ListRequest>): Promise<ListOutcome>;
}

/** How many files one answer holds and names besides, and how deep and far a glob looks. */
const maxFiles = 500;
const maxNamed = 100;
const globDepth = 64;
const globEntries = 100_000;
/** How many closed folders a refusal names. */
const namedFolders = 10;

interface MatchedPaths {
  readonly paths: readonly string[];
  readonly refusals: readonly ReadRefusal[];
}

async function matching(
  workspace: Reader,
  { ports }: Session,
  request: Asked<ReadManyRequest>,
): Promise<MatchedPaths> {
  const patterns = [...(request.globs ?? []), ...(request.exclude ?? [])];
  const notNow = patterns.length === 0 ? undefined : await ports.load?.("globs");
  if (notNow !== undefined)
    return { paths: [], refusals: patterns.slice(0, 1).map((path) => ({ ...notNow, path })) };
  const excluded = await Promise.all((request.exclude ?? []).map(compileGlob));
  const refusals: ReadRefusal[] = [];
  for (const [at, glob] of excluded.entries()) {
    if (isRefusal(glob)) refusals.push({ ...glob, path: request.exclude?.[at] ?? "" });
  }
  if (refusals.length > 0) return { paths: [], refusals };
  const keeps = excluded.filter((glob) => glob.kind === "glob");
  const paths = new Set<string>();
  for (const pattern of request.globs ?? []) {
    const found = await follow(workspace, pattern, request.all === true);
    refusals.push(...found.refusals);
    for (const path of found.paths) if (!keeps.some((glob) => glob.matches(path))) paths.add(path);
  }
  return { paths: [...paths].sort(), refusals };
}

/** Whether what lies in a folder was not listed, since it is too deep. */
function isAtEnd(start: string, { path }: ListedEntry): boolean {
  const levelsOf = (name: string) =>
    name === "." ? 0 : name.split("/").filter((part) => part !== "").length;
  return levelsOf(path) - levelsOf(start) >= globDepth;
}

async function follow(workspace: Reader, pattern: string, all: boolean): Promise<MatchedPaths> {
  const glob = await compileGlob(pattern);
  if (isRefusal(glob)) return { paths: [], refusals: [{ ...glob, path: pattern.slice(0, 100) }] };
  const start = pattern.startsWith("/") ? `/${glob.folder}` : glob.folder === "" ? "." : glob.folder;
  const listing = await workspace.list({ path: start, depth: globDepth, limit: globEntries, all });
  if (listing.kind === "refusal") return { paths: [], refusals: [{ ...listing, path: pattern }] };
  const paths = listing.entries
    .filter((entry) => !entry.isDirectory && entry.openable && entry.special !== "other")
    .map((entry) => entry.path)
    .filter((path) => matchesFrom(glob, path));
  const isCut = listing.more || listing.entries.some((entry) => entry.isDirectory && isAtEnd(start, entry));
  const closed = (listing.closed ?? []).filter((folder) => mayMatchIn(pattern, folder));
  const refusals = [
    ...(isCut ? [cutShort(pattern)] : []),
    ...(closed.length === 0 ? [] : [closedTo(pattern, closed)]),
  ];
  return { paths, refusals };
}

/** Whether a path below this folder could have a match: a pattern has no more levels than slashes, but with `**`. */
function mayMatchIn(pattern: string, folder: string): boolean {
  const slashesOf = (text: string) => text.split("/").length - 1;
  return pattern.includes("**") || slashesOf(pattern) > slashesOf(folder);
}

function closedTo(pattern: string, closed: readonly string[]): ReadRefusal {
  const named = closed.slice(0, namedFolders).map(escapeForDisplay).join(", ");
  const rest = closed.length > namedFolders ? ` and ${closed.length - namedFolders} more` : "";
  return {
    kind: "refusal",
    code: "permission_denied",
    message: `Folders below that of this glob cannot be entered, so that files in them are missing: ${named}${rest}.`,
    path: pattern,
  };
}

/** Entries of an absolute folder are absolute; a pattern's own leading slash was taken off. */
function matchesFrom(glob: Glob, path: string): boolean {
  return glob.matches(path.replace(/^\//, ""));
}

function cutShort(pattern: string): ReadRefusal {
  return {
    kind: "refusal",
    code: "too_large",
    message: `More than ${globEntries} entries, or ${globDepth} levels of folders, lie below the folder of this glob, so that it was not followed to the end: begin it with a deeper folder.`,
    path: pattern,
  };
}

function encodingOf({ encoding }: Asked<ReadManyRequest>): { encoding?: string } {
  return encoding === undefined ? {} : { encoding };
}

/** The size on disk and the true name, of what can be looked at: the read itself says why where it cannot. */
async function lookAt({ ports }: Session, path: string): Promise<{ size: number; realPath: string }> {
  const place = await ports.disk.enter(path, "allow");
  if (isRefusal(place)) return { size: 0, realPath: path };
  try {
    const entry = await place.look();
    return { size: entry.kind === "file" ? entry.size : 0, realPath: place.realPath };
  } finally {
    await place.close();
  }
}
