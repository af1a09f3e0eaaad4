import { type Rendering, renderContext } from "@holdfast/core/context";
import {
  type ConversationContext,
  callOf,
  effectsOf,
  type JournalProblem,
  pathTo,
  replay,
  type TurnNode,
} from "@holdfast/core/conversation";
import { splitLines } from "@holdfast/core/text";
import { dataId, type PageData } from "./page-data.js";

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
  readonly context: ConversationContext;
  readonly problems: readonly JournalProblem[];
  private readonly texts: Map<string, string>;
  private lastSeen: { readonly nodeId: string; readonly rendering: Rendering } | undefined;

  constructor(readonly data: PageData) {
    const { context, problems } = replay(data.id, data.records);
    this.context = context;
    this.problems = [...data.problems, ...problems];
    this.texts = new Map(Object.entries(data.states));
    for (const { payload } of context.nodes.values())
      if (payload.kind === "file_content" && isWhole(payload.lines))
        this.texts.set(payload.sha256, payload.text);
  }

  node(id: string): TurnNode | undefined {
    return this.context.nodes.get(id) ?? this.context.orphans.get(id);
  }

  /** The text of a file's state; `undefined` where its bytes are not in the page. */
  text(sha256: string | null): string | undefined {
    return sha256 === null ? "" : this.texts.get(sha256);
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

/** Reads what the page was given. */
export function readSessionView(): SessionView {
  const text = document.getElementById(dataId)?.textContent ?? "";
  // A cast: the program wrote it into this very file.
  return new SessionView(JSON.parse(text) as PageData);
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
 * What became of a call: how its result went, on whichever branch it stands first. Only what carries its exchange on
 * can hold it, so the search is short.
 */
export function outcomeOf(
  context: ConversationContext,
  callId: string,
): "answered" | "failed" | "unanswered" {
  const firstId = context.nodes.get(callId)?.exchange.firstId;
  const open = [callId];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const childId of context.nodes.get(id)?.childIds ?? []) {
      const child = context.nodes.get(childId);
      if (child?.payload.kind === "tool_result" && callOf(context, child)?.id === callId)
        return child.payload.isError === true ? "failed" : "answered";
      if (firstId !== undefined && child?.exchange.firstId === firstId) open.push(childId);
    }
  }
  return "unanswered";
}
