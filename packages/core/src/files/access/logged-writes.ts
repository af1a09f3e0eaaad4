import type { Target } from "../values/disk.js";
import type { HistoryEntry } from "../values/operation.js";
import type { LoggedWrite, LogOutcome } from "../values/outcomes.js";
import { isRefusal } from "../values/refusal.js";
import { atTurn } from "./call.js";
import { isStateKept, readCurrent, readsOf } from "./kept-states.js";
import { leadsTo } from "./path-names.js";
import type { Session } from "./session.js";

/** The writes of a name; of a link those to the name itself and those to what it leads to. */
export async function writesOf(session: Session, path: string): Promise<LogOutcome> {
  const { disk } = session.ports;
  const entry = await disk.enter(path, "allow", "entry");
  if (isRefusal(entry)) return entry;
  const isLink = (await entry.look()).kind === "link";
  const own = isLink ? await loggedWrites(session, entry) : [];
  await entry.close();
  const look = async (target: Target): Promise<LogOutcome> => {
    const written = await loggedWrites(session, target);
    if (!isLink) return { kind: "log", path, entries: written };
    const entries = [...own, ...written.map((write) => ({ ...write, isThrough: true as const }))];
    const to = leadsTo(disk, { path, realPath: target.realPath }) ?? path;
    return {
      kind: "log",
      path,
      leadsTo: to,
      entries: entries.toSorted((one, other) => other.time - one.time),
    };
  };
  const log = await atTurn(session, path, look, { missing: "allow" });
  return isRefusal(log) && own.length > 0 ? { kind: "log", path, entries: own } : log;
}

/** The recorded writes of a file and the other states that were read, newest first, with what can be said of each now. */
async function loggedWrites(session: Session, target: Target): Promise<readonly LoggedWrite[]> {
  const { history } = session.ports;
  const current = await readCurrent(target, session, session.limits.changeBytes);
  const disk = current.kind === "file" ? current.sha256 : null;
  const withFacts = async (entry: HistoryEntry): Promise<LoggedWrite> => ({
    ...entry,
    kept: entry.after !== null && (await isStateKept(session, target, entry.after)),
    current: entry.after === disk,
  });
  const written = await history.entries(target.realPath);
  const known = new Set(written.flatMap(({ before, after }) => [before, after]));
  const reads = (await history.entries(readsOf(target.realPath))).filter(({ after }) => !known.has(after));
  const latest = new Map(reads.map((entry) => [entry.after, entry]));
  const entries = [...written, ...latest.values()].toSorted((one, other) => one.time - other.time);
  const others = (await history.ofOtherFolder?.(target.realPath)) ?? [];
  const told = others.map(
    (entry) => ({ ...entry, kept: false, current: false, ofOtherFolder: true }) as const,
  );
  return [...(await Promise.all(entries.toReversed().map(withFacts))), ...told.toReversed()];
}
