import { createInterface, type Interface } from "node:readline/promises";
import { escapeName } from "../shell/terminal.js";

/** Completes a line: the candidates, and the end of the line that they stand for. */
type Completer = (line: string) => Promise<[string[], string]>;

/** Lines that a person types or pastes into the terminal. */
export interface TypedLines {
  /** The next line for the model: one that was typed before, else one that is waited for. Undefined: the person left. */
  prompt(): Promise<string | undefined>;
  /**
   * An answer to a question that the person has seen: nothing that was typed or pasted before it.
   *
   * @returns undefined where the signal came, or the person left.
   */
  answer(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Runs work that Ctrl-C ends; lines that wait are given up with it. */
  cancellable<Result>(abort: () => void, work: () => Promise<Result>): Promise<Result>;
  close(): void;
}

/** Opens standard input line by line. */
export function typedLines(completer: Completer): TypedLines {
  return new OpenLines(createInterface({ input: process.stdin, output: process.stdout, completer }));
}

interface Waiting {
  readonly wants: "prompt" | "answer";
  readonly give: (line: string | undefined) => void;
}

class OpenLines implements TypedLines {
  readonly #early: string[] = [];
  #waiting: Waiting | undefined;
  #isClosed = false;
  /** Lines of this round of the event loop: several at once were pasted. */
  #together: string[] = [];

  constructor(private readonly lines: Interface) {
    lines.setPrompt(promptSign);
    lines.on("line", (line) => {
      if (this.#together.push(line) === 1) setImmediate(() => this.#take());
    });
    lines.on("close", () => {
      this.#isClosed = true;
      this.#take();
      this.#give(undefined);
    });
  }

  async prompt(): Promise<string | undefined> {
    // An empty line leaves; one among others that were pasted is a gap between them.
    for (let early = this.#early.shift(); early !== undefined; early = this.#early.shift()) {
      if (early.trim() === "") continue;
      process.stdout.write(`${promptSign}${escapeName(early)}\n`);
      return early;
    }
    return this.#next("prompt", promptSign);
  }

  async answer(question: string, signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted === true) return undefined;
    const begun = this.lines.line;
    // Words that were begun before the question are for later.
    this.#clearLine();
    const cancel = () => this.#give(undefined);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await this.#next("answer", question);
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.lines.setPrompt(promptSign);
      this.#clearLine();
      if (!this.#isClosed && begun !== "") this.lines.write(begun);
    }
  }

  async cancellable<Result>(abort: () => void, work: () => Promise<Result>): Promise<Result> {
    const interrupted = () => {
      const count = this.#early.splice(0).length;
      if (count > 0) process.stdout.write(`\n${count} further line${count === 1 ? "" : "s"} given up.\n`);
      abort();
    };
    this.lines.on("SIGINT", interrupted);
    try {
      return await work();
    } finally {
      this.lines.off("SIGINT", interrupted);
    }
  }

  close(): void {
    this.lines.close();
  }

  #next(wants: Waiting["wants"], words: string): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    this.lines.setPrompt(words);
    this.lines.prompt();
    return new Promise((give) => {
      this.#waiting = { wants, give };
    });
  }

  #take(): void {
    const [first, ...others] = this.#together.splice(0);
    if (first === undefined) return;
    const wants = this.#waiting?.wants;
    if (wants === "prompt" || (wants === "answer" && others.length === 0)) {
      this.#early.push(...others);
      this.#give(first);
      return;
    }
    this.#early.push(first, ...others);
    // What was pasted was not written for the question: it is still open.
    if (wants === "answer" && !this.#isClosed) this.lines.prompt();
  }

  #give(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.give(line);
  }

  #clearLine(): void {
    if (this.#isClosed) return;
    for (const name of ["e", "u"]) this.lines.write(null, { ctrl: true, name });
  }
}

const promptSign = "> ";
