import { nodeHolds } from "@holdfast/core/context";
import { chatterWords, isPruned, TreeShape } from "@holdfast/core/conversation";
import { type ConversationContext, excerptOf, type TurnNode } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { callWords } from "./call-words.js";
import { element, fill, part } from "./dom.js";
import { callShowing, resultOf } from "./session-view.js";
import { chatterLines, foldsAbove, neighbourBranch, type TreeRow, treeRows } from "./tree-rows.js";
import { kindWords, wordOf } from "./words.js";

/** The tree on the left: only the lines in view are in the document, so that its length costs nothing. */
export class TreePane {
  private readonly list = part("tree");
  private readonly lines = part("tree-lines");
  private readonly count = part("tree-count");
  shape: TreeShape;
  private readonly folded = new Set<string>();
  private readonly opened = new Set<string>();
  /** By each node of chatter the one whose line stands for it. */
  private chatter: ReadonlyMap<string, string>;
  private rows: readonly TreeRow[] = [];
  private rowAt: ReadonlyMap<string, number> = new Map();
  selected: string;
  private shows: ((node: TurnNode) => boolean) | undefined;

  /** @param onSelect told of each node that is selected here. @param onOpen it is to be read. */
  constructor(
    private context: ConversationContext,
    private readonly onSelect: (nodeId: string) => void,
    private readonly onOpen: () => void,
  ) {
    this.selected = context.currentNodeId;
    this.shape = new TreeShape(context, { tasksAside: false });
    this.chatter = chatterLines(this.shape);
    this.list.addEventListener("scroll", () => this.draw(), { passive: true });
    this.list.addEventListener("keydown", (event) => this.press(event));
    this.list.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.draw()).observe(this.list);
    this.lay();
    this.selected = this.rowOf(this.selected);
    this.reveal();
  }

  /** Draws the tree anew; who stood at the head stands at the new one. */
  show(context: ConversationContext): void {
    const wasAtHead = this.selected === this.rowOf(this.context.currentNodeId);
    this.context = context;
    this.shape = new TreeShape(context, { tasksAside: false });
    this.chatter = chatterLines(this.shape);
    const isGone = !context.nodes.has(this.selected);
    this.lay();
    if (!wasAtHead && !isGone) return;
    this.selected = this.rowOf(context.currentNodeId);
    this.reveal();
  }

  /** Shows only nodes whose text holds these words and whose kind is asked for; all where neither is given. */
  filter(words: string, kinds: ReadonlySet<string> | undefined): void {
    const says = nodeHolds(words);
    const all = words.trim() === "" && kinds === undefined;
    this.shows = all
      ? undefined
      : (node) => (kinds?.has(node.payload.kind) ?? true) && (words.trim() === "" || says(node));
    this.lay();
    this.selected = this.rowOf(this.selected);
    this.reveal();
  }

  select(nodeId: string): void {
    const hiding = foldsAbove(this.context, this.folded, nodeId);
    for (const id of hiding) this.folded.delete(id);
    const line = this.chatter.get(nodeId);
    const isChatter = line !== undefined && line !== nodeId;
    if (isChatter) this.opened.add(line);
    if (isChatter || hiding.length > 0) this.lay();
    this.selected = this.rowOf(nodeId);
    this.reveal();
    this.onSelect(this.selected);
  }

  /** The node in whose row another one is shown. A filter shows each in its own. */
  private rowOf(nodeId: string): string {
    const node = this.context.nodes.get(nodeId);
    if (node === undefined || this.shows !== undefined || this.rowAt.has(nodeId)) return nodeId;
    return callShowing(this.context, node)?.id ?? nodeId;
  }

  focus(): void {
    this.list.focus();
  }

  /** To the branch before or after the one on which the selected node stands. */
  step(by: 1 | -1): void {
    const next = neighbourBranch(this.shape, this.selected, by);
    if (next !== undefined) this.select(next);
  }

  private lay(): void {
    const { folded, opened, shows } = this;
    const within = (node: TurnNode) => callShowing(this.context, node) !== undefined;
    this.rows = treeRows(this.shape, { folded, opened, within, ...defined({ shows }) });
    this.rowAt = new Map(this.rows.map(({ node }, at) => [node.id, at]));
    const of = shows === undefined ? "" : ` of ${this.context.nodes.size}`;
    fill(this.count, `${this.rows.length}${of} ${shows === undefined ? "lines" : "nodes"}`);
    this.lines.style.height = `${this.rows.length * rowHeight}px`;
    this.draw();
  }

  private draw(): void {
    const { clientHeight } = this.list;
    // Lines of before, which stand in the list still, hold it scrolled further than there are rows now.
    const furthest = Math.max(0, this.rows.length * rowHeight - clientHeight);
    const scrollTop = Math.min(this.list.scrollTop, furthest);
    const from = Math.max(0, Math.floor(scrollTop / rowHeight) - spareRows);
    const to = Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / rowHeight) + spareRows);
    const at = this.selectedAt();
    const near = this.rows.slice(from, to).map((row, index) => this.line(row, from + index));
    const selected = this.rows[at];
    const away = selected !== undefined && (at < from || at >= to) ? [this.line(selected, at)] : [];
    this.lines.replaceChildren(...near, ...away);
    if (selected === undefined) this.list.removeAttribute("aria-activedescendant");
    else this.list.setAttribute("aria-activedescendant", lineId(selected.node.id));
  }

  private line(row: TreeRow, at: number): HTMLElement {
    const { node, indent, level, startsBranch, folded, chatter } = row;
    const { payload, metadata } = node;
    const head = this.context.currentNodeId;
    const isHead = node.id === head || node.id === this.rowOf(head);
    const result = payload.kind === "tool_call" ? resultOf(this.context, node.id) : undefined;
    const [word, said] =
      chatter !== undefined
        ? ["chatter", chatterWords(this.context, chatter)]
        : payload.kind === "tool_call"
          ? callWords(payload, result?.payload)
          : [wordOf(payload), excerptOf(payload, 160)];
    const isFailed = isError(node) || (result !== undefined && isError(result));
    const gone = isPruned(this.context, node.id);
    const line = element(
      "div",
      {
        id: lineId(node.id),
        role: "treeitem",
        class: `row kind-${payload.kind}${this.shape.onPath.has(node.id) ? " on-path" : ""}${gone ? " pruned" : ""}${isFailed ? " failed" : ""}`,
        "aria-level": level,
        "aria-posinset": at + 1,
        "aria-setsize": this.rows.length,
        "aria-selected": node.id === this.selected ? "true" : "false",
        "aria-expanded": folded === undefined ? undefined : folded === false ? "true" : "false",
        "data-node": node.id,
      },
      ...lanes(indent, startsBranch && indent > 0),
      element("span", { class: "mark", "aria-hidden": "true" }, kindWords[payload.kind].mark),
      element("span", { class: "word" }, word),
      element("span", { class: "excerpt" }, said),
      ...this.outcomeTag(node, result),
      ...(folded === undefined ? [] : [foldMark(row)]),
      ...(metadata.label === undefined ? [] : [element("span", { class: "tag label" }, metadata.label)]),
      ...(metadata.isHiddenFromLlm === true ? [element("span", { class: "tag" }, "hidden")] : []),
      ...(gone && startsBranch ? [element("span", { class: "tag" }, "pruned")] : []),
      ...(isHead ? [element("span", { class: "tag head" }, "head")] : []),
    );
    line.style.top = `${at * rowHeight}px`;
    return line;
  }

  private selectedAt(): number {
    return this.rowAt.get(this.selected) ?? -1;
  }

  private reveal(): void {
    const at = this.selectedAt();
    if (at < 0) return;
    const { scrollTop, clientHeight } = this.list;
    const top = at * rowHeight;
    if (top < scrollTop + rowHeight) this.list.scrollTop = top - rowHeight;
    else if (top + 2 * rowHeight > scrollTop + clientHeight)
      this.list.scrollTop = top + 2 * rowHeight - clientHeight;
    this.draw();
  }

  private outcomeTag(
    { id, payload, childIds }: TurnNode,
    result: TurnNode | undefined,
  ): readonly HTMLElement[] {
    if (payload.kind !== "tool_call") return [];
    if (result !== undefined) return isError(result) ? [element("span", { class: "tag bad" }, "failed")] : [];
    const isOpen = childIds.length === 0 && id === this.context.currentNodeId;
    return [element("span", { class: isOpen ? "tag" : "tag bad" }, isOpen ? "open" : "no answer")];
  }

  /** Chatter is folded unless it is opened, all else open unless it is folded. */
  private fold(id: string, fold: boolean): void {
    const isChatter = this.chatter.get(id) === id;
    if (fold !== isChatter) (isChatter ? this.opened : this.folded).add(id);
    else (isChatter ? this.opened : this.folded).delete(id);
    this.lay();
  }

  private click(event: MouseEvent): void {
    const line = event.target instanceof Element ? event.target.closest("[data-node]") : null;
    const id = line?.getAttribute("data-node") ?? null;
    if (id === null) return;
    const onFold = event.target instanceof Element && event.target.closest(".fold") !== null;
    if (onFold) this.fold(id, this.rows.find(({ node }) => node.id === id)?.folded === false);
    this.select(id);
    if (event.detail > 1) this.onOpen();
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  private move(by: number): void {
    const at = this.selectedAt();
    const to = at < 0 ? 0 : Math.min(this.rows.length - 1, Math.max(0, at + by));
    const row = this.rows[to];
    if (row !== undefined) this.select(row.node.id);
  }

  /** Closes what is open here, else goes to the node that holds this one. */
  private left(): void {
    const row = this.rows[this.selectedAt()];
    if (row === undefined) return;
    if (row.folded === false) this.fold(row.node.id, true);
    else this.move(-this.rowsToParent(row));
  }

  private right(): void {
    const row = this.rows[this.selectedAt()];
    if (row === undefined) return;
    if (typeof row.folded === "number") this.fold(row.node.id, false);
    else this.move(1);
  }

  private rowsToParent({ level }: TreeRow): number {
    const at = this.selectedAt();
    for (let up = at - 1; up >= 0; up -= 1) if ((this.rows[up]?.level ?? level) < level) return at - up;
    return 0;
  }

  private page(): number {
    return Math.max(1, Math.floor(this.list.clientHeight / rowHeight) - 1);
  }

  private readonly keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => this.move(1),
    j: () => this.move(1),
    ArrowUp: () => this.move(-1),
    k: () => this.move(-1),
    PageDown: () => this.move(this.page()),
    PageUp: () => this.move(-this.page()),
    Home: () => this.move(-this.rows.length),
    End: () => this.move(this.rows.length),
    ArrowLeft: () => this.left(),
    ArrowRight: () => this.right(),
    Enter: () => this.onOpen(),
    " ": () => this.onOpen(),
    "[": () => this.step(-1),
    "]": () => this.step(1),
    h: () => this.select(this.context.currentNodeId),
  };
}

/** The same as in the style sheet. */
const rowHeight = 28;
const spareRows = 8;
const mostLanes = 16;

function lineId(nodeId: string): string {
  return `node-${nodeId}`;
}

function lanes(indent: number, forks: boolean): readonly HTMLElement[] {
  // Deeper ones would leave no room for what they hold.
  const drawn = Math.min(indent, mostLanes);
  return Array.from({ length: drawn }, (_, at) =>
    element("span", { class: `lane${forks && at === drawn - 1 ? " fork" : ""}`, "aria-hidden": "true" }),
  );
}

function foldMark({ folded, forks, startsBranch }: TreeRow): HTMLElement {
  const many = typeof folded === "number" ? ` ${folded}` : forks > 0 && !startsBranch ? ` ${forks}` : "";
  return element("span", { class: "fold", "aria-hidden": "true" }, `${folded === false ? "▾" : "▸"}${many}`);
}

function isError({ payload }: TurnNode): boolean {
  return payload.kind === "tool_result" && payload.isError === true;
}
