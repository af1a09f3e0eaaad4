/**
 * The questions of calls that run side by side, as one list: it is asked once each call has asked or has ended. Each gets
 * the answer to its own question.
 */
export class QuestionGroup<Question, Answer> {
  readonly #waiting = new Map<Question, (answer?: Answer) => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param open ids of the calls; none of them may wait for another one.
   * @param askList must not reject.
   */
  constructor(
    private readonly open: Set<string>,
    private readonly askList: (list: readonly Question[]) => Promise<readonly Answer[]>,
  ) {}

  /** Asks together with the others; undefined where the list has been asked, so that the call asks for itself. */
  ask(callId: string, question: Question): Promise<Answer | undefined> | undefined {
    if (!this.open.has(callId)) return undefined;
    // Who takes long, or waits for calls of another answer, does not hold the others up.
    this.#timer ??= setTimeout(() => void this.#ask(), mostWaitMs);
    return new Promise((answer) => {
      this.#waiting.set(question, answer);
      this.end(callId);
    });
  }

  /** The call asks nothing (more). */
  end(callId: string): void {
    if (this.open.delete(callId) && this.open.size === 0) void this.#ask();
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer);
    this.open.clear();
    const waiting = [...this.#waiting];
    if (waiting.length === 0) return;
    const answers = await this.askList(waiting.map(([question]) => question));
    for (const [at, [, answer]] of waiting.entries()) answer(answers[at]);
  }
}

const mostWaitMs = 2_000;
