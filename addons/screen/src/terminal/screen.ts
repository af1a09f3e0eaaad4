import type { AgentEvent } from "@holdfast/agent";
import { type Commands, editText } from "@holdfast/agent/host";
import {
  approvalModes,
  type DiffOptions,
  type EditedText,
  elastic,
  type Highlighter,
  signMs,
  span,
  type Theme,
  type WindowSize,
} from "@holdfast/agent/shown";
import { answerAfterMs, type Streams, type TalkOptions, type TurnText, windowSize } from "@holdfast/agent/ui";
import { isRefusal, type Refusal } from "@holdfast/core/files/values";
import { defined, escapeText } from "@holdfast/core/text";
import type { EditorWish } from "../input/editor.js";
import { type Key, KeyReader, remapped } from "../input/keys.js";
import { loadHighlighter } from "../markdown/highlight.js";
import type { Tail } from "../screen/frame.js";
import { keysHelp } from "../screen/help.js";
import type { Modal, ModalStep } from "../screen/modal.js";
import { pager } from "../screen/pager.js";
import { committed, committedTexts, type Finished, prose, rowOf } from "../screen/rows.js";
import { type ShownRun, type StatusFacts, serverWords, staleFiles, statusFacts } from "../screen/status.js";
import { type ScreenState, screenState, updateScreen, type WholeText, wholeTexts } from "../screen/update.js";
import { viewScreen } from "../screen/view.js";
import { treeAtPrompt, windowOf } from "../windows/window-of.js";
import type { Clipboard } from "./clipboard.js";
import { type FirstTimes, openFirstTimes } from "./first-times.js";
import { Frames } from "./frames.js";
import { inputHistory } from "./input-history.js";
import { OwnStatus } from "./own-status.js";
import { openRawTerminal, type RawTerminal } from "./raw-terminal.js";
import { type Completer, TypedInput, waitingQuestion } from "./typed-input.js";
import type { Keyboard, KeyboardEvents, Question, SentLine } from "./typed-lines.js";

/** What a screen is opened with. */
interface ScreenOptions extends TalkOptions {
  readonly theme: Theme;
  readonly completer: Completer;
  readonly clipboard: Clipboard;
}

/** How a modal ended. */
type Closed = Extract<ModalStep, { kind: "closed" }>;

/** The modal that has the window. */
interface OpenModal {
  shown: Modal;
  /** Since when it is. */
  sinceMs: number;
  readonly closed: (how: Closed) => void;
}

/**
 * The terminal as people work in it: what is finished goes to its scrollback, and below it is a tail that shows what goes
 * on and what is typed. It holds the only timers and streams; what is shown is made by pure functions.
 */
export class Screen implements Keyboard {
  readonly terminal: Streams;
  readonly #frames: Frames;
  readonly #raw: RawTerminal;
  readonly #reader = new KeyReader();
  readonly #input: TypedInput;
  readonly #firstTimes: FirstTimes;
  #run: ShownRun | undefined;
  #facts: StatusFacts | undefined;
  readonly #own: OwnStatus | undefined;
  #turn: ScreenState | undefined;
  /** With the long texts of turns that are over. */
  #former: ScreenState | undefined;
  #modal: OpenModal | undefined;
  /** The last line that was put out, where it has no end. */
  #open = "";
  #hint: string | undefined;
  #highlight: Highlighter | undefined;
  #timer: NodeJS.Timeout | undefined;
  #listening: NodeJS.Timeout | undefined;
  /** Ctrl-C was pressed where it has nothing to clear or to end: the next one leaves, until then. */
  #leavesUntilMs = 0;
  #isElsewhere = false;
  /** Keys that wait for a completion. */
  #later: Key[] | undefined;
  #lastKeyMs = Date.now();
  #escapedMs = 0;
  #isClosed = false;

  constructor(
    private readonly options: ScreenOptions,
    private readonly events: KeyboardEvents,
  ) {
    const { terminal, stateDir, completer, ui } = options;
    const history = stateDir === undefined ? undefined : inputHistory(stateDir);
    this.#firstTimes = openFirstTimes(stateDir);
    const { statusLine = "" } = ui;
    this.#own = statusLine === "" ? undefined : new OwnStatus(statusLine, () => this.#frames.changed());
    const movesMs = () => {
      if (this.#input.isAnswer) return undefined;
      const isMoving = this.#background.length > 0 || serverWords(this.#run?.servers() ?? []).isWaiting;
      return this.#turn === undefined ? (isMoving ? 1_000 : undefined) : signMs;
    };
    this.#frames = new Frames((size) => this.#tail(size), movesMs);
    this.#input = new TypedInput(completer, history, () => this.#frames.changed(), ui.editing === "vi");
    this.terminal = {
      ...terminal,
      out: (text) => {
        this.#print(typeof text === "string" ? text : Buffer.from(text).toString());
        return terminal.out("");
      },
      err: (text) =>
        terminal.errIsTerminal
          ? this.#print(this.#isRead ? text : prose(text, windowSize().columns))
          : terminal.err(text),
      status: () => {},
    };
    this.#raw = openRawTerminal({
      onBytes: (bytes) => this.#keys(this.#reader.take(bytes)),
      onResize: () => this.#frames.changed(),
      onReturn: () => this.#frames.return(),
      onEnd: events.onLeave,
    });
    process.once("exit", this.#close);
  }

  /** Shows this run from now on; undefined where there is none any more. */
  attach(run: ShownRun | undefined): void {
    this.#run = this.#isRead ? undefined : run;
    this.#facts = this.#factsNow;
    this.#frames.changed();
  }

  /** Opens the window that a command has. @returns whether it has one here. */
  async opened(line: string): Promise<boolean> {
    const modal = this.#run && windowOf(line, this.#run.host, windowSize().columns);
    if (modal !== undefined) await this.#show(modal);
    return modal !== undefined;
  }

  ask(question: Question | undefined): void {
    this.#input.ask(question);
    if (question?.wants === "answer") this.#notify("Holdfast asks.");
    if (question?.wants === "answer" && this.#input.text !== "" && this.#isRead) this.#say(waitingQuestion);
    this.#listen();
    if (question?.wants === "prompt") void this.#look();
    this.#frames.changed();
  }

  /** A question takes keys once it may; one that is asked behind a modal, once that is closed. */
  #listen(): void {
    clearTimeout(this.#listening);
    if (this.#modal !== undefined || this.#later !== undefined) return;
    const inMs = this.#input.listen(Date.now() - this.#lastKeyMs);
    if (inMs !== undefined) this.#listening = setTimeout(() => this.#listen(), inMs);
    this.#frames.changed();
  }

  waiting(lines: readonly SentLine[]): void {
    this.#input.waiting = lines;
    this.#frames.changed();
  }

  takeBack(lines: readonly SentLine[]): void {
    this.#input.takeBack(lines);
    this.#frames.changed();
  }

  echo({ label, wants }: Question, { shown }: SentLine): void {
    this.#input.ask(undefined);
    const kind = wants === "prompt" ? "strong" : "plain";
    this.#commit(`${label}${shown}`.split("\n").map((text) => committed([elastic(text, kind)])));
  }

  /** A turn on this screen, from its first event to `end`; undefined where lines alone are written. */
  turn(): TurnText | undefined {
    if (this.#isRead) return undefined;
    void this.#loadHighlighter();
    this.#turn = screenState(Date.now(), this.#former);
    return {
      // The end of the turn is told by `end`, below the last words.
      onEvent: (event) => (event.kind === "turn_ended" ? undefined : this.#take(event)),
      notice: (text) => this.#take({ kind: "noticed", text }),
      end: (end) => {
        if (end !== undefined) this.#take({ kind: "turn_ended", end });
        this.#former = this.#turn;
        this.#turn = undefined;
        this.#notify("Holdfast is done.");
      },
      aside: (work) => work(),
    };
  }

  /** Gives the window to a modal until it closes. */
  #show(modal: Modal): Promise<Closed> {
    return new Promise((closed) => {
      this.#modal = { shown: modal, sinceMs: Date.now(), closed };
      this.#frames.openWhole((size) => {
        const room = roomIn(size);
        return (this.#modal?.shown.view(room) ?? []).map((line) =>
          rowOf(line, room.columns, this.options.theme),
        );
      });
    });
  }

  close(): void {
    process.off("exit", this.#close);
    this.#close();
    this.#raw.close();
  }

  readonly #close = () => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#listening);
    this.#own?.close();
    if (this.#open !== "") this.#print("\n");
    this.#frames.leave();
  };

  /** Looks at the state of things, and then at the files, which takes longer. */
  async #look(): Promise<void> {
    const facts = this.#refresh();
    if (this.#run === undefined || facts === undefined) return;
    const stale = await staleFiles(this.#run.host);
    if (this.#facts !== facts) return;
    this.#facts = { ...facts, staleFiles: stale };
    this.#frames.changed();
  }

  /** For the first answer that may hold code. */
  async #loadHighlighter(): Promise<void> {
    this.#highlight ??= await loadHighlighter();
  }

  #take(event: AgentEvent): void {
    const step = updateScreen(this.#turn ?? screenState(Date.now()), event, Date.now());
    if (this.#turn !== undefined) this.#turn = step.state;
    if (event.kind === "step_begun" || event.kind === "turn_ended") this.#refresh();
    const first = this.#firstTimes.after(event, this.#run?.host.manager.context);
    this.#commit([...step.commit, ...first.map(committed)]);
    this.#frames.changed();
  }

  #commit(finished: readonly Finished[]): void {
    const { columns } = windowSize();
    this.#frames.commit(committedTexts(finished, columns, this.options.theme, this.#highlight));
  }

  #tail(size: { readonly columns: number; readonly rows: number }): Tail {
    const { theme } = this.options;
    const shown = { input: this.#input.shown(this.#hint), nowMs: Date.now() };
    const waits = this.#turn === undefined ? [] : (this.#run?.waitsFor() ?? []);
    const servers = [...serverWords(this.#run?.servers() ?? []).words, ...waits];
    const own = defined({ own: this.#own?.words });
    const status = this.#facts && { ...this.#facts, servers, ...own };
    const drawn = { turn: this.#turn, status, background: this.#background };
    return viewScreen({ ...shown, ...drawn, highlight: this.#highlight }, size, theme);
  }

  get #isRead(): boolean {
    return this.options.ui.reading === true;
  }

  #refresh(): StatusFacts | undefined {
    const facts = this.#factsNow;
    this.#facts = facts;
    if (this.#run !== undefined && facts !== undefined) void this.#own?.look(this.#run.host, facts);
    return facts;
  }

  get #factsNow(): StatusFacts | undefined {
    return this.#run && statusFacts(this.#run.host);
  }

  /** What runs in the background. */
  get #background(): ReturnType<Commands["inBackground"]> {
    return this.#run?.commands.inBackground().filter(({ end }) => end === undefined) ?? [];
  }

  #keys(pressed: readonly Key[]): void {
    clearTimeout(this.#timer);
    const keys = pressed.flatMap((key) => remapped(key, this.options.ui.keys ?? {}) ?? []);
    const beforeMs = this.#lastKeyMs;
    this.#lastKeyMs = Date.now();
    if (this.#later !== undefined) return void this.#later.push(...keys);
    const sent: SentLine[] = [];
    for (const [at, key] of keys.entries()) {
      this.#hint = undefined;
      if (this.#modal !== undefined) this.#modalKeys(this.#modal, key, beforeMs);
      else if (!this.#ownKey(key)) {
        const { shownText } = this.#input;
        const wish = this.#input.key(key, keys.length === 1);
        const mayLeave = Date.now() < this.#leavesUntilMs;
        this.#leavesUntilMs = 0;
        if (wish?.kind === "complete") {
          void this.#complete(keys.slice(at + 1));
          break;
        }
        if (wish?.kind === "send" || wish?.kind === "queue") sent.push(this.#input.sent(wish, shownText));
        else if (wish !== undefined) this.#do(wish.kind, mayLeave);
      }
    }
    if (sent.length > 0) this.events.onLines(sent);
    const { waitsMs } = this.#reader;
    if (waitsMs !== undefined) this.#timer = setTimeout(() => this.#keys(this.#reader.flush()), waitsMs);
    if (!this.#isRead) void this.#input.suggest();
    this.#listen();
    this.#frames.now();
  }

  /** Whether a key is for the screen, whatever is typed. */
  #ownKey(key: Key): boolean {
    const isIdle = this.#input.question?.wants === "prompt" && this.#input.text === "";
    if (key.kind === "text" && key.text === "?" && isIdle && !this.#isRead)
      void this.#show(pager([this.#help]));
    else if (key.kind === "chord" && key.chord === "ctrl-o") this.#showWhole();
    else if (key.kind === "chord" && key.chord === "ctrl-v") void this.#pasteImage();
    else if (isIdle && key.kind === "chord" && key.chord === "escape" && this.#escapes()) {
      if (this.#run !== undefined) void this.#show(treeAtPrompt(this.#run.host));
    } else if (key.kind === "chord" && key.chord === "shift-tab" && this.#run !== undefined) {
      const { agent } = this.#run.host;
      agent.setMode(
        approvalModes[(approvalModes.indexOf(agent.mode) + 1) % approvalModes.length] ?? agent.mode,
      );
      this.#facts = this.#factsNow;
    } else return false;
    return true;
  }

  /** What can be done with the keyboard, and which keys the person has changed. */
  get #help(): WholeText {
    const own = Object.entries(this.options.ui.keys ?? {}).map(([key, by]) => [
      span(`${key} `, "accent"),
      span(by === "" ? "does nothing, by your settings" : `does what ${by} does, by your settings`),
    ]);
    return { ...keysHelp, lines: [...own, ...keysHelp.lines] };
  }

  /** Whether Esc was pressed a second time. */
  #escapes(): boolean {
    const isSecond = Date.now() - this.#escapedMs < doubleMs;
    this.#escapedMs = isSecond ? 0 : Date.now();
    return isSecond;
  }

  async #pasteImage(): Promise<void> {
    const name = await this.options.clipboard.take();
    if (typeof name === "string") this.#input.key({ kind: "paste", text: `${name} ` });
    else this.#say(name.message);
    this.#frames.changed();
  }

  #showWhole(): void {
    const state = this.#turn ?? this.#former;
    const texts = state === undefined ? [] : wholeTexts(state, (id) => this.#run?.commands.textOf(id));
    if (texts.length === 0) this.#say("Nothing was cut yet.");
    else void this.#show(pager(texts));
  }

  #do(wish: Exclude<EditorWish["kind"], "send" | "queue" | "complete">, mayLeave: boolean): void {
    const isIdle = this.#input.question?.wants === "prompt";
    switch (wish) {
      case "interrupt":
        // As the signal that it is elsewhere: the work ends, and a second one ends the program.
        if (!isIdle) process.kill(process.pid, "SIGINT");
        else if (mayLeave) this.events.onLeave();
        else this.#say("Ctrl-C once more leaves.");
        this.#leavesUntilMs = isIdle ? Date.now() + leavingMs : 0;
        return;
      case "leave":
        if (this.#input.question !== undefined) this.events.onLeave();
        return;
      case "escape":
        this.events.onEscape();
        return;
      case "suspend":
        // Behind all that these keys draw.
        setImmediate(() => {
          this.#frames.leave();
          this.#raw.suspend();
        });
        return;
      case "redraw":
        // Some terminals keep in their scrollback what a clearing takes away.
        this.#frames.leave();
        this.#frames.return("\u001b[H\u001b[2J");
        return;
      case "edit":
        void this.#edit();
        return;
      default:
        wish satisfies never;
    }
  }

  /** Letters that came together are keys of their own there; what follows its end is let go. */
  #modalKeys(modal: OpenModal, key: Key, beforeMs: number): void {
    const isEarly = Date.now() - Math.max(beforeMs, modal.sinceMs) < answerAfterMs;
    if (modal.shown.isQuestion === true && isEarly && key.kind !== "chord") return;
    const keys = key.kind === "text" ? Array.from(key.text, (text): Key => ({ kind: "text", text })) : [key];
    for (const one of keys) if (this.#modal === modal) this.#modalKey(modal, one);
  }

  #modalKey(modal: OpenModal, key: Key): void {
    const step = modal.shown.update(key, roomIn(windowSize()));
    if (step.kind === "shown") {
      modal.shown = step.modal;
      // What was looked up is shown unless something else is meanwhile.
      void step.wish?.().then((found) => {
        if (this.#modal !== modal || modal.shown !== step.modal) return;
        modal.shown = found;
        modal.sinceMs = Date.now();
        this.#frames.changed();
      });
      return;
    }
    this.#modal = undefined;
    this.#frames.closeWhole();
    if (step.text !== undefined) this.#input.text = step.text;
    modal.closed(step);
    if (step.line !== undefined)
      this.events.onLines([
        { text: step.line, shown: escapeText(step.line), steers: false, isAnswer: false },
      ]);
  }

  /** @param later keys that were pressed behind Tab, which are for what it gives. */
  async #complete(later: readonly Key[]): Promise<void> {
    this.#later = [...later];
    await this.#input.complete();
    const keys = this.#later;
    this.#later = undefined;
    this.#keys(keys);
  }

  /** Lets the person's editor have the terminal. */
  async edit(text: string, name: string, signal?: AbortSignal): Promise<EditedText | Refusal> {
    this.#isElsewhere = true;
    // Ctrl-C is the editor's.
    const watched = this.options.watchInterrupt();
    this.#frames.leave();
    const edited = await this.#raw.outside(() => editText({ text, name, signal }));
    watched.end();
    this.#isElsewhere = false;
    return edited;
  }

  /** How a diff is drawn here: both sides beside each other where there is room. */
  get diff(): DiffOptions {
    if (this.#isRead) return {};
    const { columns } = windowSize();
    const besideIn = columns >= besideColumns ? columns - 1 : undefined;
    return defined({ besideIn, highlight: this.#highlight });
  }

  async #edit(): Promise<void> {
    if (this.#input.isAnswer || this.#isElsewhere) return;
    const edited = await this.edit(this.#input.text, "prompt.md");
    if (isRefusal(edited)) this.#say(edited.message);
    // Most editors end a file with a line feed that nobody typed.
    else this.#input.text = edited.text.replace(/\r?\n$/u, "");
    this.#frames.changed();
  }

  /** Says something that is gone with the next key; for those who hear the terminal, a line. */
  #say(words: string): void {
    if (this.#isRead) this.#print(`${escapeText(words)}\n`);
    else this.#hint = words;
  }

  /** Puts out a text above the tail, line by line. */
  #print(text: string): void {
    const lines = (this.#open + text).split("\n");
    this.#open = lines.pop() ?? "";
    this.#frames.commit(lines);
  }

  /** Calls a person who has not pressed a key for a while. */
  #notify(words: string): void {
    const { notify = "bell" } = this.options.ui;
    if (notify === "off" || Date.now() - this.#lastKeyMs < elsewhereMs) return;
    process.stdout.write(notify === "bell" ? "\u0007" : `\u001b]9;${words}\u0007`);
  }
}

/** What a modal has of a window: nothing stands in its last column. */
function roomIn({ columns, rows }: WindowSize): WindowSize {
  return { columns: columns - 1, rows };
}

const besideColumns = 120;
const elsewhereMs = 20_000;
const doubleMs = 600;
const leavingMs = 2_000;
