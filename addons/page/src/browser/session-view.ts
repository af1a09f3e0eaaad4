import { type Rendering, renderContext } from "@holdfast/core/context";
import { applyEvent, callOf, pathTo } from "@holdfast/core/conversation";
import { replay } from "@holdfast/core/conversation/journal";
import {
  type ConversationContext,
  effectsOf,
  type JournalProblem,
  type JournalRecord,
  type ToolResultPayload,
  type TurnNode,
} from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { splitLines } from "@holdfast/core/text";
import type { LiveAnswer, PageData } from "./page-data.js";
import type { SessionSource } from "./source.js";

/** A state of a file at a node of the tree. */
export interface FileVersion {
  /** 1-based, counted on the path. */
  readonly version: number;
  /** `null`: there is no such file. */
  readonly sha256: string | null;
  /** The node that has it. */
  readonly nodeId: string;
  readonly by: "tool" | "seen";
}

/** The session that the page shows, with all that its panes ask. */
export class SessionView {
  /** Immutable; another one as soon as the session has grown. */
  context: ConversationContext;
  problems: readonly JournalProblem[] = [];
  /** Whether long texts end early. */
  isCut: boolean;
  private records: readonly JournalRecord[] = [];
  private readonly texts: Map<string, string>;
  /** What was asked of the server, there or not. */
  private readonly asked = new Map<string, string | undefined>();
  private lastSeen: { readonly nodeId: string; readonly rendering: Rendering } | undefined;

  /** @param onText told when something is there that was asked of the server. */
  constructor(
    public data: PageData | LiveAnswer,
    private readonly fetchText?: SessionSource["fetch"],
    private readonly onText = () => {},
  ) {
    this.texts = new Map(Object.entries(data.states));
    this.isCut = "isCut" in data && data.isCut;
    this.context = this.foldAll(data);
    this.noteTexts(data.records);
  }

  /** Takes what came behind the records that are there, or the whole session anew. */
  take(answer: LiveAnswer): void {
    const isMore = answer.from > 0 && answer.from === this.records.length && this.problems.length === 0;
    this.data = answer;
    this.isCut &&= answer.from > 0;
    const records = [...this.records.slice(0, answer.from), ...answer.records];
    const next = isMore ? foldOn(this.context, this.records.length, answer.records) : undefined;
    this.context = next ?? this.foldAll({ ...answer, records });
    this.records = records;
    this.lastSeen = undefined;
    this.noteTexts(answer.records);
  }

  private foldAll({ id, records, problems: found, lastSeq }: PageData): ConversationContext {
    const { context, problems } = replay(id, records, lastSeq);
    this.records = records;
    this.problems = [...found, ...problems];
    return context;
  }

  private noteTexts(records: readonly JournalRecord[]): void {
    if (this.isCut) return;
    const nodes = records.flatMap(({ event }) => (event.type === "nodes_added" ? event.nodes : []));
    for (const { payload } of nodes)
      if (payload.kind === "file_content" && isWhole(payload.lines))
        this.texts.set(payload.sha256, payload.text);
  }

  /** The folder in which the session works. */
  get cwd(): string | undefined {
    const first = this.records[0]?.event;
    return first?.type === "session_started" ? first.cwd : undefined;
  }

  node(id: string): TurnNode | undefined {
    return this.context.nodes.get(id);
  }

  /** The text of a file's state; `undefined` where its bytes are not in the page. */
  text(sha256: string | null): string | undefined {
    return sha256 === null ? "" : (this.texts.get(sha256) ?? this.fetched("state", sha256));
  }

  /** What a server has of a state or of a medium (in Base64); undefined where that is not here, or not yet. */
  fetched(kind: "state" | "blob", hash: string): string | undefined {
    if (this.fetchText === undefined || this.asked.has(hash)) return this.asked.get(hash);
    this.asked.set(hash, undefined);
    void this.fetchText(kind, hash).then((text) => {
      if (text === undefined) return;
      this.asked.set(hash, text);
      this.onText();
    });
    return undefined;
  }

  /** Of a state whose bytes are not in the page: those lines that a node showed to the model, by their number. */
  shownLines(sha256: string): ReadonlyMap<number, string> {
    const lines = new Map<number, string>();
    for (const { payload } of this.context.nodes.values()) {
      if (payload.kind === "file_content" && payload.sha256 === sha256)
        noteLines(lines, payload.lines.from, payload.text);
      if (payload.kind !== "tool_result") continue;
      for (const shown of payload.shows ?? [])
        if (shown.sha256 === sha256 && shown.chars === undefined)
          noteLines(lines, shown.from, payload.output.slice(shown.start, shown.end));
    }
    return new Map([...lines].sort(([one], [other]) => one - other));
  }

  /**
   * Every file that the path to a node knows of, with its states on that path, of which the last one holds
   * there. The file that changed last comes first.
   */
  files(nodeId: string): ReadonlyMap<string, readonly FileVersion[]> {
    const files = new Map<string, FileVersion[]>();
    for (const { id, payload } of pathTo(this.context, nodeId)) {
      for (const { path, before, after, by } of effectsOf(payload)) {
        const versions = files.get(path) ?? [];
        files.set(path, versions);
        // A restore records what it found, which is another branch's state.
        if (before !== undefined && payload.kind !== "restore") note(versions, before, id, "seen");
        if (!note(versions, after, id, by)) continue;
        files.delete(path);
        files.set(path, versions);
      }
    }
    return new Map([...files].reverse());
  }

  /**
   * What the model was given where a node was made, and in what sense: of what the model wrote, what it
   * answered; of all else, what it is given next.
   */
  seen(node: TurnNode): { readonly rendering: Rendering; readonly at: TurnNode; readonly isAnswer: boolean } {
    const at = this.askedAt(node);
    if (this.lastSeen?.nodeId !== at.id) {
      const rendering = renderContext(this.context, { headId: at.id });
      this.lastSeen = { nodeId: at.id, rendering };
    }
    return { rendering: this.lastSeen.rendering, at, isAnswer: at !== node };
  }

  private askedAt(node: TurnNode): TurnNode {
    const step = stepOf(node);
    let at = node;
    while (isAnswer(at) && at.parentId !== null) {
      const parent = this.context.nodes.get(at.parentId);
      if (parent === undefined) return at;
      at = parent;
      if (!isAnswer(parent) || step === undefined || stepOf(parent) !== step) return parent;
    }
    return at;
  }
}

/** What a state comes to with further records; undefined where only a fold of all of them can say it. */
function foldOn(
  context: ConversationContext,
  seq: number,
  records: readonly JournalRecord[],
): ConversationContext | undefined {
  let next = context;
  for (const [at, record] of records.entries()) {
    const answer = record.seq === seq + at + 1 ? applyEvent(next, record.event) : undefined;
    if (answer === undefined || isRefusal(answer)) return undefined;
    next = answer;
  }
  return next;
}

function isAnswer({ payload }: TurnNode): boolean {
  return payload.kind === "model_message" || payload.kind === "tool_call";
}

function stepOf({ payload }: TurnNode): string | undefined {
  return payload.kind === "model_message" || payload.kind === "tool_call" ? payload.step : undefined;
}

function noteLines(lines: Map<number, string>, from: number, text: string): void {
  const { contents } = splitLines(text);
  const shown = contents.at(-1) === "" ? contents.slice(0, -1) : contents;
  for (const [at, line] of shown.entries()) lines.set(from + at, line);
}

function isWhole(lines: { readonly from: number; readonly to: number; readonly total: number }): boolean {
  return lines.from === 1 && lines.to === lines.total;
}

/** @returns whether this is another state than the last one. */
function note(versions: FileVersion[], sha256: string | null, nodeId: string, by: "tool" | "seen"): boolean {
  if (versions.at(-1)?.sha256 === sha256 && versions.length > 0) return false;
  versions.push({ version: versions.length + 1, sha256, nodeId, by });
  return true;
}

/**
 * The result of a call, on whichever branch it stands first. Only what carries its exchange on can hold it, so the
 * search is short.
 */
export function resultOf(context: ConversationContext, callId: string): ResultNode | undefined {
  const firstId = context.nodes.get(callId)?.exchange.firstId;
  const open = [callId];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const childId of context.nodes.get(id)?.childIds ?? []) {
      const child = context.nodes.get(childId);
      if (child !== undefined && isResult(child) && callOf(context, child)?.id === callId) return child;
      if (firstId !== undefined && child?.exchange.firstId === firstId) open.push(childId);
    }
  }
  return undefined;
}

/** The call in whose row a result is shown: that of which it is the first result. */
export function callShowing(context: ConversationContext, node: TurnNode): TurnNode | undefined {
  const call = isResult(node) ? callOf(context, node) : undefined;
  return call !== undefined && resultOf(context, call.id)?.id === node.id ? call : undefined;
}

type ResultNode = TurnNode & { readonly payload: ToolResultPayload };

function isResult(node: TurnNode): node is ResultNode {
  return node.payload.kind === "tool_result";
}
