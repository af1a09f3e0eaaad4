import { defined } from "../../text/index.js";
import { excludedByOwner } from "../ignore/ignore-rules.js";
import { emptySha256 } from "../values/base.js";
import type { Target } from "../values/disk.js";
import type { HistoryEntry } from "../values/operation.js";
import type { FileStatus } from "../values/outcomes.js";
import { isSecret, tidyPath } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { cancelled, enterNamed, ownWrites } from "./call.js";
import {
  findState,
  isKept,
  isSecretState,
  isStateKept,
  linkText,
  readCurrent,
  refuseProtected,
} from "./kept-states.js";
import type { Session } from "./session.js";

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

/** A link that came in the place of a file is no file to be deleted; other states than its own are of what it leads to. */
async function reach(
  session: Session,
  path: string,
  wanted: string | null | undefined,
): Promise<Target | Refusal> {
  if (wanted === undefined) return enterNamed(session, path);
  const own = await ownWrites(session, path);
  const links = (own ?? []).filter(({ isLink }) => isLink === true);
  const isOwn = wanted === null ? own?.at(-1)?.isLink === true : isStateOf(links, wanted);
  if (wanted === null && own !== undefined && !isOwn) return refuse("not_a_file", linkInPlace);
  return session.ports.disk.enter(path, "allow", isOwn ? "entry" : undefined);
}

function isStateOf(history: readonly HistoryEntry[], wanted: string): boolean {
  return history.some(({ before, after }) => before === wanted || after === wanted);
}

const linkInPlace = "A symbolic link stands there now, which is no file of this conversation: it stays.";

/** The same under the file's lock: whoever gets it stands on settled ground. `busy` where it is not to be had. */
export async function recoveredState(session: Session, path: string): Promise<FileStatus> {
  const tidy = tidyPath(path);
  const target = isRefusal(tidy) ? tidy : await enterNamed(session, tidy.path);
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
const linkLeadsElsewhere =
  "The name was a symbolic link then, and the link would not lead to that state now: the link comes back by an undo.";

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
  const history = await session.ports.history.entries(realPath);
  const link = sha256 === null ? await linkBehind(session, target, history, wanted) : undefined;
  if (typeof link === "object") return { path, realPath, sha256, barred: link };
  const meant = link ?? wanted;
  const wasLink = history.some((entry) => entry.isLink === true && meant === (entry.before ?? entry.after));
  const isTaken = wasLink && current.kind === "file" && current.isLink !== true;
  const barred = isTaken ? refuse("not_a_file", linkBefore) : await bar(session, target, tidied);
  const wantedKept = typeof meant === "string" ? await isWantedKept(session, target, meant) : undefined;
  return { path, realPath, sha256, ...defined({ barred, wantedKept, link }) };
}

/** The link through which a state was seen, by its own state: our writes moved it or took it away since. */
async function linkBehind(
  session: Session,
  place: Target,
  history: readonly HistoryEntry[],
  wanted: string | null | undefined,
): Promise<string | undefined | Refusal> {
  const last = history.findLast(({ isLink }) => isLink === true);
  const link = last?.before ?? last?.after;
  if (typeof wanted !== "string" || typeof link !== "string" || isStateOf(history, wanted)) return undefined;
  const text = linkText((await findState(session, place, link))?.bytes ?? new Uint8Array());
  const folder = place.realPath.slice(0, place.realPath.lastIndexOf("/") + 1);
  const target = await session.ports.disk.enter(text.startsWith("/") ? text : folder + text, "refuse");
  if (isRefusal(target)) return refuse("not_a_file", linkLeadsElsewhere);
  try {
    const file = await readCurrent(target, session, session.limits.changeBytes);
    const isThere = file.kind === "file" && file.sha256 === wanted;
    return isThere ? link : refuse("not_a_file", linkLeadsElsewhere);
  } finally {
    await target.close();
  }
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
