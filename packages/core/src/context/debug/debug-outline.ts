import { activeTasks, chatterWords, TreeShape, taskState } from "../../conversation/index.js";
import {
  type ContextManagement,
  type ConversationContext,
  type FileContent,
  lostWords,
  type OverlayForm,
  type TurnNode,
  type TurnPayload,
} from "../../conversation/values/index.js";
import { clip, counted, shortHash } from "../../text/index.js";
import { type OutlineReader, type Wording, wordingFor } from "./debug-text.js";

/** What an outline of a tree shows, and for whom. */
export interface OutlineOptions {
  /** Nodes to show; of the others it is said how many there are. By default all. */
  readonly filter?: (node: TurnNode) => boolean;
  /** Tasks of which only the first node is shown, by their ids. */
  readonly fold?: ReadonlySet<string>;
  /** Levels of branches to show; of what lies deeper it is said how much there is. By default all. */
  readonly depth?: number;
  /** Chatter (`TreeShape`) is one line where it stands, unless it is to be shown node by node. */
  readonly chatter?: "shown";
  /** UTF-16 units of a node's own text at most; 80 unless given. */
  readonly width?: number;
  /** By default a model: then angle brackets are written so that no text can be a frame of a tool. */
  readonly reader?: OutlineReader;
  /** Shows when a node was made, in these words. @param timestamp in milliseconds since the epoch. */
  readonly time?: (timestamp: number) => string;
}

/**
 * The whole tree for people and for tests, one line a node: id, kind, the beginning of what it says, and
 * what is special about it. A line goes deeper only where a branch or a task begins; the branch that goes on
 * longest in time, or that leads to the head, keeps the depth. Controls and bidirectional marks are shown
 * escaped. Costs the size of the tree.
 */
export function debugOutline(context: ConversationContext, options: OutlineOptions = {}): string {
  const wording = wordingFor(options.reader ?? "model", options.width ?? 80);
  return [
    headline(context, wording),
    ...treeLines(context, wording, options),
    ...context.stagingArea.map(
      ({ id, payload }) => `staged ${wording.name(id)} ${describePayload(payload, wording)}`,
    ),
    "",
  ].join("\n");
}

function headline(context: ConversationContext, { name, quote }: Wording): string {
  const { sessionId, title, nodes, expansions, pendingRestore } = context;
  const parts = [`session ${name(sessionId)}`];
  if (title !== undefined) parts.push(quote(clip(title, longestTitle)));
  parts.push(`${nodes.size} nodes`);
  if (expansions.length > 0)
    parts.push(`expanded: ${expansions.map(({ taskId, turns }) => `${name(taskId)} (${turns})`).join(", ")}`);
  if (pendingRestore !== undefined) parts.push(`restore pending: ${name(pendingRestore.restoreId)}`);
  return parts.join(", ");
}

/** A title may be a whole message; UTF-16 units. */
const longestTitle = 120;

interface Visit {
  readonly id: string;
  readonly level: number;
}

/** Without recursion: a conversation is deeper than any call stack. */
function treeLines(
  context: ConversationContext,
  wording: Wording,
  options: OutlineOptions,
): readonly string[] {
  const lines = new OutlineLines(context, wording, options);
  const active = activeTasks(context);
  const shape = new TreeShape(context, { tasksAside: true });
  const open: Visit[] = [{ id: context.sessionId, level: 0 }];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const node = context.nodes.get(visit.id);
    if (node === undefined) continue;
    const folded = options.fold?.has(node.id) === true && node.payload.kind === "task_boundary";
    lines.add(node, visit.level, marksOf(node, context, active, wording), folded);
    if (folded) continue;
    const { main, sides, chatter } =
      options.chatter === "shown" ? shape.plainLineOf(node) : shape.lineOf(node);
    lines.addChatter(chatter, visit.level);
    if (main !== undefined) open.push({ id: main, level: visit.level });
    for (const id of sides.toReversed()) open.push({ id, level: visit.level + 1 });
  }
  return lines.done();
}

/** The lines of an outline, and how many nodes were left out between them. */
class OutlineLines {
  readonly #lines: string[] = [];
  #skipped = 0;

  constructor(
    readonly context: ConversationContext,
    readonly wording: Wording,
    readonly options: OutlineOptions,
  ) {}

  add(node: TurnNode, level: number, marks: readonly string[], folded: boolean): void {
    const { filter, depth = Number.POSITIVE_INFINITY } = this.options;
    if (level > depth || filter?.(node) === false) {
      this.#skipped += 1;
      return;
    }
    this.#addSkipped();
    const time = this.options.time === undefined ? "" : `${this.options.time(node.timestamp)} `;
    const id = this.wording.name(node.id);
    const head = node.id === this.context.currentNodeId ? ["<- head"] : [];
    const words = [this.#describe(node), ...marks, ...head, ...(folded ? ["…"] : [])].join(" ");
    this.#lines.push(`${indentOf(level)}${id} ${time}${words}`);
  }

  /** One line for all of it, which belongs to the node above. */
  addChatter(ids: readonly string[], level: number): void {
    const { depth = Number.POSITIVE_INFINITY } = this.options;
    const shown = level > depth ? [] : ids.filter((id) => this.#shows(id));
    if (shown.length > 0) {
      this.#addSkipped();
      this.#lines.push(`${indentOf(level)}(${this.wording.name(chatterWords(this.context, shown))})`);
    }
    this.#skipped += ids.length - shown.length;
  }

  #shows(id: string): boolean {
    const node = this.context.nodes.get(id);
    return node !== undefined && this.options.filter?.(node) !== false;
  }

  /** The root is called what the session is called now, not what it was begun with. */
  #describe({ id, payload }: TurnNode): string {
    if (id !== this.context.sessionId || payload.kind !== "task_boundary")
      return describePayload(payload, this.wording);
    return `session ${this.wording.quote(clip(this.context.title ?? payload.name, longestTitle))}`;
  }

  done(): readonly string[] {
    this.#addSkipped();
    return this.#lines;
  }

  #addSkipped(): void {
    if (this.#skipped > 0) this.#lines.push(`(${this.#skipped} not shown)`);
    this.#skipped = 0;
  }
}

function indentOf(level: number): string {
  return "  ".repeat(Math.min(level, deepest));
}

/** Deeper levels are drawn at this one, so that lines stay readable. */
const deepest = 20;

/** One line on what a node is and says. */
export function describePayload(payload: TurnPayload, wording: Wording): string {
  const { name, quote, excerpt } = wording;
  switch (payload.kind) {
    case "user_message":
      return `user: ${excerpt(payload.text)}${media(payload.media?.length ?? 0)}`;
    case "model_message":
      return `model: ${excerpt(payload.text === "" ? (payload.thought ?? "") : payload.text)}${thought(payload)}${media(payload.media?.length ?? 0)}`;
    case "tool_call":
      return `call ${name(payload.callId)}: ${name(payload.name)} ${excerpt(JSON.stringify(payload.args))}`;
    case "tool_result":
      return `${payload.isError === true ? "error" : "result"} ${name(payload.callId)}: ${excerpt(payload.output)}${media(payload.media?.length ?? 0)}`;
    case "file_content":
      return fileLine(payload, wording);
    case "context_management":
      return managementLine(payload, wording);
    case "task_boundary":
      return `${payload.lost === undefined ? "" : "lost "}task ${quote(payload.name)} (${payload.transformation.kind})${goal(payload.goal, excerpt)}`;
    case "task_summary":
      return `task summary ${quote(payload.name)}, ${counted(payload.files.length, "file")}: ${excerpt(payload.summary)}`;
    case "summary":
      return `${payload.of === "branch" ? "branch summary" : "compaction"}: ${excerpt(payload.text)}`;
    case "restore":
      return `restore ${counted(payload.files.length, "file")}: ${name(payload.fromId)} → ${name(payload.toId)}`;
    case "note":
      return `note for the ${payload.audience}: ${excerpt(payload.text)}`;
    case "lost":
      return lostWords(payload);
    case "unknown":
      return `unknown kind ${name(payload.type)}: ${excerpt(JSON.stringify(payload.data))}`;
    default:
      return payload satisfies never;
  }
}

/**
 * What is special about a node: the state of a task, what is not shown to a model, its label.
 *
 * @param active as `activeTasks` has them, so that nobody climbs for each node.
 */
export function marksOf(
  { id, depth, payload, metadata }: TurnNode,
  context: ConversationContext,
  active: ReadonlySet<string>,
  { quote }: Wording,
): readonly string[] {
  const task = payload.kind === "task_boundary" && depth > 0 ? context.tasks.get(id) : undefined;
  const marks = [
    ...(task === undefined ? [] : [taskState(context, task, active)]),
    ...(metadata.isHiddenFromLlm === true ? ["hidden"] : []),
    ...(context.pruned.has(id) ? ["pruned"] : []),
    ...(metadata.label === undefined ? [] : [`label ${quote(metadata.label)}`]),
  ];
  return marks.length === 0 ? [] : [`[${marks.join(", ")}]`];
}

function media(count: number): string {
  return count === 0 ? "" : ` (+${count} media)`;
}

function thought({ thought, redactedThought }: Extract<TurnPayload, { kind: "model_message" }>): string {
  return thought === undefined && redactedThought === undefined ? "" : " (with thought)";
}

function fileLine({ path, version, sha256, lines, form }: FileContent, { name }: Wording): string {
  return `file ${name(path)} v${version} ${name(shortHash(sha256))} lines ${lines.from}-${lines.to} of ${lines.total} (${form})`;
}

function managementLine(payload: ContextManagement, { name }: Wording): string {
  switch (payload.action) {
    case "overlay":
      return `overlay on ${name(payload.targetId)}: ${formName(payload.form)}`;
    case "reform":
      return `reform of ${payload.changes.map((change) => `${name(change.targetId)}: ${formName(change.form)}`).join(", ")}`;
    case "track_file":
    case "untrack_file":
      return `${payload.action.replace("_", " ")} ${name(payload.path)}`;
    default:
      return payload satisfies never;
  }
}

function formName(form: OverlayForm): string {
  return form.form === "replaced" ? `replaced (${form.by})` : form.form;
}

function goal(text: string | undefined, excerpt: (text: string) => string): string {
  return text === undefined ? "" : `: ${excerpt(text)}`;
}
