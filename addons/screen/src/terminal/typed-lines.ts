import { readTyped } from "@holdfast/agent";
import type { Streams, TalkTerminal, WatchInterrupt } from "@holdfast/agent/ui";

/** One text that was sent with Enter. */
export interface SentLine {
  readonly text: string;
  /** As the scrollback shows it, without the sign of the prompt. */
  readonly shown: string;
  /** Whether it may go to the model while a turn goes on; else it waits for the end of that. */
  readonly steers: boolean;
  /** Whether it was begun once a question was there to be answered. */
  readonly isAnswer: boolean;
}

/** What is asked of the person. */
export interface Question {
  readonly wants: "prompt" | "answer";
  readonly label: string;
  /** The answer is shown and kept nowhere. */
  readonly isSecret?: boolean;
}

/** Where texts come from: the terminal key by key, or line by line. */
export interface Keyboard {
  /** Output that does not disturb what is being typed. */
  readonly terminal: Streams;
  /** What is wanted from now on; undefined while work goes on. */
  ask(question: Question | undefined): void;
  /** Texts that wait, to be shown above the input. */
  waiting(lines: readonly SentLine[]): void;
  /** Puts texts that were sent back into the input; where there is none, it says that they are given up. */
  takeBack(lines: readonly SentLine[]): void;
  /** Shows a text that is taken now. @param isEarly it was sent before it was wanted. */
  echo(question: Question, line: SentLine, isEarly: boolean): void;
  close(): void;
}

/** What a keyboard reports. */
export interface KeyboardEvents {
  /** The texts that one read brought. */
  readonly onLines: (lines: readonly SentLine[]) => void;
  /** The work that goes on is to end. */
  readonly onEscape: () => void;
  /** The person leaves. */
  readonly onLeave: () => void;
}

interface PendingQuestion {
  readonly question: Question;
  readonly give: (line: string | undefined) => void;
}

const forModel: Question = { wants: "prompt", label: "> " };

/** Texts that a person types or pastes into the terminal. */
export class TypedLines implements Pick<TalkTerminal, "answer" | "prompt"> {
  readonly #keyboard: Keyboard;
  #early: readonly SentLine[] = [];
  #waiting: PendingQuestion | undefined;
  /** A secret was asked for: until something else is, what is typed may be it once more, and is shown and kept nowhere. */
  #isSecret = false;
  #hasLeft = false;
  #ending: AbortController | undefined;

  constructor(
    private readonly watchInterrupt: WatchInterrupt,
    open: (events: KeyboardEvents) => Keyboard,
  ) {
    this.#keyboard = open({
      onLines: (lines) => this.#take(lines),
      onEscape: () => this.#ending?.abort(),
      onLeave: () => {
        this.#hasLeft = true;
        this.#give(undefined);
      },
    });
  }

  get terminal(): Streams {
    return this.#keyboard.terminal;
  }

  /** The next text for the model: one that was sent before, else one that is waited for. Undefined: the person left. */
  async prompt(): Promise<string | undefined> {
    const [early] = this.#early;
    if (early === undefined) return this.#next(forModel);
    this.#takeEarly(early);
    return early.text;
  }

  async answer(label: string, signal?: AbortSignal, isSecret = false): Promise<string | undefined> {
    if (signal?.aborted === true) return undefined;
    const cancel = () => this.#give(undefined);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await this.#next({ wants: "answer", label, isSecret });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** A text that was sent while work goes on and is for the model, in the order sent; undefined where there is none. */
  steer(): string | undefined {
    const found = this.#early.find(({ steers }) => steers);
    if (found !== undefined) this.#takeEarly(found);
    return found?.text;
  }

  /** Runs work that Ctrl-C ends; texts that wait then go back into the input. */
  async cancellable<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const ending = new AbortController();
    this.#ending = ending;
    if (this.#isSecret) this.#keyboard.ask(undefined);
    this.#isSecret = false;
    const watched = this.watchInterrupt(() => ending.abort());
    try {
      return await work(ending.signal);
    } finally {
      watched.end();
      this.#ending = undefined;
      // What was said for work that was ended is not begun by itself.
      if (ending.signal.aborted) this.#keyboard.takeBack(this.#early);
      if (ending.signal.aborted) this.#wait([]);
    }
  }

  close(): void {
    this.#keyboard.close();
  }

  #next(question: Question): Promise<string | undefined> {
    if (this.#hasLeft) return Promise.resolve(undefined);
    this.#isSecret = question.isSecret === true;
    this.#keyboard.ask(question);
    return new Promise((give) => {
      this.#waiting = { question, give };
    });
  }

  #take(lines: readonly SentLine[]): void {
    const [first, ...others] = lines;
    if (first === undefined) return;
    const { question } = this.#waiting ?? {};
    const isAnswer = question?.wants === "answer" && others.length === 0 && first.isAnswer;
    if (question?.wants === "prompt" || isAnswer) {
      this.#keyboard.echo(question, first, false);
      this.#give(first.text);
      if (others.length > 0) this.#wait([...this.#early, ...others]);
      return;
    }
    // Several at once were not written for the question, which is still open, nor for the work that asks it.
    const isForModel = (line: SentLine) =>
      (question === undefined || !line.isAnswer) && readTyped(line.text).kind === "words";
    const kept = this.#isSecret
      ? []
      : lines.map((line) => ({ ...line, steers: line.steers && isForModel(line) }));
    this.#wait([...this.#early, ...kept]);
    if (this.#isSecret && question !== undefined)
      void this.terminal.out("Give one line; nothing was kept.\n");
    if (question !== undefined) this.#keyboard.ask(question);
  }

  #takeEarly(line: SentLine): void {
    this.#wait(this.#early.filter((other) => other !== line));
    this.#keyboard.echo(forModel, line, true);
  }

  #wait(lines: readonly SentLine[]): void {
    // An empty line among others is a gap between them.
    this.#early = lines.filter(({ text }) => text.trim() !== "");
    this.#keyboard.waiting(this.#early);
  }

  #give(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined)
      this.#keyboard.ask(this.#isSecret ? { ...waiting.question, label: "" } : undefined);
    waiting?.give(line);
  }
}
