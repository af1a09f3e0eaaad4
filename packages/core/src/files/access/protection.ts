import { below, join, rootOf } from "../ignore/ignore-rules.js";
import type { Disk, Target } from "../values/disk.js";
import { foldName, type ProtectedPath, protectionOf } from "../values/protected-paths.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import type { Session } from "./session.js";

/**
 * Refuses a target that is not written in without a person's approval: as it was asked for, and as what the
 * walk arrived at.
 *
 * @param asked the tidied path of the request.
 * @returns `protected_path` with the reason.
 */
export async function refuseProtected(
  session: Session,
  target: Target,
  asked: string,
): Promise<Refusal | undefined> {
  const { ownFolders, memoryFolder } = session;
  const isWithin = (folder: string) => `${target.realPath}/`.startsWith(`${folder}/`);
  if (ownFolders.some(isWithin) && !(memoryFolder !== undefined && isWithin(memoryFolder))) {
    return refuse(
      "protected_path",
      "This is the tools' own state folder: nothing is written there for anybody.",
    );
  }
  const row = await protectionAt(session.ports.disk, target, asked);
  if (row === undefined || session.allowsProtected(target.relativePath)) return undefined;
  return refuseIn(
    "protected_path",
    "Writing here needs a person's explicit approval[ ({approval})]: this is $reason. Reading is allowed.",
    { reason: row.reason },
  );
}

/**
 * What protects a target: a row of the table, for its name in any root that holds it, or a repository around it.
 *
 * @param asked the tidied path by which it was reached.
 */
export async function protectionAt(
  disk: Disk,
  target: Target,
  asked: string,
): Promise<Pick<ProtectedPath, "reason" | "source"> | undefined> {
  const arrived = disk.realRoots.map((root) => below(root, target.realPath));
  const named = asked.startsWith("/") ? disk.roots.map((root) => below(root, asked)) : [asked];
  const row = [...arrived, ...named]
    .map((path) => (path === undefined ? undefined : protectionOf(path)))
    .find((found) => found !== undefined);
  return row ?? ((await isInRepository(disk, target)) ? repository : undefined);
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
 * Whether git would take a folder above the target for a repository, or will do so by this very file. It asks for
 * `HEAD` in each: so a new `HEAD` is always refused, and beside one that is there all that git runs by.
 */
async function isInRepository(disk: Disk, target: Target): Promise<boolean> {
  const parts = target.relativePath.split("/");
  if (foldName(parts.at(-1) ?? "") === "head") return true;
  for (const [at, part] of parts.entries()) {
    if (!telling.has(foldName(part))) continue;
    if (await isThere(disk, join(rootOf(target), [...parts.slice(0, at), "HEAD"].join("/")))) return true;
  }
  return false;
}

/** @param path absolute. Whatever cannot be looked at is there. */
async function isThere(disk: Disk, path: string): Promise<boolean> {
  const target = await disk.enter(path, "refuse");
  if (isRefusal(target)) return target.code !== "file_missing";
  try {
    const entry = await target.look();
    return entry.kind !== "missing";
  } finally {
    await target.close();
  }
}
