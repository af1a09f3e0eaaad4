import { cancelled } from "./call.js";
import { readCurrent } from "./current.js";
import { excludedByOwner } from "./ignore-rules.js";
import type { FileStanding } from "./outcomes.js";
import { isSecret, tidyPath } from "./path-policy.js";
import type { Place } from "./ports.js";
import { refuseProtected } from "./protection.js";
import { isRefusal, type Refusal, refuse } from "./refusal.js";
import type { Session } from "./session.js";

/** In what state a file is and whether it could be brought into another; nothing of it is shown or kept. */
export async function fileState(session: Session, path: string): Promise<FileStanding> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return { path, barred: tidy };
  const place = await session.ports.disk.enter(tidy.path, "allow");
  if (isRefusal(place)) return { path, barred: place };
  try {
    const standing = await session.mutex.run(
      [place.realPath],
      () => standingAt(session, place, path, tidy.path),
      { shared: true },
    );
    return standing ?? { path, realPath: place.realPath, barred: cancelled };
  } finally {
    await place.close();
  }
}

/** The same under the file's lock: whoever gets it stands on settled ground. `busy` where it is not to be had. */
export async function settledState(session: Session, path: string): Promise<FileStanding> {
  const tidy = tidyPath(path);
  const place = isRefusal(tidy) ? tidy : await session.ports.disk.enter(tidy.path, "allow");
  if (isRefusal(place)) return { path, barred: place };
  await place.close();
  const lock =
    (await session.mutex.run([place.realPath], () =>
      session.ports.locks.acquire(place.realPath, session.limits.lockMs),
    )) ?? cancelled;
  if (isRefusal(lock)) return { path, realPath: place.realPath, barred: lock };
  await lock.release();
  return fileState(session, path);
}

async function standingAt(
  session: Session,
  place: Place,
  path: string,
  tidied: string,
): Promise<FileStanding> {
  const { realPath } = place;
  const excluded = await excludedByOwner(session.ports.disk, place);
  if (excluded !== undefined) return { path, realPath, barred: excluded };
  const current = await readCurrent(place, session, session.limits.changeBytes);
  if (isRefusal(current)) return { path, realPath, barred: current };
  const sha256 = current.kind === "file" ? current.sha256 : null;
  const barred = await bar(session, place, tidied);
  return { path, realPath, sha256, ...(barred === undefined ? {} : { barred }) };
}

async function bar(session: Session, place: Place, tidied: string): Promise<Refusal | undefined> {
  if (session.readOnly) return refuse("read_only", "This workspace is read-only.");
  if (isSecret(place.relativePath)) return refuse("bytes_gone", secret);
  return refuseProtected(session, place, tidied);
}

const secret = "The file looks like a secret: no state of it is ever kept, so none can be brought back.";
