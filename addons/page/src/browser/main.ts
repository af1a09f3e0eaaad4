import type { TreeShape } from "@holdfast/core/conversation";
import { cappedLines } from "@holdfast/core/text";
import { button, element, fill, part, plain } from "./dom.js";
import { type FileChoice, filesView } from "./files-pane.js";
import { seenView } from "./seen-pane.js";
import { readSessionView, type SessionView } from "./session-view.js";
import { watchSplitters } from "./split-pane.js";
import { TreePane } from "./tree-pane.js";
import { turnView } from "./turn-pane.js";
import { counted, timeOf } from "./words.js";

/** The page's first file: reads the session that stands in it and shows the turn at its head. */
function open(): void {
  const session = readSessionView();
  const page = new Page(session);
  header(session, page.tree.shape);
  page.tree.select(session.context.currentNodeId);
  page.tree.focus();
}

const views = ["turn", "seen"] as const;
type View = (typeof views)[number];

class Page {
  readonly tree: TreePane;
  private nodeId = "";
  private view: View = "turn";
  private choice: FileChoice | undefined;

  constructor(private readonly session: SessionView) {
    this.tree = new TreePane(
      session.context,
      (nodeId) => this.show(nodeId),
      () => part("middle").focus(),
    );
    this.watchTabs();
    this.watchFilter();
    document.addEventListener("keydown", (event) => this.press(event));
    part("theme").addEventListener("click", switchTheme);
    part("keys-button").addEventListener("click", showKeys);
    watchSplitters();
  }

  private show(nodeId: string): void {
    if (nodeId !== this.nodeId) {
      this.choice = undefined;
      part("middle").scrollTop = 0;
    }
    this.nodeId = nodeId;
    this.draw();
  }

  private draw(): void {
    const node = this.session.node(this.nodeId);
    if (node === undefined) return;
    const select = (id: string) => this.tree.select(id);
    const seen = () => this.turnTo("seen");
    const shown =
      this.view === "turn"
        ? turnView(this.session, this.tree.shape, node, { select, toPrompt: seen })
        : seenView(this.session, node, select);
    fill(part("turn-view"), ...shown);
    const choose = (choice: FileChoice) => {
      this.choice = choice;
      this.draw();
    };
    fill(part("files-view"), ...filesView(this.session, node, this.choice, choose));
  }

  private watchTabs(): void {
    for (const view of views) part(`tab-${view}`).addEventListener("click", () => this.turnTo(view));
    part("tabs").addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      this.turnTo(this.view === "turn" ? "seen" : "turn");
      part(`tab-${this.view}`).focus();
    });
  }

  private turnTo(view: View): void {
    this.view = view;
    for (const each of views) {
      const tab = part(`tab-${each}`);
      tab.setAttribute("aria-selected", each === view ? "true" : "false");
      tab.tabIndex = each === view ? 0 : -1;
    }
    part("turn-view").setAttribute("aria-labelledby", `tab-${view}`);
    this.draw();
  }

  private watchFilter(): void {
    const words = part("words") as HTMLInputElement;
    const kinds = part("kinds") as HTMLSelectElement;
    const apply = () => {
      const chosen = kinds.value === "" ? undefined : new Set(kinds.value.split(" "));
      this.tree.filter(words.value, chosen);
    };
    words.addEventListener("input", apply);
    kinds.addEventListener("change", apply);
    words.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.clearFilter();
      if (event.key === "Escape" || event.key === "Enter" || event.key === "ArrowDown") this.tree.focus();
    });
    kinds.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.clearFilter()) this.tree.focus();
    });
  }

  /** @returns whether there was one. */
  private clearFilter(): boolean {
    const words = part("words") as HTMLInputElement;
    const kinds = part("kinds") as HTMLSelectElement;
    if (words.value === "" && kinds.value === "") return false;
    words.value = "";
    kinds.value = "";
    this.tree.filter("", undefined);
    return true;
  }

  /** Closes what was opened last but one may see first; each press closes one thing, then it goes to the tree. */
  private close(): void {
    const keys = part("keys") as HTMLDialogElement;
    const problems = document.querySelector<HTMLDetailsElement>("#problems details[open]");
    if (keys.open) keys.close();
    else if (problems !== null) problems.open = false;
    else if (this.choice?.whole === true) {
      this.choice = { ...this.choice, whole: false };
      this.draw();
    } else if (this.view === "seen") this.turnTo("turn");
    else if (!this.clearFilter()) this.tree.focus();
  }

  /** Keys that mean the same wherever the focus is, but where one types. */
  private press(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.ctrlKey || event.metaKey || event.altKey || typing || event.defaultPrevented) return;
    const act = this.keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  private readonly keys: Readonly<Record<string, () => void>> = {
    "/": () => part("words").focus(),
    "[": () => this.tree.step(-1),
    "]": () => this.tree.step(1),
    "1": () => this.tree.focus(),
    "2": () => part("middle").focus(),
    "3": () => part("right").focus(),
    t: () => this.turnTo("turn"),
    m: () => this.turnTo("seen"),
    Escape: () => this.close(),
    "?": showKeys,
  };
}

function header({ context, data, problems }: SessionView, shape: TreeShape): void {
  const title = context.title ?? "Untitled session";
  document.title = plain(`${cut(title)} · Holdfast`);
  fill(part("title"), title);
  part("title").title = plain(title);
  const first = data.records[0]?.event;
  const cwd = first?.type === "session_started" ? first.cwd : undefined;
  const facts = [
    ...(cwd === undefined ? [] : [cwd]),
    timeOf(context.rootNode.timestamp),
    counted(context.nodes.size, "node"),
    counted(shape.branches(), "branch", "branches"),
    ...(context.orphans.size === 0 ? [] : [counted(context.orphans.size, "orphan")]),
  ];
  fill(part("session-facts"), ...facts.map((fact) => element("span", {}, fact)));
  fill(part("made"), `Session ${data.id} · holdfast ${data.version} · ${timeOf(data.exportedMs)}`);
  if (problems.length === 0) return;
  const messages = cappedLines(problems.map(({ message }) => message));
  const rows = messages.map((message) => element("li", {}, message));
  const notice = element(
    "details",
    {},
    element("summary", {}, `${counted(problems.length, "problem")} in this journal`),
    element("ul", {}, ...rows),
  );
  fill(part("problems"), notice);
  part("problems").hidden = false;
}

/** A title may be a whole message. */
function cut(title: string): string {
  const points = [...title.slice(0, 400)];
  return points.length <= 100 ? title : `${points.slice(0, 99).join("")}…`;
}

/** Light, dark, or as the system has it: each press goes one on. */
function switchTheme(): void {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme ?? (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
}

function showKeys(): void {
  const dialog = part("keys") as HTMLDialogElement;
  if (dialog.open) {
    dialog.close();
    return;
  }
  const rows = keyTable.map(([keys, does]) =>
    element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, does)),
  );
  fill(part("key-rows"), ...rows);
  fill(
    part("key-close"),
    button({ class: "link" }, () => dialog.close(), "Close"),
  );
  dialog.showModal();
}

const keyTable: readonly (readonly [string, string])[] = [
  ["↑ ↓  or  k j", "the node above, below"],
  ["← →", "fold, unfold; to the branch it is in, into it"],
  ["Home End", "the first, the last node"],
  ["Page ↑ ↓", "a screen up, down"],
  ["[  ]", "the branch before, after, at the nearest fork"],
  ["h", "to the head"],
  ["Enter", "read the selected turn"],
  ["t  m", "the turn; what the model saw"],
  ["1 2 3", "to the tree, the turn, the files"],
  ["/", "filter the tree"],
  ["Esc", "close what is open: the whole file, what the model saw, the filter; then back to the tree"],
  ["Tab to a line between panes, then ← →", "narrower, wider; Enter as at first"],
];

open();
