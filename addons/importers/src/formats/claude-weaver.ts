import { type ImportProblem, whereOf } from "@holdfast/core/conversation/import";
import type { JsonObject } from "@holdfast/core/conversation/values";
import { type Advancing, defined } from "@holdfast/core/text";
import { objectOf, textOf } from "../lines/fields.js";
import { FoldedCounter } from "../lines/folded-counter.js";
import type { EntryNode, ForeignEntry } from "../tree/foreign-entry.js";
import { blocksOf, noteForPerson, splitTexts } from "./blocks.js";
import { attachmentNodes, ClaudeContent } from "./claude-content.js";
import type { ClaudeShaped } from "./claude-shaped.js";
import { mergeThoughts } from "./pi.js";

/** A line of Claude Code or its SDK, with its place in its own program's terms. */
interface ClaudeLine {
  readonly line: number;
  readonly file?: string;
  readonly value: JsonObject;
  readonly uuid: string;
  /** `null`: a beginning; `undefined`: it follows the line before. */
  readonly parent: string | null | undefined;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** The subagent whose line it is; none for the session's own. */
  readonly agent?: string;
}

/** What is known of a subagent when its first line comes. */
export interface AgentStart {
  readonly name: string;
  /** The call that began it. */
  readonly callId: string | undefined;
}

/**
 * Makes entries of lines, in the order of their files. The lines of one answer become one entry, however results
 * and chatter stand between them; its results come right behind it; what hung on any of these hangs behind the
 * last of them. Lines that are no turns are counted, and what hung on them hangs on what they hung on.
 */
export class ClaudeWeaver {
  readonly content: ClaudeContent;
  readonly folded = new FoldedCounter();
  readonly problems: ImportProblem[] = [];
  private readonly drafts: Draft[] = [];
  private readonly byId = new Map<string, Draft>();
  private readonly lanes = new Map<string, Lane>();
  private readonly anchors = new Map<string, { readonly anchor: Anchor; readonly lane: Lane }>();
  private readonly answers = new Map<string, WovenAnswer>();
  private readonly firsts = new Map<string, ClaudeLine>();

  /**
   * @param known whether a line of this id is in one of the files.
   * @param startOf what is known of a subagent.
   * @param format whose lines they are.
   */
  constructor(
    private readonly known: (uuid: string) => boolean,
    private readonly startOf: (agent: string) => AgentStart,
    format: "claude" | ClaudeShaped = "claude",
  ) {
    this.content = new ClaudeContent(format);
  }

  add(line: ClaudeLine): void {
    if (this.isRepeated(line)) return;
    const lane = this.laneOf(line);
    const message = objectOf(line.value, "message");
    if (message !== undefined && line.value.type === "assistant") this.addAnswer(line, lane, message);
    else if (message !== undefined && line.value.type === "user") this.addUser(line, lane, message);
    else if (line.value.subtype === "compact_boundary") this.addBoundary(line, lane);
    else this.addOther(line, lane);
  }

  /** Whether the call was made by a line that was added. */
  hasCall(callId: string): boolean {
    return this.answers.has(callId);
  }

  *entries(): Advancing<readonly ForeignEntry[]> {
    const entries: ForeignEntry[] = [];
    for (const [at, draft] of this.drafts.entries()) {
      if (at % stepDrafts === stepDrafts - 1) yield { done: at, of: this.drafts.length };
      entries.push(finished(draft));
    }
    return entries;
  }

  /** The line at which the session stood: its own last one on which nothing hangs. */
  leafLine(): number | undefined {
    const own = this.drafts.filter(({ lane, nodes }) => lane.agent === undefined && nodes.length > 0);
    const parents = new Set(own.map(({ parent }) => sourceOf(parent)));
    return own.findLast(({ sourceId }) => !parents.has(sourceId))?.line;
  }

  /** The same line a second time, as a copied session may hold it. */
  private isRepeated(line: ClaudeLine): boolean {
    const first = this.firsts.get(line.uuid);
    if (first === undefined) this.firsts.set(line.uuid, line);
    if (first === undefined || first.value.message === undefined) return false;
    if (JSON.stringify(first.value.message) !== JSON.stringify(line.value.message)) return false;
    this.report(line, "duplicate_id", `repeats line ${first.line}; it was left out.`);
    return true;
  }

  private addAnswer(line: ClaudeLine, lane: Lane, message: JsonObject): void {
    const parent = this.parentOf(line, lane);
    if (line.value.isApiErrorMessage === true || textOf(message, "model") === "<synthetic>") {
      const { text } = splitTexts(blocksOf(message.content));
      this.place(line, lane, parent, text === "" ? [] : [noteForPerson(text)]);
      return;
    }
    const step = textOf(message, "id");
    const nodes = this.content.answer(message, step);
    const usage = this.content.usageOf(message, step);
    let answer = isAnswer(parent) && step !== undefined && parent.step === step ? parent : undefined;
    if (answer === undefined) {
      const draft = this.draft(line, lane, parent, []);
      answer = { step, draft, results: [], notes: [], open: new Set() };
    } else this.draft(line, lane, answer, []);
    for (const node of nodes) answer.draft.nodes.push(node);
    answer.draft.usage ??= usage;
    for (const { payload } of nodes)
      if (typeof payload === "object" && payload.kind === "tool_call") {
        answer.open.add(payload.callId);
        this.answers.set(payload.callId, answer);
      }
    this.anchor(line, lane, answer);
  }

  private addUser(line: ClaudeLine, lane: Lane, message: JsonObject): void {
    const { value } = line;
    const above = this.parentOf(line, lane);
    if (value.isCompactSummary === true) {
      const { text } = splitTexts(blocksOf(message.content));
      this.place(line, lane, above, [{ payload: summaryKeeping(text, lane.kept) }]);
      lane.kept = undefined;
      return;
    }
    const { results, said } = this.content.user(value, message);
    let parent = above;
    for (const [at, { callId, nodes }] of results.entries()) {
      const answer = this.answerOf(callId, lane);
      const id = said.length === 0 && at === results.length - 1 ? line.uuid : `${line.uuid} result ${at + 1}`;
      if (answer === undefined) {
        const orphan = this.draft({ ...line, uuid: id }, lane, parent, nodes);
        parent = orphan.sourceId;
        continue;
      }
      answer.open.delete(callId);
      const draft = this.draft({ ...line, uuid: id }, lane, endOfResults(answer), nodes);
      answer.results.push(draft);
      parent = answer;
    }
    if (said.length === 0) this.anchor(line, lane, parent);
    else this.place(line, lane, parent, said);
  }

  /** The order of the file decides, unless the last line stands on another branch. */
  private addBoundary(line: ClaudeLine, lane: Lane): void {
    const logical = this.anchors.get(textOf(line.value, "logicalParentUuid") ?? "");
    const last = lane.last;
    const isElsewhere = logical?.lane === lane && !this.isAbove(logical.anchor, last);
    const parent = isElsewhere ? logical.anchor : last;
    const { head, tail } = keptIn(line.value);
    lane.kept = head;
    this.place(line, lane, parent, [noteForPerson(textOf(line.value, "content") ?? "Compacted")]);
    // What follows the last kept line from now on follows the summary.
    if (tail !== undefined) lane.moved.add(tail);
  }

  private addOther(line: ClaudeLine, lane: Lane): void {
    const { value } = line;
    const nodes = value.type === "attachment" ? attachmentNodes(value) : [];
    if (nodes.length === 0 && objectOf(value, "data")?.type !== "agent_progress")
      this.folded.add(textOf(value, "type") ?? "untyped");
    if (value.type === "conversation_reset") lane.last = lane.start;
    if (line.uuid.startsWith(noUuid)) return;
    const parent = this.parentOf(line, lane);
    if (isAnswer(parent) && nodes.length > 0) this.addNote(line, lane, parent, nodes);
    else this.place(line, lane, parent, nodes);
  }

  /** What was shown beside results hangs on any of them: it stands behind the last, and parts nothing. */
  private addNote(line: ClaudeLine, lane: Lane, answer: WovenAnswer, nodes: readonly EntryNode[]): void {
    answer.notes.push(this.draft(line, lane, { behind: answer, at: answer.notes.length }, nodes));
    this.anchor(line, lane, answer);
  }

  /** The answer with this call that waits for its result, in the same conversation. */
  private answerOf(callId: string, lane: Lane): WovenAnswer | undefined {
    const answer = this.answers.get(callId);
    return answer?.draft.lane === lane && answer.open.has(callId) ? answer : undefined;
  }

  private parentOf(line: ClaudeLine, lane: Lane): Anchor {
    const { parent, value } = line;
    const isTurn = objectOf(value, "message") !== undefined && value.isCompactSummary !== true;
    if (parent === null && isTurn && lane.agent === undefined) return null;
    if (typeof parent !== "string" || lane.moved.has(parent)) return lane.last;
    const above = this.anchors.get(parent);
    if (above !== undefined) return above.lane === lane ? above.anchor : lane.last;
    if (this.known(parent)) return parent;
    if (isTurn && lane.last !== lane.start) {
      const said = `hangs on ${parent}, which is not in the file; it was put below the line before it.`;
      this.report(line, "missing_parent", said);
    }
    return lane.last;
  }

  private isAbove(anchor: Anchor, below: Anchor): boolean {
    const seen = new Set<Anchor>();
    for (let at = below; at !== null && !seen.has(at); ) {
      if (at === anchor) return true;
      seen.add(at);
      const parent = (isAnswer(at) ? at.draft : this.byId.get(at))?.parent ?? null;
      at = isBehind(parent) ? parent.behind : parent;
    }
    return anchor === null;
  }

  private laneOf(line: ClaudeLine): Lane {
    const { agent } = line;
    const lane = this.lanes.get(agent ?? "");
    if (lane !== undefined) return lane;
    const added: Lane = { agent, start: null, last: null, kept: undefined, moved: new Set() };
    this.lanes.set(agent ?? "", added);
    if (agent === undefined) return added;
    const { name, callId } = this.startOf(agent);
    const boundary: EntryNode = {
      payload: { kind: "task_boundary", name, transformation: { kind: "clear" } },
    };
    const began = callId === undefined ? undefined : this.answers.get(callId);
    const parent = began?.draft.sourceId ?? beforeResults(this.lanes.get("")?.last ?? null);
    const draft = this.draft({ ...line, uuid: `subagent ${agent}` }, added, parent, [boundary]);
    draft.aside = true;
    added.start = draft.sourceId;
    added.last = draft.sourceId;
    return added;
  }

  private place(line: ClaudeLine, lane: Lane, parent: Anchor, nodes: readonly EntryNode[]): void {
    const draft = this.draft(line, lane, parent, nodes);
    this.anchor(line, lane, nodes.length === 0 ? parent : draft.sourceId);
  }

  private anchor(line: ClaudeLine, lane: Lane, anchor: Anchor): void {
    if (!this.anchors.has(line.uuid)) this.anchors.set(line.uuid, { anchor, lane });
    lane.last = anchor;
  }

  private draft(line: ClaudeLine, lane: Lane, parent: Draft["parent"], nodes: readonly EntryNode[]): Draft {
    const { uuid, line: number, timestamp, file } = line;
    const draft = { sourceId: uuid, line: number, file, timestamp, lane, parent, nodes: [...nodes] };
    this.drafts.push(draft);
    if (!this.byId.has(uuid)) this.byId.set(uuid, draft);
    return draft;
  }

  private report(line: ClaudeLine, what: ImportProblem["what"], said: string): void {
    const { line: number, file } = line;
    this.problems.push({ line: number, what, message: `${whereOf(line)} ${said}`, ...defined({ file }) });
  }
}

/** Finished in some milliseconds. */
const stepDrafts = 1024;

/** Begins the made-up id of a line that has none. */
export const noUuid = "line ";

/** What something hangs on: an entry, the end of an answer with its results, or the beginning. */
type Anchor = string | WovenAnswer | null;

/** A place behind the results of an answer: the first, the second… */
interface Behind {
  readonly behind: WovenAnswer;
  readonly at: number;
}

/** The lines of one answer, and the results of its calls. */
interface WovenAnswer {
  readonly step: string | undefined;
  readonly draft: Draft;
  readonly results: Draft[];
  /** What was shown beside the results. */
  readonly notes: Draft[];
  /** The calls without results so far. */
  readonly open: Set<string>;
}

/** One conversation: the session's own, or a subagent's. */
interface Lane {
  readonly agent: string | undefined;
  start: Anchor;
  last: Anchor;
  /** The first line that the next compaction keeps. */
  kept: string | undefined;
  /** Lines that a compaction kept: what hangs on them later hangs behind it. */
  readonly moved: Set<string>;
}

interface Draft {
  readonly sourceId: string;
  readonly line: number;
  readonly file: string | undefined;
  readonly timestamp: number;
  readonly lane: Lane;
  readonly parent: Anchor | Behind;
  readonly nodes: EntryNode[];
  usage?: ReturnType<ClaudeContent["usageOf"]>;
  aside?: true;
}

function isAnswer(anchor: Anchor | Behind): anchor is WovenAnswer {
  return typeof anchor === "object" && anchor !== null && !isBehind(anchor);
}

function isBehind(anchor: Anchor | Behind): anchor is Behind {
  return typeof anchor === "object" && anchor !== null && "behind" in anchor;
}

/** Where a call that has no result yet was made; else the end. */
function beforeResults(anchor: Anchor): Anchor {
  return isAnswer(anchor) && anchor.open.size > 0 ? anchor.draft.sourceId : anchor;
}

function sourceOf(anchor: Anchor | Behind): string | null {
  if (isBehind(anchor)) {
    const { behind, at } = anchor;
    return at === 0 ? endOfResults(behind) : (behind.notes[at - 1]?.sourceId ?? endOfResults(behind));
  }
  return isAnswer(anchor) ? (anchor.notes.at(-1)?.sourceId ?? endOfResults(anchor)) : anchor;
}

function endOfResults({ results, draft }: WovenAnswer): string {
  return (results.at(-1) ?? draft).sourceId;
}

/** The first and the last line that a compaction kept; the SDK writes its names otherwise than the transcript. */
function keptIn(value: JsonObject): { readonly head: string | undefined; readonly tail: string | undefined } {
  const metadata = objectOf(value, "compactMetadata") ?? objectOf(value, "compact_metadata") ?? {};
  const kept = objectOf(metadata, "preservedSegment") ?? objectOf(metadata, "preserved_segment") ?? {};
  return {
    head: textOf(kept, "headUuid") ?? textOf(kept, "head_uuid"),
    tail: textOf(kept, "tailUuid") ?? textOf(kept, "tail_uuid"),
  };
}

/** The summary of a compaction, which keeps what follows a line. */
function summaryKeeping(text: string, kept: string | undefined): EntryNode["payload"] {
  return (scope) => {
    const firstId = kept === undefined ? undefined : scope.nodesOf(kept)?.firstId;
    const keepFromId = firstId !== undefined && scope.isAbove(firstId) ? firstId : null;
    return { kind: "summary", of: "compaction", text, keepFromId };
  };
}

function finished({ sourceId, line, file, timestamp, parent, nodes, usage, aside }: Draft): ForeignEntry {
  const [first, ...others] = mergeThoughts(nodes);
  const told = first === undefined || usage === undefined ? first : { ...first, metadata: { usage } };
  return {
    sourceId,
    parentSourceId: sourceOf(parent),
    line,
    timestamp,
    nodes: told === undefined ? [] : [told, ...others],
    ...defined({ file, aside }),
  };
}
