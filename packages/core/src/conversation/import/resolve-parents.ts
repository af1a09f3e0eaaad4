import type { ForeignEntry } from "./foreign-entry.js";
import type { ImportProblem } from "./lines.js";

/** Entries whose parents are known. */
export interface ResolvedEntries {
  /** Parents before their children, else as in the file; every parent is there, and there are no circles. */
  readonly entries: readonly ForeignEntry[];
  readonly problems: readonly ImportProblem[];
}

/** Makes a tree of the entries: ids are made unique, lost parents and circles end at the root. */
export function resolveParents(entries: readonly ForeignEntry[]): ResolvedEntries {
  const problems: ImportProblem[] = [];
  const byId = new Map<string, ForeignEntry>();
  for (const entry of entries) {
    const { sourceId, line } = entry;
    const first = byId.get(sourceId);
    if (first === undefined) byId.set(sourceId, entry);
    else {
      const own = freeId(`${sourceId}#${line}`, byId);
      byId.set(own, { ...entry, sourceId: own });
      const message = `Line ${line} has the id ${sourceId} of line ${first.line}; it was kept as ${own}.`;
      problems.push({ line, what: "duplicate_id", message });
    }
  }
  for (const entry of byId.values()) {
    const { sourceId, parentSourceId, line } = entry;
    if (parentSourceId === null || byId.has(parentSourceId)) continue;
    byId.set(sourceId, { ...entry, parentSourceId: null });
    const message = `Line ${line} hangs on ${parentSourceId}, which is not in the file; it was put at the root.`;
    problems.push({ line, what: "missing_parent", message });
  }
  return { entries: ordered(byId, problems), problems };
}

/** In files made by hand a later id may look like one of these. */
function freeId(id: string, taken: ReadonlyMap<string, unknown>): string {
  let free = id;
  while (taken.has(free)) free += "#";
  return free;
}

function ordered(byId: Map<string, ForeignEntry>, problems: ImportProblem[]): readonly ForeignEntry[] {
  const done = new Set<string>();
  const order: ForeignEntry[] = [];
  for (const { sourceId } of [...byId.values()]) {
    let above = climb(byId, done, sourceId);
    while (above.circle !== undefined) {
      byId.set(above.circle.sourceId, { ...above.circle, parentSourceId: null });
      problems.push(circle(above.circle));
      above = climb(byId, done, sourceId);
    }
    for (const next of above.entries.toReversed()) {
      done.add(next.sourceId);
      order.push(next);
    }
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

function circle({ line, sourceId }: ForeignEntry): ImportProblem {
  const message = `Line ${line} (${sourceId}) stands below itself; the circle was opened here, at the root.`;
  return { line, what: "cycle", message };
}
