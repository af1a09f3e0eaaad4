/** Values that one part of the program hands to another, in order: pushed here, iterated there, once. */
export class Channel<Value> implements AsyncIterable<Value> {
  readonly #waiting: Value[] = [];
  #isEnded = false;
  #wake: () => void = () => {};

  push(value: Value): void {
    this.#waiting.push(value);
    this.#wake();
  }

  /** No value comes any more. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value> {
    for (;;) {
      while (this.#waiting.length > 0) {
        // A cast: the list is not empty.
        yield this.#waiting.shift() as Value;
      }
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
