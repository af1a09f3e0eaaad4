import { changeOf, effectsOf, type FileNaming, type FileStateHash } from "../values/file-effects.js";
import type { FileEffect } from "../values/file-facts.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { TaskSummary, TurnPayload } from "../values/payload.js";
import { branchOf } from "./path.js";

/** How the state of one file changed along a stretch of a path, and who had a part in it. */
export interface FileTransition {
  /** The state before the first step; undefined where nobody knew it. */
  readonly first: FileStateHash | undefined;
  readonly last: FileStateHash;
  /** A tool of ours had a part in what makes the last state differ from the first. */
  readonly ours: boolean;
  /** Somebody else had a part in it. */
  readonly others: boolean;
  /** The state before the first change by a tool of ours; undefined where there is none, or nobody knew it. */
  readonly before: FileStateHash | undefined;
  /** The first node that names the file, and the last one. */
  readonly firstId: string;
  readonly lastId: string;
}

/** What the fold over a stretch of a path needs beside its nodes. */
interface TransitionOptions {
  readonly naming: FileNaming;
  /** The state of a file where the stretch begins, as far as it is known. */
  readonly before: (path: string) => FileStateHash | undefined;
  /** A restore that counts as the change that it made on the disk: because it is to be taken back. */
  readonly restoreId?: string;
  /** Whether another branch of the conversation left a file in this state: what looks like others' work is ours. */
  readonly isOurs?: (path: string, state: FileStateHash) => boolean;
}

/** The transitions of all files that the nodes name, by file; `nodes` in the order of the path. */
export function transitionsAlong(
  context: ConversationContext,
  nodes: readonly TurnNode[],
  terms: TransitionOptions,
): ReadonlyMap<string, FileTransition> {
  const transitions = new Map<string, FileTransition>();
  for (const { id, payload } of nodes) {
    for (const effect of effectsIn(context, payload, terms)) {
      const path = terms.naming(effect.path);
      const known = transitions.get(path) ?? begin(terms.before(path), effect);
      transitions.set(path, {
        ...goOn(known, effect, path, terms),
        firstId: known.firstId ?? id,
        lastId: id,
      });
    }
  }
  return transitions;
}

function effectsIn(
  context: ConversationContext,
  payload: TurnPayload,
  terms: TransitionOptions,
): readonly FileEffect[] {
  if (payload.kind === "task_summary")
    return knownMerges(terms.naming).get(payload) ?? mergedEffects(context, payload, terms.naming);
  if (payload.kind === "restore" && payload.restoreId === terms.restoreId) return payload.files.map(changeOf);
  return effectsOf(payload);
}

interface OpenTransition extends Pick<FileTransition, "first" | "ours" | "others" | "before"> {
  readonly last: FileStateHash | undefined;
  readonly firstId?: string;
}

/** A file that was only looked at was as it was found; one that a tool wrote was in a state of its own. */
function begin(known: FileStateHash | undefined, { before, after, by }: FileEffect): OpenTransition {
  const found = before === undefined && by === "seen" ? after : before;
  const first = known === undefined ? found : known;
  return { first, last: first, ours: false, others: false, before: undefined };
}

function goOn(
  transition: OpenTransition,
  { before, after, by }: FileEffect,
  path: string,
  { isOurs = () => false }: TransitionOptions,
): Omit<FileTransition, "firstId" | "lastId"> {
  const from = before === undefined ? transition.last : before;
  const changed = from !== after;
  const byTool = changed && by === "tool";
  const seenOurs = changed && by === "seen" && isOurs(path, after);
  const gap = from !== transition.last && !(from !== undefined && isOurs(path, from));
  const { first } = transition;
  // `null` is a state, too.
  const own = transition.before === undefined && byTool ? from : transition.before;
  // Back where it began: whatever was done, nothing of it is left.
  if (first === after) return { first, last: after, ours: false, others: false, before: own };
  return {
    first,
    last: after,
    ours: transition.ours || byTool || seenOurs,
    others: transition.others || gap || (changed && by === "seen" && !seenOurs),
    before: own,
  };
}

/**
 * Who changed a file of a task stands in its branch; of a branch that is not there, nobody of us. Without
 * recursion: branches may merge others deeper than any call stack.
 */
function mergedEffects(
  context: ConversationContext,
  summary: TaskSummary,
  naming: FileNaming,
): readonly FileEffect[] {
  const known = knownMerges(naming);
  const open = [summary];
  const begun = new Set<TaskSummary>();
  for (let merge = open.at(-1); merge !== undefined; merge = open.at(-1)) {
    if (begun.has(merge)) {
      open.pop();
      known.set(merge, credited(context, merge, naming));
      continue;
    }
    begun.add(merge);
    // Until it is known, also where a damaged journal has a branch that merges itself.
    known.set(merge, effectsOf(merge).map(byOthers));
    for (const { payload } of branchOf(context, merge))
      if (payload.kind === "task_summary" && !known.has(payload)) open.push(payload);
  }
  return known.get(summary) ?? [];
}

/**
 * What is known of merges, by the naming that it was found with. A branch that was merged never changes, so
 * each of them is walked once.
 */
const knownByNaming = new WeakMap<FileNaming, WeakMap<TaskSummary, readonly FileEffect[]>>();

function knownMerges(naming: FileNaming): WeakMap<TaskSummary, readonly FileEffect[]> {
  const known = knownByNaming.get(naming) ?? new WeakMap<TaskSummary, readonly FileEffect[]>();
  knownByNaming.set(naming, known);
  return known;
}

/** The changes of a merge, each ours if a tool had a part in it; inner merges have been looked at. */
function credited(
  context: ConversationContext,
  summary: TaskSummary,
  naming: FileNaming,
): readonly FileEffect[] {
  if (summary.files.length === 0) return [];
  const from = new Map(summary.files.map((file) => [naming(file.path), file.from] as const));
  const terms = { naming, before: (path: string) => from.get(path) };
  const transitions = transitionsAlong(context, branchOf(context, summary), terms);
  return effectsOf(summary).map((effect) =>
    transitions.get(naming(effect.path))?.ours === true ? effect : byOthers(effect),
  );
}

function byOthers(effect: FileEffect): FileEffect {
  return { ...effect, by: "seen" };
}
