import {
  type AnswerDelta,
  type AnswerOptions,
  answerOf,
  type DraftedAnswerPart,
  type DraftedEnd,
  type ReceivedAnswer,
} from "./received-answer.js";

/** Reads the answers of one API: whole responses, and streams while they come. */
export interface AnswerReader<Response extends object, Event> {
  (response: Response, options: AnswerOptions): ReceivedAnswer;
  (stream: AsyncIterable<Event>, options: AnswerOptions): Promise<ReceivedAnswer>;
}

/** One answer while it is read: what an API's events make of it. */
export interface AnswerDraft {
  /** Takes an event of a stream. */
  take(event: unknown): void;
  takeWhole(response: unknown): void;
  finish(): DraftedAnswer;
}

interface DraftedAnswer extends DraftedEnd {
  readonly parts: readonly DraftedAnswerPart[];
}

/** @param provider names it where the options do not. @param begin a new draft, which shows what comes by the deltas. */
export function answerReader<Response extends object, Event>(
  provider: string,
  begin: (deltas: AnswerDeltas) => AnswerDraft,
): AnswerReader<Response, Event> {
  function read(response: Response, options: AnswerOptions): ReceivedAnswer;
  function read(stream: AsyncIterable<Event>, options: AnswerOptions): Promise<ReceivedAnswer>;
  function read(source: Response | AsyncIterable<Event>, options: AnswerOptions) {
    const draft = begin(new AnswerDeltas(options.onDelta));
    const finish = (error?: unknown) => {
      const { parts, ...end } = draft.finish();
      return answerOf(parts, { ...end, error }, { provider, ...options });
    };
    if (isStream(source)) return takeAll(source, draft).then(finish);
    draft.takeWhole(source);
    return finish();
  }
  return read;
}

/** Shows an answer while it comes. Its calls are counted in the order in which they begin. */
export class AnswerDeltas {
  readonly #calls = new Map<unknown, { readonly at: number; readonly name: string }>();

  constructor(private readonly show: (delta: AnswerDelta) => void = () => {}) {}

  text(text: string): void {
    if (text !== "") this.show({ kind: "text-delta", text });
  }

  thought(text: string): void {
    if (text !== "") this.show({ kind: "thought-delta", text });
  }

  /** @param key names the call among those of the answer. @param name as far as it is known by now. */
  call(key: unknown, json: string, name?: string): void {
    const known = this.#calls.get(key) ?? { at: this.#calls.size, name: "" };
    const call = { at: known.at, name: name ?? known.name };
    this.#calls.set(key, call);
    this.show({ kind: "call-delta", ...call, json });
  }
}

/**
 * Takes a stream's events one by one. What it throws is an answer that broke off, not a fault of the reader:
 * where a connection ends, and where a provider reports an error in the middle.
 *
 * @returns what the stream threw; undefined where it came to its end.
 */
async function takeAll(events: AsyncIterable<unknown>, draft: AnswerDraft): Promise<unknown> {
  const iterator = events[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<unknown>;
    try {
      next = await iterator.next();
    } catch (error) {
      return error ?? new Error("the stream broke off");
    }
    if (next.done === true) return undefined;
    draft.take(next.value);
  }
}

function isStream<Event>(source: object | AsyncIterable<Event>): source is AsyncIterable<Event> {
  return Symbol.asyncIterator in source;
}
