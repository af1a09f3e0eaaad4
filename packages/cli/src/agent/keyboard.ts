import { tmpdir } from "node:os";
import {
  type EditorState,
  type EditorWish,
  editText,
  emptyEditor,
  type Key,
  KeyReader,
  replaced,
  sentWords,
  textOf,
  update,
  view,
  withText,
} from "@holdfast/agent";
import { isRefusal } from "@holdfast/core/files";
import { watchedByWork } from "../shell/interrupt.js";
import { LiveArea, type LiveRows } from "../shell/live-area.js";
import { openRawTerminal, type RawTerminal } from "../shell/raw-terminal.js";
import { escapeName, escapeText, type Terminal } from "../shell/terminal.js";
import { type InputHistory, inputHistory } from "./input-history.js";
import type { Keyboard, KeyboardEvents, Question, TypedLine } from "./typed-lines.js";

/** Completes a text: the candidates, and the end of the text that they stand for. */
export type Completer = (text: string) => Promise<readonly [candidates: readonly string[], end: string]>;

/** What a keyboard is opened with. */
export interface KeyboardOptions {
  readonly terminal: Terminal;
  readonly completer: Completer;
  /** Where the history is kept; nowhere for undefined. */
  readonly stateDir: string | undefined;
}

/** The input of a terminal key by key: a text of several lines is edited below the output, which goes on above it. */
export function keyboard(options: KeyboardOptions, events: KeyboardEvents): Keyboard {
  return new TerminalKeyboard(options, events);
}

class TerminalKeyboard implements Keyboard {
  readonly terminal: Terminal;
  readonly #area: LiveArea;
  readonly #raw: RawTerminal;
  readonly #reader = new KeyReader();
  readonly #history: InputHistory | undefined;
  /** What is typed for the model. */
  #draft: EditorState;
  /** What is typed as an answer. */
  #answer: EditorState | undefined;
  #question: Question | undefined;
  #waiting: readonly TypedLine[] = [];
  /** The sign of life of a turn; empty where there is none. */
  #status = "";
  #timer: NodeJS.Timeout | undefined;
  /** Ctrl-C was pressed where it has nothing to clear or to end: the next one leaves. */
  #mayLeave = false;
  #isElsewhere = false;
  /** Keys that wait for a completion. */
  #later: Key[] | undefined;

  constructor(
    private readonly options: KeyboardOptions,
    private readonly events: KeyboardEvents,
  ) {
    const { terminal, stateDir } = options;
    this.#history = stateDir === undefined ? undefined : inputHistory(stateDir);
    this.#draft = emptyEditor(this.#history?.entries);
    this.#area = new LiveArea((text) => void process.stdout.write(text), width);
    this.terminal = {
      ...terminal,
      out: (text) => {
        this.#print(typeof text === "string" ? text : Buffer.from(text).toString());
        return terminal.out("");
      },
      err: (text) => (terminal.errIsTerminal ? this.#print(text) : terminal.err(text)),
      status: (line) => {
        this.#status = line;
        this.#draw();
      },
    };
    this.#raw = openRawTerminal({
      onBytes: (bytes) => this.#keys(this.#reader.take(bytes)),
      onResize: () => this.#draw(),
      onReturn: () => {
        this.#area.forget();
        this.#draw();
      },
      onEnd: events.onLeave,
    });
  }

  ask(question: Question | undefined): void {
    this.#question = question;
    const { wants, isSecret = false } = question ?? {};
    this.#answer = wants === "answer" ? emptyEditor([], { maySendNothing: true, isSecret }) : undefined;
    this.#draft = { ...this.#draft, isBusy: wants !== "prompt" };
    this.#draw();
  }

  waiting(lines: readonly TypedLine[]): void {
    this.#waiting = lines;
    this.#draw();
  }

  takeBack(lines: readonly TypedLine[]): void {
    if (lines.length === 0) return;
    const begun = textOf(this.#draft);
    const texts = [...lines.map(({ text }) => text), ...(begun === "" ? [] : [begun])];
    this.#draft = withText(this.#draft, texts.join("\n"));
  }

  echo({ label }: Question, { shown }: TypedLine): void {
    this.#question = undefined;
    this.#area.draw(undefined);
    this.#area.print(`${label}${shown}\n`);
    this.#draw();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#area.draw(undefined);
    this.#raw.close();
  }

  get #state(): EditorState {
    return this.#answer ?? this.#draft;
  }

  #set(state: EditorState): void {
    if (this.#answer === undefined) this.#draft = state;
    else this.#answer = state;
  }

  #keys(keys: readonly Key[]): void {
    clearTimeout(this.#timer);
    if (this.#later !== undefined) return void this.#later.push(...keys);
    const sent: TypedLine[] = [];
    for (const [at, key] of keys.entries()) {
      const before = this.#state;
      const after = update(before, key);
      this.#set(after);
      const { wish } = after;
      const mayLeave = this.#mayLeave;
      this.#mayLeave = false;
      if (wish === undefined) continue;
      if (wish.kind === "send" || wish.kind === "queue") sent.push(this.#sent(before, wish));
      else if (wish.kind !== "complete") this.#do(wish.kind, mayLeave);
      else {
        void this.#complete(keys.slice(at + 1));
        break;
      }
    }
    if (sent.length > 0) this.events.onLines(sent);
    const { waitsMs } = this.#reader;
    if (waitsMs !== undefined) this.#timer = setTimeout(() => this.#keys(this.#reader.flush()), waitsMs);
    this.#draw();
  }

  #sent(before: EditorState, { kind, text }: Extract<EditorWish, { text: string }>): TypedLine {
    if (this.#answer === undefined) this.#history?.add(text);
    return { text, shown: sentWords(before, ""), steers: kind === "send" };
  }

  #do(wish: Exclude<EditorWish["kind"], "send" | "queue" | "complete">, mayLeave: boolean): void {
    const isIdle = this.#question?.wants === "prompt";
    switch (wish) {
      case "interrupt":
        // As the signal that it is elsewhere: the work ends, and a second one ends the program.
        if (!isIdle) process.kill(process.pid, "SIGINT");
        else if (mayLeave) this.events.onLeave();
        else this.#hint("Ctrl-C once more leaves.");
        this.#mayLeave = isIdle;
        return;
      case "leave":
        if (this.#question !== undefined) this.events.onLeave();
        return;
      case "escape":
        this.events.onEscape();
        return;
      case "suspend":
        // Behind all that these keys draw.
        setImmediate(() => {
          this.#area.draw(undefined);
          this.#raw.suspend();
        });
        return;
      case "redraw":
        this.#area.forget("\u001b[H\u001b[2J");
        return;
      case "edit":
        void this.#edit();
        return;
      default:
        wish satisfies never;
    }
  }

  /** @param later keys that were pressed behind Tab, which are for what it gives. */
  async #complete(later: readonly Key[]): Promise<void> {
    this.#later = [...later];
    const before = this.#draft;
    const found = this.#answer === undefined && before.text !== "";
    const [candidates, end] = found
      ? await this.options.completer(before.text.slice(0, before.cursor))
      : [[], ""];
    const [only, second] = candidates;
    const isWhole = only !== undefined && second === undefined && !only.endsWith("/");
    const common = isWhole ? `${only} ` : commonStart(candidates);
    if (isWhole || common.length > end.length)
      this.#draft = replaced(this.#draft, before.cursor - end.length, common);
    else if (only !== undefined) this.#hint(candidates.slice(0, mostCandidates).map(escapeName).join("  "));
    const keys = this.#later;
    this.#later = undefined;
    this.#keys(keys);
  }

  async #edit(): Promise<void> {
    if (this.#answer !== undefined || this.#isElsewhere) return;
    this.#isElsewhere = true;
    const text = textOf(this.#draft);
    const asked = { text, name: "prompt.md", environment: process.env, tempDir: tmpdir() };
    // Ctrl-C is the editor's.
    const watched = watchedByWork();
    const edited = await this.#area.outside(() => this.#raw.outside(() => editText(asked)));
    watched.end();
    this.#isElsewhere = false;
    if (isRefusal(edited)) this.#hint(edited.message);
    // Most editors end a file with a line feed that nobody typed.
    else this.#draft = withText(this.#draft, edited.text.replace(/\r?\n$/u, ""));
    this.#draw();
  }

  #hint(words: string): void {
    this.#area.draw(undefined);
    this.#area.print(`${escapeText(words)}\n`);
  }

  /** What is put out ends the sign of life, as on any terminal. */
  #print(text: string): void {
    if (this.#status !== "" && text !== "") this.terminal.status("");
    this.#area.print(text);
  }

  #draw(): void {
    if (this.#isElsewhere) return;
    const state = this.#state;
    // Where nothing is asked, nothing looks as if it were.
    const isIdle = this.#question === undefined && state.text === "" && state.search === undefined;
    if (!isIdle || this.#waiting.length > 0) this.#area.draw(this.#rows(state));
    else if (this.#status === "") this.#area.draw(undefined);
    else this.#area.draw({ lines: [this.#status, ""], cursor: { row: 1, column: 0 } });
  }

  #rows(state: EditorState): LiveRows {
    const columns = width();
    const status = this.#status === "" ? [] : [this.#status];
    const room = Math.max(1, (process.stdout.rows || 24) - 1 - status.length);
    const waiting = this.#waiting.slice(0, Math.max(0, Math.min(mostWaiting, room - 1)));
    const above = waiting.map(({ shown }) => cutTo(`  then: ${shown.replace(/\n\s*/g, " / ")}`, columns));
    const label = this.#question?.label ?? "> ";
    const drawn = view(state, { columns, rows: room - above.length, label });
    const { row, column } = drawn.cursor;
    const lines = [...status, ...above, ...drawn.lines];
    return { lines, cursor: { row: row + status.length + above.length, column } };
  }
}

/** A terminal that has no size says 0. */
function width(): number {
  return process.stdout.columns || 80;
}

const mostCandidates = 60;
const mostWaiting = 5;

function commonStart(texts: readonly string[]): string {
  const [first = "", ...others] = texts;
  let length = first.length;
  while (!others.every((text) => text.startsWith(first.slice(0, length)))) length -= 1;
  return first.slice(0, length);
}

/** The first row of a text. */
function cutTo(text: string, columns: number): string {
  const shown = withText(emptyEditor(), text);
  return view({ ...shown, cursor: 0 }, { columns, rows: 1, label: "" }).lines[0] ?? "";
}
