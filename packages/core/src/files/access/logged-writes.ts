import type { Target } from "../values/disk.js";
import type { LoggedWrite } from "../values/outcomes.js";
import type { HistoryEntry } from "../values/stores.js";
import { readCurrent } from "./current.js";
import { isStateKept, readsOf } from "./kept-states.js";
import type { Session } from "./session.js";

/** The recorded writes of a file and the other states that were read, newest first, with what can be said of each now. */
export async function loggedWrites(session: Session, target: Target): Promise<readonly LoggedWrite[]> {
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
  const entries = [...written, ...reads].toSorted((one, other) => one.time - other.time);
  const others = (await history.ofOtherFolder?.(target.realPath)) ?? [];
  const told = others.map(
    (entry) => ({ ...entry, kept: false, current: false, ofOtherFolder: true }) as const,
  );
  return [...(await Promise.all(entries.toReversed().map(withFacts))), ...told.toReversed()];
}
