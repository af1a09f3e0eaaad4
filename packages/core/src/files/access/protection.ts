import { below, deniedByHost, join, rootOf } from "../ignore/ignore-rules.js";
import type { Disk, Target } from "../values/disk.js";
import { foldName, type ProtectedPath, protectionOf } from "../values/protected-paths.js";
import { isRefusal, type Refusal, refuseIn } from "../values/refusal.js";
import type { Session } from "./session.js";

/**
 * Refuses a target that is not written in without a person's approval: as it was asked for, and as what the
 * walk arrived at. What a rule of the host denies, no approval allows.
 *
 * @param asked the tidied path of the request.
 * @returns `protected_path` with the reason.
 */
export async function refuseProtected(
  session: Session,
  target: Target,
  asked: string,
): Promise<Refusal | undefined> {
  const denied = deniedByHost(session.ports.disk, target.realPath, "writing");
  if (denied !== undefined) return denied;
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
  const named = asked.startsWith("/") ? asked : join(disk.roots[0] ?? "", asked);
  const names = [
    ...disk.realRoots.map((root) => [root, below(root, target.realPath)] as const),
    ...disk.roots.map((root) => [root, below(root, named)] as const),
  ];
  for (const [root, path] of names) {
    const row = path === undefined ? undefined : protectionOf(await inCheckout(disk, root, path));
    if (row !== undefined) return row;
  }
  return (await isInRepository(disk, target)) ? repository : undefined;
}

/** The path inside a checkout, where an agent keeps one below its configuration: a `.git` file marks it. */
async function inCheckout(disk: Disk, root: string, path: string): Promise<string> {
  const [, checkout, inside] = /^((?:.*?\/)?\.claude\/worktrees\/[^/]+)\/(.+)$/.exec(path) ?? [];
  if (checkout === undefined || inside === undefined) return path;
  return (await kindAt(disk, join(root, `${checkout}/.git`))) === "file" ? inside : path;
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
    const head = join(rootOf(target), [...parts.slice(0, at), "HEAD"].join("/"));
    if (!(await kindAt(disk, head)).endsWith("missing")) return true;
  }
  return false;
}

/** What an absolute path is, or the code of the refusal to say it: `missing` and `file_missing` where there is nothing. */
async function kindAt(disk: Disk, path: string): Promise<string> {
  const target = await disk.enter(path, "refuse");
  if (isRefusal(target)) return target.code;
  try {
    return (await target.look()).kind;
  } finally {
    await target.close();
  }
}
