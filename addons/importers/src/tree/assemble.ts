import type { ImportedSession, ImportOptions, ImportProblem } from "@holdfast/core/conversation/import";
import type { Advancing } from "@holdfast/core/text";
import type { ForeignSession } from "./foreign-session.js";
import { OwnResults } from "./own-results.js";
import { resolveParents } from "./resolve-parents.js";
import { TreeBuilder } from "./tree-builder.js";

/**
 * Makes a tree of the entries. A call without a result is as it would be here: interrupted. A result without a
 * call is kept and hidden from models.
 */
export function* assemble(foreign: ForeignSession, options: ImportOptions): Advancing<ImportedSession> {
  const of = foreign.entries.length;
  const resolved = yield* resolveParents(foreign.entries);
  const own = new OwnResults(resolved.entries, foreign.format, options.digest);
  const tree = new TreeBuilder(foreign, options);
  for (const [at, entry] of resolved.entries.entries()) {
    tree.add(own.inEntry(entry));
    if (at % stepEntries === stepEntries - 1) yield { done: at + 1, of };
  }
  tree.finish(foreign.leafLine);
  const problems = [...foreign.problems, ...resolved.problems, ...tree.problems];
  return {
    kind: "imported",
    format: foreign.format,
    sessionId: tree.sessionId,
    title: foreign.title,
    events: tree.events,
    nodes: tree.nodes,
    folded: foreign.folded ?? [],
    problems: problems.toSorted(byPosition),
  };
}

function byPosition(a: ImportProblem, b: ImportProblem): number {
  const [one, other] = [a.file ?? "", b.file ?? ""];
  if (one !== other) return one < other ? -1 : 1;
  return a.line - b.line;
}

/** Put into the tree in some milliseconds. */
const stepEntries = 256;
