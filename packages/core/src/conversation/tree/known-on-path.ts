import type { InPlaceEdit } from "../../files/seen/index.js";
import { KnownFiles, type LearnOptions, type LineSpan } from "../../files/seen/index.js";
import { defined } from "../../text/index.js";
import { isOfModel } from "../values/exchange.js";
import { effectsOf, type FileNaming } from "../values/file-effects.js";
import type { FileEffect, ShownText } from "../values/file-facts.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { TurnPayload } from "../values/payload.js";
import { formChangesOf } from "../values/payload-text.js";
import { decides } from "./checks.js";
import { callOf, upwards } from "./path.js";
import { PathFold } from "./path-fold.js";

/**
 * What the nodes on the way down to a node showed of files: a fold over their facts, inherited by forks and by
 * branches that clone the history. Under a boundary that clears or sums up the history it begins anew, since
 * no prompt sent from there shows what came before. Lines of an expanded task are not on the path.
 */
export class KnownOnPath {
  private readonly fold: PathFold<KnownFiles>;
  /** The conversation whose path is being folded. */
  private context: ConversationContext | undefined;

  /** @param naming makes one of several names of a file; see `namesFrom`. */
  constructor(private readonly naming: FileNaming) {
    this.fold = new PathFold(KnownFiles.empty, (known, node, edit) => this.after(known, node, edit));
  }

  /** Throws where there is no such node. */
  at(context: ConversationContext, nodeId: string): KnownFiles {
    this.context = context;
    return this.fold.at(context, nodeId);
  }

  /** What one more node tells. */
  after(known: KnownFiles, node: TurnNode, edit?: InPlaceEdit): KnownFiles {
    const { payload, id } = node;
    if (beginsAnew(node)) return KnownFiles.empty;
    const unsent = this.unsentBefore(node);
    if (unsent !== undefined) return this.withoutUnsent(node, unsent, edit);
    let next = known;
    for (const effect of effectsOf(payload)) {
      const moved = movedState(effect, effectsOf(payload));
      next = this.withEffect(next, effect, moved, { source: id, edit });
    }
    for (const shown of shownIn(node)) next = this.withLines(next, shown, { source: id, edit });
    return next;
  }

  /**
   * What stands on the way up to the last words of the model, if this node takes some of it out of the prompt:
   * no prompt was sent yet that showed it.
   */
  private unsentBefore({ payload, parentId }: TurnNode): Unsent | undefined {
    if (this.context === undefined || parentId === null || !decides(payload)) return undefined;
    const nodes: TurnNode[] = [];
    for (const node of upwards(this.context, parentId)) {
      if (isOfModel(node) || node.parentId === null || beginsAnew(node))
        return nodes.some((each) => shownIn(each).length > 0)
          ? { above: node, nodes: nodes.reverse() }
          : undefined;
      nodes.push(node);
    }
    return undefined;
  }

  /** The same path as if what is taken out had not shown anything; what it did to files was done. */
  private withoutUnsent(node: TurnNode, { above, nodes }: Unsent, edit: InPlaceEdit | undefined): KnownFiles {
    const context = this.context;
    if (context === undefined) throw new Error("no path is being folded");
    const takers = [...nodes, node].filter(({ payload }) => decides(payload));
    let known = this.fold.at(context, above.id);
    for (const each of nodes) {
      if (decides(each.payload)) continue;
      const isOut = takers.some(({ payload }) => isTakenOut(payload, each, context));
      known = isOut ? this.afterWrites(known, each) : this.after(known, each, edit);
    }
    return known;
  }

  /** Only what a node did to files, not what it showed. */
  afterWrites(known: KnownFiles, { id, payload }: TurnNode): KnownFiles {
    let next = known;
    for (const effect of effectsOf(payload)) {
      if (effect.by !== "tool") continue;
      next = this.withEffect(next, effect, movedState(effect, effectsOf(payload)), { source: id });
    }
    return next;
  }

  private withEffect(
    known: KnownFiles,
    effect: FileEffect,
    moved: string | null | undefined,
    options: LearnOptions,
  ): KnownFiles {
    const { path, after, by, changes, authored, derived, lines: total, version = 0, from, own } = effect;
    const name = this.naming(path);
    const file = { path, realPath: path };
    const before = effect.from === undefined ? effect.before : moved;
    const counted = defined({ total });
    if (after === null) return known;
    if (by === "seen" && changes === undefined)
      return known.learn(name, { kind: "met", file, sha256: after, version, ...counted }, options);
    const event = {
      kind: "changed",
      file,
      after,
      version,
      ...counted,
      ...defined({ before, changes, authored, derived, own }),
    } as const;
    const oldName = from === undefined ? undefined : this.naming(from);
    // What was written stands in the call, whatever becomes of its result.
    const source = by === "tool" ? `${callMark}${options.source ?? ""}` : options.source;
    return known.learn(name, event, { ...options, source, from: oldName });
  }

  private withLines(known: KnownFiles, shown: ShownText, options: LearnOptions): KnownFiles {
    const { path, sha256, from, to, chars, encoding } = shown;
    const file = { path, realPath: path };
    const lines: readonly LineSpan[] = chars === undefined ? [{ from, to }] : [];
    const parts = chars === undefined ? {} : { parts: [{ line: from, ...chars }] };
    const insisted = defined({ encoding });
    const event = { kind: "shown", file, sha256, lines, ...parts, ...insisted } as const;
    return known.learn(this.naming(path), event, options);
  }
}

function beginsAnew({ payload, depth }: TurnNode): boolean {
  return payload.kind === "task_boundary" && depth > 0 && payload.transformation.kind !== "clone";
}

/** Nodes that no prompt was written from yet. */
interface Unsent {
  readonly above: TurnNode;
  readonly nodes: readonly TurnNode[];
}

function isTakenOut(payload: TurnPayload, node: TurnNode, context: ConversationContext): boolean {
  const { id, depth } = node;
  if (payload.kind === "summary" && payload.of === "compaction") {
    const kept = payload.keepFromId === null ? undefined : context.nodes.get(payload.keepFromId);
    return kept === undefined || depth < kept.depth;
  }
  // A result is hidden together with its call.
  return formChangesOf(payload).some(({ targetId, form }) =>
    form.form === "hidden"
      ? targetId === id || targetId === callOf(context, node)?.id
      : form.form === "replaced" && targetId === id,
  );
}

/** The state that a moved file had under its old name. */
function movedState({ from }: FileEffect, effects: readonly FileEffect[]): string | null | undefined {
  return from === undefined ? undefined : effects.find(({ path }) => path === from)?.before;
}

/** Begins the source of lines that stand in the call that a result answers. */
const callMark = "call of ";

/** The node that a source is about, and whether its call is meant. */
export function readSource(source: string): { readonly nodeId: string; readonly isCall: boolean } {
  const isCall = source.startsWith(callMark);
  return { nodeId: isCall ? source.slice(callMark.length) : source, isCall };
}

/** Which lines a node shows, where it is rendered as it is. */
export function shownIn({ payload, metadata }: TurnNode): readonly ShownText[] {
  if (metadata.isHiddenFromLlm === true) return [];
  switch (payload.kind) {
    case "tool_result":
      return payload.shows ?? [];
    case "file_content": {
      const { path, sha256, lines, text, verified } = payload;
      // A text that is not proved to be the state's shows nothing of it.
      if (verified !== true || lines.to < lines.from) return [];
      return [{ path, sha256, from: lines.from, to: lines.to, start: 0, end: text.length }];
    }
    case "user_message":
    case "model_message":
    case "tool_call":
    case "context_management":
    case "task_boundary":
    case "task_summary":
    case "summary":
    case "restore":
    case "note":
    case "lost":
    case "unknown":
      return [];
    default:
      return payload satisfies never;
  }
}
