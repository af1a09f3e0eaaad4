import { cancelled } from "./call.js";
import { readCurrent } from "./current.js";
import { excludedByOwner } from "./ignore-rules.js";
import type { FileStatus } from "./outcomes.js";
import { isSecret, tidyPath } from "./path-policy.js";
import type { Target } from "./ports.js";
import { refuseProtected } from "./protection.js";
import { isRefusal, type Refusal, refuse } from "./refusal.js";
import type { Session } from "./session.js";

/** In what state a file is and whether it could be brought into another; nothing of it is shown or kept. */
export async function fileState(session: Session, path: string): Promise<FileStatus> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return { path, barred: tidy };
  const target = await session.ports.disk.enter(tidy.path, "allow");
  if (isRefusal(target)) return { path, barred: target };
  try {
    const status = await session.mutex.run(
      [target.realPath],
      () => statusAt(session, target, path, tidy.path),
      { shared: true },
    );
    return status ?? { path, realPath: target.realPath, barred: cancelled };
  } finally {
    await target.close();
  }
}

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

async function statusAt(session: Session, target: Target, path: string, tidied: string): Promise<FileStatus> {
  const { realPath } = target;
  const excluded = await excludedByOwner(session.ports.disk, target);
  if (excluded !== undefined) return { path, realPath, barred: excluded };
  const current = await readCurrent(target, session, session.limits.changeBytes);
  if (isRefusal(current)) return { path, realPath, barred: current };
  const sha256 = current.kind === "file" ? current.sha256 : null;
  const barred = await bar(session, target, tidied);
  return { path, realPath, sha256, ...(barred === undefined ? {} : { barred }) };
}

async function bar(session: Session, target: Target, tidied: string): Promise<Refusal | undefined> {
  if (session.readOnly) return refuse("read_only", "This workspace is read-only.");
  if (isSecret(target.relativePath)) return refuse("bytes_gone", secret);
  return refuseProtected(session, target, tidied);
}

const secret = "The file looks like a secret: no state of it is ever kept, so none can be brought back.";
