import type { Draft } from "./draft.js";
import type { ImportProblem } from "./lines.js";

/** Drafts whose parents are known. */
export interface Settled {
  /** Parents before their children, else as in the file; every parent is there, and there are no circles. */
  readonly drafts: readonly Draft[];
  readonly problems: readonly ImportProblem[];
}

/** Makes a tree of entries as they came: ids are made unique, lost parents and circles end at the root. */
export function settle(drafts: readonly Draft[]): Settled {
  const problems: ImportProblem[] = [];
  const byId = new Map<string, Draft>();
  for (const draft of drafts) {
    const { sourceId, line } = draft;
    const first = byId.get(sourceId);
    if (first === undefined) byId.set(sourceId, draft);
    else {
      const own = freeId(`${sourceId}#${line}`, byId);
      byId.set(own, { ...draft, sourceId: own });
      const message = `Line ${line} has the id ${sourceId} of line ${first.line}; it was kept as ${own}.`;
      problems.push({ line, what: "duplicate_id", message });
    }
  }
  for (const draft of byId.values()) {
    const { sourceId, parentSourceId, line } = draft;
    if (parentSourceId === null || byId.has(parentSourceId)) continue;
    byId.set(sourceId, { ...draft, parentSourceId: null });
    const message = `Line ${line} hangs on ${parentSourceId}, which is not in the file; it was put at the root.`;
    problems.push({ line, what: "missing_parent", message });
  }
  return { drafts: ordered(byId, problems), problems };
}

/** In files made by hand a later id may look like one of these. */
function freeId(id: string, taken: ReadonlyMap<string, unknown>): string {
  let free = id;
  while (taken.has(free)) free += "#";
  return free;
}

function ordered(byId: Map<string, Draft>, problems: ImportProblem[]): readonly Draft[] {
  const done = new Set<string>();
  const order: Draft[] = [];
  for (const { sourceId } of [...byId.values()]) {
    let above = climb(byId, done, sourceId);
    while (above.circle !== undefined) {
      byId.set(above.circle.sourceId, { ...above.circle, parentSourceId: null });
      problems.push(circle(above.circle));
      above = climb(byId, done, sourceId);
    }
    for (const next of above.drafts.toReversed()) {
      done.add(next.sourceId);
      order.push(next);
    }
  }
  return order;
}

/** The entry and all above it that are not done yet, upwards; or where the way up runs in a circle. */
function climb(byId: ReadonlyMap<string, Draft>, done: ReadonlySet<string>, from: string) {
  const drafts: Draft[] = [];
  const at = new Map<string, number>();
  let draft = byId.get(from);
  while (draft !== undefined && !done.has(draft.sourceId)) {
    const seen = at.get(draft.sourceId);
    if (seen !== undefined) {
      const circle = drafts.slice(seen).reduce((first, next) => (next.line < first.line ? next : first));
      return { drafts, circle };
    }
    at.set(draft.sourceId, drafts.length);
    drafts.push(draft);
    draft = draft.parentSourceId === null ? undefined : byId.get(draft.parentSourceId);
  }
  return { drafts, circle: undefined };
}

function circle({ line, sourceId }: Draft): ImportProblem {
  const message = `Line ${line} (${sourceId}) stands below itself; the circle was opened here, at the root.`;
  return { line, what: "cycle", message };
}
