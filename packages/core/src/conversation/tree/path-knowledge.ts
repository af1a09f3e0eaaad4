import {
  type CallKnowledge,
  type FileName,
  type KnowledgeEvent,
  type KnownFiles,
  type KnownRecord,
  type KnownState,
  knownState,
  type OwnChange,
  type SourcedSpan,
  sourcesIn,
} from "../../files/seen/index.js";
import { isOfModel } from "../values/exchange.js";
import type { FileNaming } from "../values/file-effects.js";
import type { ReferredLines } from "../values/file-facts.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import { type Choices, PathChoices } from "./choices.js";
import { KnownOnPath, readSource, shownIn } from "./known-on-path.js";
import { callOf, isOnPath, nodeOf, nodesBelow } from "./path.js";

/** The part of a conversation that this needs; a `ContextManager` is one. */
interface Conversation {
  readonly context: ConversationContext;
  readonly manifests: { readonly naming: FileNaming };
}

/**
 * What the paths of a conversation were shown of files. It is computed from the nodes and never remembered:
 * it goes back with a rewind, goes on with a resume, and a fork inherits it. Only what running calls have
 * found out and no node says yet is kept beside them.
 */
export class PathKnowledge {
  private folded: KnownOnPath | undefined;
  private readonly choices = new PathChoices();
  /** Facts that running calls learnt, in order. */
  private openFacts: OpenFact[] = [];

  constructor(private readonly conversation: Conversation) {}

  private get known(): KnownOnPath {
    this.folded ??= new KnownOnPath(this.conversation.manifests.naming);
    return this.folded;
  }

  /**
   * The knowledge of one call of the model. To be ended when its result is a node of the tree, or will not be.
   *
   * @param callNodeId of the call's node.
   * @param isTold whether a read of what the prompt shows already is told so; false where its lines are found out later,
   *   and a reference stands for them.
   */
  forCall(callNodeId: string, { isTold = true }: { readonly isTold?: boolean } = {}): PathCallKnowledge {
    return new PathCall(callNodeId, {
      isTold,
      context: () => this.conversation.context,
      name: (file) => this.conversation.manifests.naming(file.path),
      known: this.known,
      choicesAt: (nodeId) => this.choices.at(this.conversation.context, nodeId),
      openFacts: () => this.openFacts,
      learn: (entry) => this.openFacts.push(entry),
      end: (call) => {
        this.openFacts = this.openFacts.filter((entry) => entry.call !== call);
      },
    });
  }
}

/** The knowledge of one call of the model, which stands in a conversation. */
interface PathCallKnowledge extends CallKnowledge {
  /**
   * The same lines by the names under which the next prompt shows them, since it is looked up by these. Lines
   * that it does not show are left out.
   */
  asShown(lines: ReferredLines): readonly ReferredLines[];
}

/** What a call learnt that no node says yet. */
interface OpenFact {
  readonly call: PathCall;
  readonly callNodeId: string;
  readonly event: KnowledgeEvent;
}

interface PathParts {
  readonly isTold: boolean;
  context(): ConversationContext;
  name(file: FileName): string;
  readonly known: KnownOnPath;
  choicesAt(nodeId: string): Choices;
  openFacts(): readonly OpenFact[];
  learn(entry: OpenFact): void;
  end(call: PathCall): void;
}

class PathCall implements PathCallKnowledge {
  constructor(
    private readonly callNodeId: string,
    private readonly path: PathParts,
  ) {}

  find(file: FileName, sha256: string): KnownState | undefined {
    return this.stateOf(file, this.now().find(this.path.name(file), sha256));
  }

  latest(file: FileName): KnownState | undefined {
    return this.stateOf(file, this.now().latest(this.path.name(file)));
  }

  states(file: FileName): readonly string[] {
    return [...this.now().states(this.path.name(file))];
  }

  ownChanges(file: FileName): readonly OwnChange[] {
    return this.now().ownChanges(this.path.name(file));
  }

  shownBeforeAnswer(file: FileName): string | undefined {
    const name = this.path.name(file);
    const known = this.path.known.at(this.path.context(), this.answerParentId());
    const seen = [...known.states(name)].flatMap((sha256) => {
      const record = known.find(name, sha256);
      return record?.isSeen === true ? [record] : [];
    });
    return seen.toSorted((one, other) => other.version - one.version)[0]?.sha256;
  }

  asShown({ from, to, ...state }: ReferredLines): readonly ReferredLines[] {
    const file = { path: state.path, realPath: state.path };
    const record = this.recorded(file, state.sha256);
    const isAsRead = record !== undefined && record.encoding === state.encoding;
    const spans = isAsRead ? this.inPrompt(record.verbatim, this.tipId()) : [];
    const named = (source = "") => ({ ...state, path: this.nameShown(source, state) ?? state.path });
    if (to < from) return spans.slice(0, 1).map(({ source }) => ({ ...named(source), from, to }));
    return spans
      .filter((span) => span.from <= to && from <= span.to)
      .map(({ source, ...span }) => ({
        ...named(source),
        from: Math.max(from, span.from),
        to: Math.min(to, span.to),
      }));
  }

  /** Under which name a node shows lines of a state. */
  private nameShown(source: string, state: Pick<ReferredLines, "path" | "sha256">): string | undefined {
    const node = this.path.context().nodes.get(readSource(source).nodeId);
    const nameOf = (path: string) => this.path.name({ path, realPath: path });
    const shown = node === undefined ? [] : shownIn(node);
    return shown.find(({ path, sha256 }) => sha256 === state.sha256 && nameOf(path) === nameOf(state.path))
      ?.path;
  }

  learn(event: KnowledgeEvent): void {
    this.path.learn({ call: this, callNodeId: this.callNodeId, event });
  }

  /** What its reply showed stands in the result's node. */
  end(): void {
    this.path.end(this);
  }

  /** All that the path says down to the newest result of this answer, and what runs beside this call. */
  private now(): KnownFiles {
    const start = this.path.known.at(this.path.context(), this.tipId());
    return this.fold(start, () => true);
  }

  /** What the prompt showed from which the answer was written, and what its calls wrote since. */
  private before(): KnownFiles {
    const context = this.path.context();
    const above = this.answerParentId();
    let known = this.path.known.at(context, above);
    for (const node of nodesBelow(context, above, this.tipId()))
      known = this.path.known.afterWrites(known, node);
    return this.fold(known, ({ kind }) => kind === "changed");
  }

  private fold(start: KnownFiles, counts: (event: KnowledgeEvent) => boolean): KnownFiles {
    const answer = this.answerParentId();
    let known = start;
    for (const { event, callNodeId } of this.path.openFacts()) {
      if (!counts(event) || answerParent(this.path.context(), callNodeId) !== answer) continue;
      const from =
        event.kind === "changed" && event.from !== undefined ? this.path.name(event.from) : undefined;
      // It will be shown by the result of this call, which is in every prompt that comes next.
      known = known.learn(this.path.name(event.file), event, { from, source: openCallSource });
    }
    return known;
  }

  private stateOf(file: FileName, record: KnownRecord | undefined): KnownState | undefined {
    if (record === undefined) return undefined;
    const before = this.before().find(this.path.name(file), record.sha256);
    const written = this.inPrompt(before?.lines ?? [], this.answerParentId());
    const recorded = this.path.isTold ? this.recorded(file, record.sha256) : undefined;
    return knownState(record, written, this.inPrompt(recorded?.verbatim ?? [], this.tipId()));
  }

  /**
   * What nodes say of a state. A call that still runs may show less than it read, so that nothing that speaks
   * of the next prompt can be built on what it will show.
   */
  private recorded(file: FileName, sha256: string): KnownRecord | undefined {
    return this.path.known.at(this.path.context(), this.tipId()).find(this.path.name(file), sha256);
  }

  /** Those of the lines that are in the prompt at a node. */
  private inPrompt(lines: readonly SourcedSpan[], atId: string): readonly SourcedSpan[] {
    if (lines.length === 0) return lines;
    const context = this.path.context();
    const choices = this.path.choicesAt(atId);
    const known = new Map<string, boolean>();
    return lines.filter(({ source = "" }) => {
      const stands =
        known.get(source) ?? sourcesIn(source).every((one) => isInPrompt(context, choices, one, atId));
      known.set(source, stands);
      return stands;
    });
  }

  private answerParentId(): string {
    return answerParent(this.path.context(), this.callNodeId);
  }

  private tipId(): string {
    return lastOfAnswer(this.path.context(), this.callNodeId).id;
  }
}

const openCallSource = "";

/** The node that was the head when an answer of the model was written. */
function answerParent(context: ConversationContext, callNodeId: string): string {
  const call = nodeOf(context, callNodeId);
  // Results of this answer may come between its calls: its first call is where it began.
  let node = nodeOf(context, call.exchange.firstId ?? call.id);
  for (;;) {
    const parent = node.parentId === null ? undefined : context.nodes.get(node.parentId);
    if (parent === undefined) return node.id;
    const isSameAnswer = isOfModel(parent) && isOfModel(node) && parent.payload.step === node.payload.step;
    if (!isSameAnswer) return parent.id;
    node = parent;
  }
}

/**
 * The last node of the answer that holds a call: the next result of it is added below. What a person or the host adds
 * while a call runs, such as a note or a tracked file, leaves its answer open and belongs to this line of nodes.
 */
export function lastOfAnswer(context: ConversationContext, callNodeId: string): TurnNode {
  let last = nodeOf(context, callNodeId);
  for (let next = nextOfAnswer(context, last); next !== undefined; next = nextOfAnswer(context, last))
    last = next;
  return last;
}

/** The node below with the same open answer, or its last result; of several branches, on the one of the head. */
function nextOfAnswer(context: ConversationContext, node: TurnNode): TurnNode | undefined {
  const { firstId } = node.exchange;
  if (firstId === undefined) return undefined;
  const next = node.childIds
    .map((id) => nodeOf(context, id))
    .filter(({ payload, exchange }) => payload.kind === "tool_result" || exchange.firstId === firstId);
  return next.find(({ id }) => isOnPath(context, id, context.currentNodeId)) ?? next[0];
}

/** Whether what a node shows is rendered at another node: not cleared, hidden, or left behind. */
function isInPrompt(context: ConversationContext, choices: Choices, source: string, atId: string): boolean {
  if (source === openCallSource) return true;
  const { nodeId, isCall } = readSource(source);
  const node = context.nodes.get(nodeId);
  if (node === undefined || node.metadata.isHiddenFromLlm === true) return false;
  // Results of the same answer come after the prompt that it was written from. (A source is always on the
  // path of the call, so that its depth alone says which side of the node it is on.)
  if (node.depth > nodeOf(context, atId).depth) return isCall;
  if (node.depth < choices.start.depth) return false;
  const bearer = isCall ? callOf(context, node) : node;
  if (bearer === undefined || bearer.metadata.isHiddenFromLlm === true) return false;
  const form = choices.forms.get(bearer.id)?.form.form ?? "original";
  return form !== "hidden" && form !== "replaced";
}
