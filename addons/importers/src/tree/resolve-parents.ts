import { type ImportProblem, whereOf } from "@holdfast/core/conversation/import";
import { type Advancing, defined } from "@holdfast/core/text";
import type { ForeignEntry } from "./foreign-entry.js";

/** Entries whose parents are known. */
interface ResolvedEntries {
  /** Parents before their children, else as in the file; every parent is there, and there are no circles. */
  readonly entries: readonly ForeignEntry[];
  readonly problems: readonly ImportProblem[];
}

/**
 * Makes a tree of the entries, in steps: ids are made unique; what has lost its parent hangs on the entry before
 * it in the file; a circle is opened at the root.
 */
export function* resolveParents(entries: readonly ForeignEntry[]): Advancing<ResolvedEntries> {
  const problems: ImportProblem[] = [];
  const byId = yield* withOwnIds(entries, problems);
  let before: ForeignEntry | undefined;
  let count = 0;
  for (const entry of byId.values()) {
    const { sourceId, parentSourceId } = entry;
    if (parentSourceId !== null && !byId.has(parentSourceId)) {
      byId.set(sourceId, { ...entry, parentSourceId: before?.sourceId ?? null });
      const place = before === undefined ? "at the root" : `below ${before.sourceId}, which is before it`;
      const said = `hangs on ${parentSourceId}, which is not in the file; it was put ${place}`;
      problems.push(problem(entry, "missing_parent", said));
    }
    before = entry;
    count += 1;
    if (count % stepEntries === 0) yield { done: 0, of: byId.size };
  }
  return { entries: yield* ordered(byId, problems), problems };
}

function* withOwnIds(
  entries: readonly ForeignEntry[],
  problems: ImportProblem[],
): Advancing<Map<string, ForeignEntry>> {
  const byId = new Map<string, ForeignEntry>();
  for (const [at, entry] of entries.entries()) {
    if (at % stepEntries === stepEntries - 1) yield { done: 0, of: entries.length };
    const { sourceId, line } = entry;
    const first = byId.get(sourceId);
    if (first === undefined) byId.set(sourceId, entry);
    else {
      const own = freeId(`${sourceId}#${line}`, byId);
      byId.set(own, { ...entry, sourceId: own });
      const said = `has the id ${sourceId} of line ${first.line}; it was kept as ${own}`;
      problems.push(problem(entry, "duplicate_id", said));
    }
  }
  return byId;
}

/** In files made by hand a later id may look like one of these. */
function freeId(id: string, taken: ReadonlyMap<string, unknown>): string {
  let free = id;
  while (taken.has(free)) free += "#";
  return free;
}

function* ordered(
  byId: Map<string, ForeignEntry>,
  problems: ImportProblem[],
): Advancing<readonly ForeignEntry[]> {
  const done = new Set<string>();
  const order: ForeignEntry[] = [];
  let work = 0;
  for (const sourceId of [...byId.keys()]) {
    let above = climb(byId, done, sourceId);
    while (above.circle !== undefined) {
      byId.set(above.circle.sourceId, { ...above.circle, parentSourceId: null });
      const said = "stands below itself; the circle was opened here, at the root";
      problems.push(problem(above.circle, "cycle", said));
      above = climb(byId, done, sourceId);
    }
    for (const next of above.entries.toReversed()) {
      done.add(next.sourceId);
      order.push(next);
    }
    work += 1 + above.entries.length;
    if (work < stepEntries) continue;
    work = 0;
    yield { done: 0, of: byId.size };
  }
  return order;
}

/** The entry and all above it that are not done yet, upwards; or where the way up runs in a circle. */
function climb(byId: ReadonlyMap<string, ForeignEntry>, done: ReadonlySet<string>, from: string) {
  const entries: ForeignEntry[] = [];
  const at = new Map<string, number>();
  let entry = byId.get(from);
  while (entry !== undefined && !done.has(entry.sourceId)) {
    const seen = at.get(entry.sourceId);
    if (seen !== undefined) {
      const circle = entries.slice(seen).reduce((first, next) => (next.line < first.line ? next : first));
      return { entries, circle };
    }
    at.set(entry.sourceId, entries.length);
    entries.push(entry);
    entry = entry.parentSourceId === null ? undefined : byId.get(entry.parentSourceId);
  }
  return { entries, circle: undefined };
}

function problem(entry: ForeignEntry, what: ImportProblem["what"], said: string): ImportProblem {
  const { line, file } = entry;
  return { line, what, message: `${whereOf(entry)} ${said}.`, ...defined({ file }) };
}

/** Looked at in some milliseconds. */
const stepEntries = 2048;
