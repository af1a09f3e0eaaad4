/** What came out of a stream, up to its end or to what it threw. */
interface StreamRead {
  /** Set where the stream threw: what it threw. */
  readonly error?: unknown;
}

/**
 * Takes a stream's events one by one. What it throws is an answer that broke off, not a fault of the reader,
 * and is handed out: where a connection ends, and where a provider reports an error in the middle.
 */
export async function readStream(
  events: AsyncIterable<unknown>,
  take: (event: unknown) => void,
): Promise<StreamRead> {
  const iterator = events[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<unknown>;
    try {
      next = await iterator.next();
    } catch (error) {
      return { error: error ?? new Error("the stream broke off") };
    }
    if (next.done === true) return {};
    take(next.value);
  }
}

/** Whether this is a stream, or a whole response. */
export function isStream<Event>(source: object | AsyncIterable<Event>): source is AsyncIterable<Event> {
  return Symbol.asyncIterator in source;
}
