import type { HistoryEntry } from "../values/operation.js";
import type { CallerWrite, RecordedWrite } from "../values/outcomes.js";
import { tidyPath } from "../values/path-policy.js";
import { isRefusal } from "../values/refusal.js";
import { enterNamed } from "./call.js";
import type { Session } from "./session.js";

/** The writes that a conversation made to files below the roots: of each file in their order, files by name. */
export async function callerWrites(session: Session, conversation: string): Promise<readonly CallerWrite[]> {
  const { history, disk } = session.ports;
  const listed = (await history.ofConversation?.(conversation)) ?? [];
  const inside = listed.filter((realPath) => disk.realRoots.some((root) => isBelow(root, realPath)));
  const writes: CallerWrite[] = [];
  for (const realPath of inside.toSorted()) {
    for (const entry of await history.entries(realPath)) {
      const { caller } = entry;
      if (caller?.conversation !== conversation || entry.displaced === true) continue;
      writes.push({ ...recorded(entry), caller, path: await nameOf(session, caller.path, realPath) });
    }
  }
  return writes;
}

/** The newest recorded write to a file; undefined where there is none, or no way to the file. */
export async function lastWrite(session: Session, path: string): Promise<RecordedWrite | undefined> {
  const realPath = await realPathOf(session, path);
  if (realPath === undefined) return undefined;
  const entries = await session.ports.history.entries(realPath);
  const last = entries.findLast(({ displaced }) => displaced !== true);
  return last === undefined ? undefined : recorded(last);
}

function recorded({ session, tool, time, before, after, caller }: HistoryEntry): RecordedWrite {
  return { session, tool, time, before, after, ...(caller === undefined ? {} : { caller }) };
}

/** A workspace with other roots may have made the write: its relative name can mean another file here. */
async function nameOf(session: Session, path: string, realPath: string): Promise<string> {
  return (await realPathOf(session, path)) === realPath ? path : realPath;
}

async function realPathOf(session: Session, path: string): Promise<string | undefined> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return undefined;
  const target = await enterNamed(session, tidy.path);
  if (isRefusal(target)) return undefined;
  await target.close();
  return target.realPath;
}

function isBelow(root: string, realPath: string): boolean {
  return realPath === root || realPath.startsWith(root.endsWith("/") ? root : `${root}/`);
}
