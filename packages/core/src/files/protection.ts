import { below, join, rootOf } from "./ignore-rules.js";
import type { Disk, Place } from "./ports.js";
import { foldName, type ProtectedPath, protectionOf } from "./protected-paths.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "./refusal.js";
import type { Session } from "./session.js";

/**
 * Refuses a place that is not written in without a person's approval: as it was asked for, and as what the
 * walk arrived at.
 *
 * @param asked the tidied path of the request.
 * @returns `protected_path` with the reason.
 */
export async function refuseProtected(
  session: Session,
  place: Place,
  asked: string,
): Promise<Refusal | undefined> {
  if (session.ownFolders.some((folder) => `${place.realPath}/`.startsWith(`${folder}/`))) {
    return refuse(
      "protected_path",
      "This is the tools' own state folder: nothing is written there for anybody.",
    );
  }
  const row = await protectionAt(session.ports.disk, place, asked);
  if (row === undefined || session.allowsProtected(place.relativePath)) return undefined;
  return refuseIn(
    "protected_path",
    "Writing here needs a person's explicit approval[ ({approval})]: this is $reason. Reading is allowed.",
    { reason: row.reason },
  );
}

/**
 * What protects a place: a row of the table, for its name in any root that holds it, or a repository around it.
 *
 * @param asked the tidied path by which it was reached.
 */
export async function protectionAt(
  disk: Disk,
  place: Place,
  asked: string,
): Promise<Pick<ProtectedPath, "reason" | "source"> | undefined> {
  const arrived = disk.realRoots.map((root) => below(root, place.realPath));
  const named = asked.startsWith("/") ? disk.roots.map((root) => below(root, asked)) : [asked];
  const row = [...arrived, ...named]
    .map((path) => (path === undefined ? undefined : protectionOf(path)))
    .find((found) => found !== undefined);
  return row ?? ((await isInRepository(disk, place)) ? repository : undefined);
}

const repository = {
  reason: "the inside of a repository without a .git folder; git runs what its configuration and hooks name",
  source: "gitrepository-layout(5); git-config(1): safe.bareRepository, core.fsmonitor",
};

/** What git runs by, or looks up the rest by, in a folder that it takes for a repository. */
const telling: ReadonlySet<string> = new Set([
  "config",
  "config.worktree",
  "commondir",
  "hooks",
  "worktrees",
]);

/**
 * Whether git would take a folder above the place for a repository, or will do so by this very file. It asks for
 * `HEAD` in each: so a new `HEAD` is always refused, and beside one that is there all that git runs by.
 */
async function isInRepository(disk: Disk, place: Place): Promise<boolean> {
  const parts = place.relativePath.split("/");
  if (foldName(parts.at(-1) ?? "") === "head") return true;
  for (const [at, part] of parts.entries()) {
    if (!telling.has(foldName(part))) continue;
    if (await isThere(disk, join(rootOf(place), [...parts.slice(0, at), "HEAD"].join("/")))) return true;
  }
  return false;
}

/** @param path absolute. Whatever cannot be looked at is there. */
async function isThere(disk: Disk, path: string): Promise<boolean> {
  const place = await disk.enter(path, "refuse");
  if (isRefusal(place)) return place.code !== "file_missing";
  try {
    const entry = await place.look();
    return entry.kind !== "missing";
  } finally {
    await place.close();
  }
}
