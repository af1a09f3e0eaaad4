import { defined } from "../../text/index.js";
import { excludedByOwner } from "../ignore/ignore-rules.js";
import { emptySha256 } from "../values/base.js";
import type { Target } from "../values/disk.js";
import type { FileStatus } from "../values/outcomes.js";
import { isSecret, tidyPath } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { cancelled } from "./call.js";
import { readCurrent } from "./current.js";
import { isKept, isSecretState, isStateKept } from "./kept-states.js";
import { refuseProtected } from "./protection.js";
import type { Session } from "./session.js";
import { enterNamed } from "./visit.js";

/**
 * In what state a file is and whether it could be brought into another; nothing of it is shown or kept.
 *
 * @param wanted that other state, if it is one with content.
 */
export async function fileState(session: Session, path: string, wanted?: string | null): Promise<FileStatus> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return { path, barred: tidy };
  const target = await reach(session, tidy.path, wanted);
  if (isRefusal(target)) return { path, barred: target };
  try {
    const status = await session.mutex.run(
      [target.realPath],
      () => statusAt(session, target, { path, tidied: tidy.path, wanted }),
      { shared: true },
    );
    return status ?? { path, realPath: target.realPath, barred: cancelled };
  } finally {
    await target.close();
  }
}

/** A link that came in the place of a file is no file to be deleted. */
async function reach(
  session: Session,
  path: string,
  wanted: string | null | undefined,
): Promise<Target | Refusal> {
  const target = await enterNamed(session, path);
  if (isRefusal(target) || wanted !== null) return target;
  const entry = await session.ports.disk.enter(path, "allow", "entry");
  if (isRefusal(entry)) return target;
  await entry.close();
  if (entry.realPath === target.realPath) return target;
  await target.close();
  return refuse("not_a_file", linkInPlace);
}

const linkInPlace = "A symbolic link stands there now, which is no file of this conversation: it stays.";

/** The same under the file's lock: whoever gets it stands on settled ground. `busy` where it is not to be had. */
export async function recoveredState(session: Session, path: string): Promise<FileStatus> {
  const tidy = tidyPath(path);
  const target = isRefusal(tidy) ? tidy : await session.ports.disk.enter(tidy.path, "allow");
  if (isRefusal(target)) return { path, barred: target };
  await target.close();
  const lock =
    (await session.mutex.run([target.realPath], () =>
      session.ports.locks.acquire(target.realPath, session.limits.lockMs),
    )) ?? cancelled;
  if (isRefusal(lock)) return { path, realPath: target.realPath, barred: lock };
  await lock.release();
  return fileState(session, path);
}

/**
 * Whether a state of a file may hold secrets, or is kept away from the tools. Where that cannot be looked up, it is taken
 * for one that does.
 */
export async function mayHoldSecrets(session: Session, path: string, sha256: string): Promise<boolean> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy) || isSecret(tidy.path)) return true;
  const target = await session.ports.disk.enter(tidy.path, "allow");
  if (isRefusal(target)) return true;
  try {
    if ((await excludedByOwner(session.ports.disk, target)) !== undefined) return true;
    return await isSecretState(session, target, sha256);
  } finally {
    await target.close();
  }
}

const linkBefore =
  "A symbolic link stood there, and a file does now: the link comes back once the file is gone.";

interface AskedStatus {
  readonly path: string;
  readonly tidied: string;
  readonly wanted: string | null | undefined;
}

async function statusAt(
  session: Session,
  target: Target,
  { path, tidied, wanted }: AskedStatus,
): Promise<FileStatus> {
  const { realPath } = target;
  const excluded = await excludedByOwner(session.ports.disk, target);
  if (excluded !== undefined) return { path, realPath, barred: excluded };
  const current = await readCurrent(target, session, session.limits.changeBytes);
  if (isRefusal(current)) return { path, realPath, barred: current };
  const sha256 = current.kind === "file" ? current.sha256 : null;
  const wasLink = (await session.ports.history.entries(realPath)).some(
    ({ isLink, before, after }) => isLink === true && wanted === (before ?? after),
  );
  const isTaken = wasLink && current.kind === "file" && current.isLink !== true;
  const barred = isTaken ? refuse("not_a_file", linkBefore) : await bar(session, target, tidied);
  const wantedKept = typeof wanted === "string" ? await isWantedKept(session, target, wanted) : undefined;
  return { path, realPath, sha256, ...defined({ barred, wantedKept }) };
}

async function isWantedKept(session: Session, target: Target, wanted: string): Promise<boolean> {
  return wanted === emptySha256 || isStateKept(session, target, wanted);
}

async function bar(session: Session, target: Target, tidied: string): Promise<Refusal | undefined> {
  if (session.readOnly) return refuse("read_only", "This workspace is read-only.");
  if (!isKept(session, target)) return refuse("bytes_gone", secret);
  return refuseProtected(session, target, tidied);
}

const secret =
  "The file looks like a secret, and this session keeps no state of those: none is put in its place.";
