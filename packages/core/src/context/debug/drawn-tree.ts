import {
  activeTasks,
  type CountStates,
  countedStates,
  TreeShape,
  upwards,
} from "../../conversation/index.js";
import type {
  ConversationContext,
  ToolCall,
  ToolResultPayload,
  TurnNode,
  TurnPayload,
} from "../../conversation/values/index.js";
import { joinSpans } from "../../files/seen/index.js";
import { describePayload, marksOf, type OutlineOptions } from "./debug-outline.js";
import { type Wording, wordingFor } from "./debug-text.js";

/** What of a tree is drawn; see `OutlineOptions`. */
export interface DrawnTreeOptions extends Pick<OutlineOptions, "filter" | "fold" | "depth"> {
  /** UTF-16 units of a node's own text at most; 60 unless given. */
  readonly width?: number;
}

/** One row of a drawn tree: a node, and the result of its call where it has one. */
export interface DrawnRow {
  readonly id: string;
  /** How many branches deep it stands. */
  readonly level: number;
  /** Whether a branch begins with it. */
  readonly begins: boolean;
  /** The branches beside it, as lines. */
  readonly lead: string;
  /** What the node says, with its marks; safe to show. */
  readonly says: string;
  readonly isHead: boolean;
}

/**
 * The tree as a person reads it: branches are drawn, a call and its result are one row. Rows stand in the order of
 * `debugOutline`. Costs the size of the tree.
 */
export function drawnRows(context: ConversationContext, options: DrawnTreeOptions = {}): readonly DrawnRow[] {
  return new DrawnTree(context, options, wordingFor("person", options.width ?? 60)).rows();
}

/** The rows as a text, in which a node is named by the last eight characters of its id (`nodeNamed`). */
export function drawnTree(context: ConversationContext, options: DrawnTreeOptions = {}): string {
  const { name } = wordingFor("person", 0);
  const rows = drawnRows(context, options).map(
    ({ id, lead, says, isHead }) =>
      `${lead}${name(id.slice(-shownId))}  ${says}${isHead ? " ← you are here" : ""}`,
  );
  return rows.join("\n");
}

/** What a node says, as the tree shows it; `width` as in `DrawnTreeOptions`. @param result of a call, where it has one. */
export function drawnWords(payload: TurnPayload, width = 60, result?: ToolResultPayload): string {
  const wording = wordingFor("person", width);
  return payload.kind === "tool_call"
    ? callWords(payload, result, wording)
    : describePayload(payload, wording);
}

/** The characters of an id that a drawn tree shows. */
const shownId = 8;

interface ResultNode {
  readonly id: string;
  readonly payload: ToolResultPayload;
}

interface DrawnBranch {
  readonly id: string;
  readonly level: number;
  /** What is drawn before the rows of its branch, and before the first of them. */
  readonly lead: string;
  readonly first: string;
}

class DrawnTree {
  readonly #active: ReadonlySet<string>;
  readonly #results: ReadonlyMap<string, ResultNode>;
  /** Results that have their line with their call. */
  readonly #joined: ReadonlySet<string>;
  readonly #rows: DrawnRow[] = [];
  readonly #counted: CountStates;

  constructor(
    private readonly context: ConversationContext,
    private readonly options: DrawnTreeOptions,
    private readonly wording: Wording,
  ) {
    this.#active = activeTasks(context);
    this.#counted = countedStates(context);
    this.#results = resultsByCall(context);
    this.#joined = new Set([...this.#results.values()].map(({ id }) => id));
  }

  rows(): readonly DrawnRow[] {
    const { fold, depth = Number.POSITIVE_INFINITY } = this.options;
    const shape = new TreeShape(this.context, { tasksAside: true });
    const open: DrawnBranch[] = [{ id: this.context.sessionId, level: 0, lead: "", first: "" }];
    for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
      const { id, level, lead, first } = visit;
      const node = this.context.nodes.get(id);
      if (node === undefined || level > depth) continue;
      const isFolded = fold?.has(id) === true && node.payload.kind === "task_boundary";
      const isDrawn = this.#draw(node, visit, isFolded);
      const next = isDrawn ? lead : first;
      if (isFolded) continue;
      const { main, sides } = shape.lineOf(node);
      if (main !== undefined) open.push({ id: main, level, lead, first: next });
      for (const [at, side] of [...sides.entries()].toReversed()) {
        const isLast = main === undefined && at === sides.length - 1;
        const below = { lead: `${lead}${isLast ? "   " : "│  "}`, first: `${lead}${isLast ? "└─ " : "├─ "}` };
        open.push({ id: side, level: level + 1, ...below });
      }
    }
    return this.#rows;
  }

  /** @returns whether it has a row. */
  #draw(node: TurnNode, { level, lead, first }: DrawnBranch, isFolded: boolean): boolean {
    if (this.#joined.has(node.id) || this.options.filter?.(node) === false) return false;
    const result = this.#results.get(node.id);
    const says = [
      this.#says(node, result),
      ...marksOf(node, this.context, this.#active, this.wording),
      ...(isFolded ? ["…"] : []),
    ].join(" ");
    const isHead = [node.id, result?.id].includes(this.context.currentNodeId);
    this.#rows.push({ id: node.id, level, begins: first !== lead, lead: first, says, isHead });
    return true;
  }

  #says({ id, payload }: TurnNode, result: ResultNode | undefined): string {
    const { wording, context } = this;
    if (id === context.sessionId && payload.kind === "task_boundary")
      return `session ${wording.quote(context.title ?? payload.name)}`;
    if (payload.kind !== "tool_call") return describePayload(this.#counted(payload), wording);
    return callWords(payload, result && this.#counted(result.payload), wording);
  }
}

/** A call and what it came to. */
function callWords(
  { name, args }: ToolCall,
  result: ToolResultPayload | undefined,
  wording: Wording,
): string {
  const { command, file_path = command, path = file_path } = args;
  const isError = result?.isError === true;
  const files = result === undefined || isError ? "" : filesIn(result, path);
  const said = typeof path === "string" ? path : files === "" ? JSON.stringify(args) : "";
  const about = said === "" ? "" : ` ${wording.excerpt(said)}`;
  const came = result === undefined ? "not answered" : wording.excerpt(files || result.output);
  return `${wording.name(name)}${about} ${isError ? "✗" : "→"} ${came}`;
}

/** What a result says of files, such as `1-40 v3` or `+2 -1 v4`, with the names of those that are not `named`. */
function filesIn({ files = [], shows = [] }: ToolResultPayload, named: unknown): string {
  const words = files.map(({ path, after, by, changes = [], version = 0 }) => {
    const lines = joinSpans(shows.filter((shown) => shown.path === path)).map(
      ({ from, to }) => `${from}-${to}`,
    );
    const [added, removed] = (["added", "removed"] as const).map((of) =>
      changes.reduce((sum, change) => sum + change[of], 0),
    );
    const what = by === "seen" ? lines.join(", ") : `+${added} -${removed}`;
    const parts = [
      path === named ? "" : path,
      after === null ? "is gone" : what,
      version ? `v${version}` : "",
    ];
    return parts.filter((part) => part !== "").join(" ");
  });
  return words.join("; ");
}

/** The first result of each call, by the id of the call's node. */
function resultsByCall(context: ConversationContext): ReadonlyMap<string, ResultNode> {
  const found = new Map<string, ResultNode>();
  for (const { id, payload } of context.nodes.values()) {
    if (payload.kind !== "tool_result") continue;
    const call = callAbove(context, id, payload.callId);
    if (call !== undefined && !found.has(call)) found.set(call, { id, payload });
  }
  return found;
}

function callAbove(context: ConversationContext, resultId: string, callId: string): string | undefined {
  for (const { id, payload } of upwards(context, resultId))
    if (payload.kind === "tool_call" && payload.callId === callId) return id;
  return undefined;
}
