import type { Refused } from "@holdfast/agent";
import {
  type AskedBack,
  brokenLine,
  elastic,
  isTooSmall,
  type Line,
  type Span,
  span,
  type WindowSize,
  writtenWord,
} from "@holdfast/agent/shown";
import type { DrawnRow } from "@holdfast/core/context";
import { upwards } from "@holdfast/core/conversation";
import type { ConversationContext, TurnNode } from "@holdfast/core/conversation/values";
import type { Key } from "../input/keys.js";
import {
  closes,
  framed,
  keyLines,
  type Modal,
  type ModalStep,
  nameOf,
  rowsAround,
  rowsMoved,
  typedInFoot,
} from "../screen/modal.js";
import { page } from "../screen/pager.js";
import { branchStart, nextHit, type RowFilter, rowFilters, rowsOf, unfoldedRows } from "./tree-rows.js";

/** What the tree is shown from. Nothing of it changes anything. */
export interface TreeSource {
  readonly context: ConversationContext;
  /** What a move would do to each file, and each way to go on. */
  plan(move: "rewind" | "restore", nodeId: string): Promise<AskedBack | Refused>;
  /** How two branches differ, in what was said and in the files. */
  compare(oneId: string, otherId: string): Promise<readonly Line[]>;
  /** All that a node holds. */
  whole(node: TurnNode): readonly Line[];
}

interface ShownTree {
  readonly rows: readonly DrawnRow[];
  readonly at: number;
  readonly folded: ReadonlySet<string>;
  readonly filter: RowFilter;
  readonly words: string;
  /** A text that is being typed: words to search, or a label. */
  readonly typing?: { readonly what: "search" | "label"; readonly text: string };
  /** The first of two rows that are compared. */
  readonly marked?: string;
  /** The plan of a move, which waits for a choice. @param text the prompt that is put into the input with it. */
  readonly asked?: AskedBack & { readonly prompt?: string };
  /** Said once, in the last row. */
  readonly said?: string;
}

/** The tree of a conversation, to walk in. @param fromId where it is opened; the head unless given. */
export function treeModal(source: TreeSource, fromId = source.context.currentNodeId): Modal {
  const rows = rowsOf(source.context, "all");
  const found = rows.findIndex(
    ({ id, isHead }) => id === fromId || (isHead && fromId === source.context.currentNodeId),
  );
  const at = found < 0 ? rows.length - 1 : found;
  return new TreeModal(source, { rows, at, folded: new Set(), filter: "all", words: "" });
}

/** The last prompt of the person above the head: where Esc Esc opens the tree. */
export function lastPrompt(context: ConversationContext): string | undefined {
  for (const { id, payload } of upwards(context, context.currentNodeId))
    if (payload.kind === "user_message") return id;
  return undefined;
}

class TreeModal implements Modal {
  readonly #rows: readonly DrawnRow[];

  constructor(
    private readonly source: TreeSource,
    private readonly shown: ShownTree,
  ) {
    this.#rows = unfoldedRows(shown.rows, shown.folded);
  }

  get isQuestion(): boolean {
    return this.shown.asked !== undefined;
  }

  view(size: WindowSize): readonly Line[] {
    const { asked, at } = this.shown;
    const body = (rows: number) =>
      asked === undefined
        ? rowsAround(this.#rows, at, rows, (row) => this.#row(row))
        : planLines(asked, size.columns, rows);
    return framed(this.#title(), body, this.#foot(size), size);
  }

  update(key: Key, size: WindowSize): ModalStep {
    const { typing, asked } = this.shown;
    if (typing !== undefined) return this.#typed(key, typing);
    const name = nameOf(key);
    return asked === undefined ? this.#key(name, size) : this.#choose(name, asked, size);
  }

  #title(): Line {
    const { filter, marked, rows } = this.shown;
    const count = `${this.#rows.length} of ${rows.length} rows`;
    return [
      span("History ", "heading"),
      elastic(this.source.context.title ?? "", "plain"),
      span(`  ${filter === "all" ? "" : `only ${filter}, `}${count}`, "faint"),
      ...(marked === undefined ? [] : [span("  d: compare with the marked row", "note")]),
    ];
  }

  #row({ id, lead, says, isHead }: DrawnRow) {
    const { folded, marked } = this.shown;
    const node = this.source.context.nodes.get(id);
    const fold = folded.has(id) ? " …" : "";
    const line = [
      span(lead, "faint"),
      (isHead ? elastic : span)(`${says}${fold}`, kindOf(node)),
      ...(isHead ? [span(" ← you are here", "accent")] : []),
    ];
    return { line, isMarked: marked === id };
  }

  #foot(size: WindowSize): readonly Line[] {
    const { typing, asked, said } = this.shown;
    if (typing !== undefined)
      return [[elastic(`${typing.what === "search" ? "/" : "label: "}${typing.text}`), span("▏", "accent")]];
    if (said !== undefined) return [[span(said, "note")]];
    const keys =
      asked === undefined
        ? treeKeys
        : `${asked.choices.map(({ word }) => `[${word[0]}]${word.slice(1)}`).join("  ")}  Esc back`;
    return keyLines(keys, size);
  }

  #key(name: string, { rows: height }: WindowSize): ModalStep {
    const by = rowsMoved(name, height);
    if (by !== undefined) return this.#to(this.shown.at + by);
    const node = this.#node;
    if (closes(name)) return { kind: "closed" };
    switch (name) {
      case "home":
      case "g":
        return this.#to(0);
      case "end":
      case "G":
        return this.#to(this.#rows.length - 1);
      case "left":
        return this.#fold();
      case "right":
        return this.#set({ folded: new Set([...this.shown.folded].filter((id) => id !== node?.id)) });
      case "t": {
        const filter = rowFilters[(rowFilters.indexOf(this.shown.filter) + 1) % rowFilters.length] ?? "all";
        return this.#at(node?.id, { filter, rows: rowsOf(this.source.context, filter) });
      }
      case "/":
        return this.#set({ typing: { what: "search", text: "" } });
      case "n":
      case "N":
        return this.#search(this.shown.words, name === "n" ? 1 : -1);
      case ".":
        return this.#to(this.#rows.findIndex(({ isHead }) => isHead));
      default:
        return node === undefined ? this.#set({}) : this.#act(name, node);
    }
  }

  /** Keys that are about the chosen node. */
  #act(name: string, node: TurnNode): ModalStep {
    const id = writtenWord(node.id);
    switch (name) {
      case "enter":
        return {
          kind: "shown",
          modal: this,
          wish: async () => this.#page("A turn", this.source.whole(node)),
        };
      case "r":
        return this.#plan("rewind", node.id);
      case "e": {
        const isPrompt = node.payload.kind === "user_message" && node.parentId !== null;
        if (!isPrompt || node.payload.kind !== "user_message")
          return this.#set({ said: "Only a prompt of yours can be edited and sent again." });
        return this.#plan("rewind", node.parentId ?? "", node.payload.text);
      }
      case "F":
        return this.#plan("restore", node.id);
      case "f":
        return { kind: "closed", line: `/fork ${id}` };
      case "u":
        return node.payload.kind === "restore"
          ? { kind: "closed", line: `/history restore --undo ${writtenWord(node.payload.restoreId)}` }
          : this.#set({ said: "Choose a restore, which u takes back." });
      case "h":
        return {
          kind: "closed",
          line: `/history ${node.metadata.isHiddenFromLlm === true ? "show" : "hide"} ${id}`,
        };
      case "l":
        return this.#set({ typing: { what: "label", text: node.metadata.label ?? "" } });
      case "d":
        return this.#compare(node.id);
      default:
        return this.#set({});
    }
  }

  #compare(id: string): ModalStep {
    const { marked } = this.shown;
    if (marked === undefined)
      return this.#set({ marked: id, said: "Marked. Choose the other row, and press d again." });
    if (marked === id) return this.#bare();
    const wish = async () => this.#page("Two branches", await this.source.compare(marked, id));
    return { kind: "shown", modal: this, wish };
  }

  #plan(move: "rewind" | "restore", nodeId: string, prompt?: string): ModalStep {
    const wish = async () => {
      const plan = await this.source.plan(move, nodeId);
      const { asked: _, ...rest } = this.shown;
      if (plan.kind === "refusal") return new TreeModal(this.source, { ...rest, said: plan.message });
      return new TreeModal(this.source, {
        ...rest,
        asked: prompt === undefined ? plan : { ...plan, prompt },
      });
    };
    return { kind: "shown", modal: this, wish };
  }

  #choose(name: string, asked: NonNullable<ShownTree["asked"]>, size: WindowSize): ModalStep {
    const { choices, prompt } = asked;
    const { asked: _, ...rest } = this.shown;
    if (closes(name)) return { kind: "shown", modal: new TreeModal(this.source, rest) };
    const chosen = choices.find(({ word }) => name !== "" && word.startsWith(name.toLowerCase()));
    if (chosen === undefined) return { kind: "shown", modal: this };
    if (isTooSmall(size, planLines(asked, size.columns, mostPlanRows).length + 2))
      return this.#set({ said: "This window is too small to show the plan. Make it larger; Esc goes back." });
    return { kind: "closed", line: chosen.line, ...(prompt === undefined ? {} : { text: prompt }) };
  }

  #typed(key: Key, typing: NonNullable<ShownTree["typing"]>): ModalStep {
    const { typing: _, ...rest } = this.shown;
    const bare = new TreeModal(this.source, rest);
    const typed = typedInFoot(typing.text, key);
    if (typed !== undefined) return this.#set({ typing: { ...typing, text: typed } });
    if (key.kind !== "chord" || key.chord !== "enter") return { kind: "shown", modal: bare };
    if (typing.what === "search") return bare.#search(typing.text, 1);
    const text = typing.text.trim();
    const node = this.#node;
    if (text === "" || node === undefined) return { kind: "shown", modal: bare };
    return { kind: "closed", line: `/history label ${writtenWord(text)} --node ${writtenWord(node.id)}` };
  }

  #search(words: string, by: 1 | -1): ModalStep {
    if (words.trim() === "") return this.#bare();
    const { context } = this.source;
    const found = nextHit(this.#rows, this.shown.at, by, { words, context });
    return this.#set(
      found === undefined ? { words, said: `Nothing here holds "${words}".` } : { words, at: found },
    );
  }

  /** Folds the branch of the chosen row, and goes to its first one. */
  #fold(): ModalStep {
    const start = branchStart(this.#rows, this.shown.at);
    if (start === undefined) return this.#set({});
    return this.#at(start.id, { folded: new Set([...this.shown.folded, start.id]) });
  }

  get #node(): TurnNode | undefined {
    return this.source.context.nodes.get(this.#rows[this.shown.at]?.id ?? "");
  }

  #page(title: string, lines: readonly Line[]): Modal {
    const { marked: _, ...rest } = this.shown;
    return page(title, lines, new TreeModal(this.source, rest));
  }

  #to(at: number): ModalStep {
    return this.#set({ at: Math.max(0, Math.min(at, this.#rows.length - 1)) });
  }

  #bare(): ModalStep {
    const { marked: _, ...rest } = this.shown;
    return { kind: "shown", modal: new TreeModal(this.source, rest) };
  }

  #set(changes: Partial<ShownTree>): ModalStep {
    const { said: _, ...rest } = this.shown;
    return { kind: "shown", modal: new TreeModal(this.source, { ...rest, ...changes }) };
  }

  /** Other rows, with the same node chosen where it still has one. */
  #at(id: string | undefined, changes: Partial<ShownTree>): ModalStep {
    const next = { ...this.shown, ...changes };
    const rows = unfoldedRows(next.rows, next.folded);
    const found = rows.findIndex((row) => row.id === id);
    return this.#set({ ...changes, at: found < 0 ? Math.max(0, rows.length - 1) : found });
  }
}

const treeKeys =
  "q close  ↑↓ move  Enter all of it  r rewind  e edit and send again  f fork  F files only  d compare  h hide  l label  ←→ fold  / search  t filter  . head";

/** What happens to each file, whole: a person decides by it. Where it is longer than the window, how much is left out. */
function planLines({ message, text, choices }: AskedBack, columns: number, rows: number): readonly Line[] {
  const said = text === "" ? [] : text.split("\n").flatMap((line) => brokenLine([span(line)], columns - 3));
  const ways = choices.map(({ word, says }): Line => [span(`  ${word}`, "accent"), span(`  ${says}`)]);
  const room = Math.max(1, rows - ways.length - 2);
  const left = said.length - room + 1;
  const files = left <= 1 ? said : [...said.slice(0, -left), [span(`… ${left} more lines`, "faint")]];
  const indented = files.map((line): Line => [span("  "), ...line]);
  return [[span(message, "note")], ...indented, [], ...ways].slice(0, rows);
}

function kindOf(node: TurnNode | undefined): Span["kind"] {
  if (node === undefined || node.metadata.isHiddenFromLlm === true) return "faint";
  if (node.payload.kind === "user_message") return "strong";
  if (node.payload.kind === "task_boundary" || node.payload.kind === "task_summary") return "accent";
  return node.payload.kind === "tool_call" || node.payload.kind === "tool_result" ? "faint" : "plain";
}

const mostPlanRows = 10_000;
