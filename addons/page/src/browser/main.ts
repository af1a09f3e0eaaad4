import type { TreeShape } from "@holdfast/core/conversation";
import type { TurnNode } from "@holdfast/core/conversation/values";
import { cappedLines } from "@holdfast/core/text";
import { button, type Child, element, fill, part, plain } from "./dom.js";
import { type FileChoice, filesView } from "./files-pane.js";
import { overviewView } from "./overview-pane.js";
import type { LiveAnswer } from "./page-data.js";
import { seenView } from "./seen-pane.js";
import { resultOf, SessionView } from "./session-view.js";
import { type OnState, openSource } from "./source.js";
import { watchSplitters } from "./split-pane.js";
import { quiet } from "./texts.js";
import { TreePane } from "./tree-pane.js";
import { turnView } from "./turn-pane.js";
import { counted, timeOf } from "./words.js";

/** The page's first file: reads the session that it is given, shows what became of it, and follows it where it can. */
async function open(): Promise<void> {
  const source = openSource(showState);
  part("theme").addEventListener("click", switchTheme);
  part("keys-button").addEventListener("click", showKeys);
  const data = await source.first();
  if (data === undefined) return;
  let later: ReturnType<typeof setTimeout> | undefined;
  const session: SessionView = new SessionView(data, source.fetch, () => {
    // Those that come one after the other are drawn together.
    clearTimeout(later);
    later = setTimeout(() => page.draw(), 150);
  });
  const take = (answer: LiveAnswer) => {
    session.take(answer);
    page.renew();
    header(session, page.tree.shape);
  };
  const page = new Page(session, () => source.whole?.());
  header(session, page.tree.shape);
  page.draw();
  page.tree.focus();
  void source.follow?.(take);
}

const showState: OnState = (kind, text) => {
  const place = part("live");
  place.className = kind === "following" ? "tag state-complete" : "tag bad";
  place.hidden = false;
  // What is said again would be read out again.
  if (place.textContent !== plain(text)) fill(place, text);
};

const views = ["overview", "turn", "seen"] as const;
type View = (typeof views)[number];

class Page {
  readonly tree: TreePane;
  private nodeId: string;
  private view: View = "overview";
  /** What stands in the middle and on the right, so that a growing session leaves alone what one reads. */
  private drawn: readonly unknown[] = [];
  private isReading = false;
  private choice: FileChoice | undefined;

  /** @param readWhole asks for what a cut session lacks. */
  constructor(
    private readonly session: SessionView,
    private readonly readWhole: () => void,
  ) {
    this.tree = new TreePane(
      session.context,
      (nodeId) => this.show(nodeId),
      () => part("middle").focus(),
    );
    this.watchTabs();
    this.watchFilter();
    document.addEventListener("keydown", (event) => this.press(event));
    this.nodeId = this.tree.selected;
    watchSplitters();
  }

  /** Draws what changed of a session that has grown; the place that one reads stays. */
  renew(): void {
    this.tree.show(this.session.context);
    const { selected } = this.tree;
    if (selected !== this.nodeId) this.choice = undefined;
    this.nodeId = selected;
    const node = this.session.node(this.nodeId);
    const state = [this.view, node, node && resultOf(this.session.context, node.id)];
    if (this.view === "overview" || state.some((each, at) => each !== this.drawn[at])) this.draw();
  }

  private show(nodeId: string): void {
    if (nodeId !== this.nodeId) {
      this.choice = undefined;
      part("middle").scrollTop = 0;
    }
    this.nodeId = nodeId;
    if (this.view === "overview") this.turnTo("turn");
    else this.draw();
  }

  draw(): void {
    const node = this.session.node(this.nodeId);
    if (node === undefined) return;
    const result = resultOf(this.session.context, node.id);
    this.drawn = [this.view, node, result];
    const { isCut } = this.session;
    // An overview needs no long text; whatever else is asked for waits for the whole session.
    const waits = isCut && (this.view !== "overview" || this.choice !== undefined);
    if (waits) this.needWhole();
    fill(part("turn-view"), ...(waits ? [quiet("Reading the whole session …")] : this.middle(node)));
    // Of a call the files are shown as its result knows them.
    const files = isCut ? [] : filesView(this.session, result ?? node, this.choice, this.choose);
    fill(part("files-view"), ...files);
  }

  private needWhole(): void {
    if (this.session.isCut && !this.isReading) this.readWhole();
    this.isReading = true;
  }

  private middle(node: TurnNode): readonly Child[] {
    const { session, tree, view } = this;
    const select = (id: string) => tree.select(id);
    switch (view) {
      case "overview":
        return overviewView(session, tree.shape, { select, toFile: (path) => this.toFile(path) });
      case "turn":
        return turnView(session, tree.shape, node, { select, toPrompt: () => this.turnTo("seen") });
      case "seen":
        return seenView(session, node, select);
      default:
        return view satisfies never;
    }
  }

  private readonly choose = (choice: FileChoice): void => {
    this.choice = choice;
    this.draw();
  };

  /** Compares the first state of a file with the one at the head. */
  private toFile(path: string): void {
    const states = this.session.files(this.session.context.currentNodeId).get(path)?.length ?? 0;
    this.choose({ path, from: 1, to: states, whole: false });
    part("right").focus();
  }

  private watchTabs(): void {
    for (const view of views) part(`tab-${view}`).addEventListener("click", () => this.turnTo(view));
    part("tabs").addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const by = event.key === "ArrowLeft" ? views.length - 1 : 1;
      this.turnTo(views[(views.indexOf(this.view) + by) % views.length] ?? "overview");
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
      if (words.value.trim() !== "") this.needWhole();
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
    o: () => this.turnTo("overview"),
    t: () => this.turnTo("turn"),
    m: () => this.turnTo("seen"),
    Escape: () => this.close(),
    "?": showKeys,
  };
}

function header({ context, data, problems, cwd }: SessionView, shape: TreeShape): void {
  const title = context.title ?? "Untitled session";
  document.title = plain(`${cut(title)} · Holdfast`);
  fill(part("title"), title);
  part("title").title = plain(title);
  const facts = [
    ...(cwd === undefined ? [] : [cwd]),
    timeOf(context.rootNode.timestamp),
    counted(context.nodes.size, "node"),
    counted(shape.branches(), "branch", "branches"),
  ];
  fill(part("session-facts"), ...facts.map((fact) => element("span", {}, fact)));
  fill(part("made"), `Session ${data.id} · holdfast ${data.version} · ${timeOf(data.exportedMs)}`);
  part("problems").hidden = problems.length === 0;
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
  ["o  t  m", "the overview; the turn; what the model saw"],
  ["1 2 3", "to the tree, the turn, the files"],
  ["/", "filter the tree"],
  ["Esc", "close what is open: the whole file, what the model saw, the filter; then back to the tree"],
  ["Tab to a line between panes, then ← →", "narrower, wider; Enter as at first"],
];

void open();
