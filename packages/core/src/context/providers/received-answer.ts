import {
  type AnswerPart,
  isJsonObject,
  type JsonObject,
  type ModelAnswer,
  type TurnUsage,
} from "../../conversation/values/index.js";
import { defined, isObject, jsonOf, repairedJson, textIn, writtenJson } from "../../text/index.js";

/** What an answer is read for. */
export interface AnswerOptions {
  /** Names the answer: another one for each (`ModelAnswer.step`). */
  readonly step: string;
  /**
   * The model, as the request named it: the next rendering has to name the same (`RenderOptions.target`), or
   * thoughts and signatures are left out there as those of another model.
   */
  readonly model: string;
  /** The provider's name; the one whose API it is unless given. */
  readonly provider?: string;
  /** Told what a stream shows of the answer while it comes. Must not throw. */
  readonly onDelta?: (delta: AnswerDelta) => void;
}

/** What is shown of an answer while it comes. */
export type AnswerDelta =
  | { readonly kind: "text-delta"; readonly text: string }
  | { readonly kind: "thought-delta"; readonly text: string }
  /** More of the arguments of a call, as JSON text that may end anywhere. `at` counts the calls of the answer from 0. */
  | { readonly kind: "call-delta"; readonly at: number; readonly name: string; readonly json: string };

/** A model's answer as its provider sent it: `ContextManager.addAnswer` takes it as it is. */
export interface ReceivedAnswer extends ModelAnswer {
  readonly ended: AnswerEnd;
  /** Why it ended, in the provider's own word. */
  readonly stopReason?: string;
  /** What of it is not there, or not whole. Nothing is put in its place. */
  readonly flaws: readonly AnswerFlaw[];
  /** Pages of the web that the provider's own search found for it (`ModelStep.searches`). */
  readonly sources?: readonly WebSource[];
  /** What the stream threw, where it did. */
  readonly error?: unknown;
}

/** A page of the web, as a provider names it. */
export interface WebSource {
  readonly url: string;
  /** "" where it has none. */
  readonly title: string;
}

/** How an answer ended. */
export type AnswerEnd =
  /** The model had said all, or waits for the results of its calls. */
  | "complete"
  /** No more tokens were allowed. */
  | "length"
  /** The model or a filter refused to go on. */
  | "refused"
  /** The provider made a pause: sent back as it is, the model goes on. */
  | "paused"
  /** The provider failed, and said so. */
  | "failed"
  /** The stream broke off: nobody said that the answer was over. */
  | "cut";

/** A part of an answer that is not whole. */
export interface AnswerFlaw {
  readonly what: /** A call of which not all came. It is no call: not in the answer. */
    | "cut_call"
    /** A call whose arguments are no JSON object. It is no call. */
    | "malformed_call"
    /** A text that broke off. What came of it is in the answer. */
    | "cut_text"
    /** A thought that broke off. What came of it is in the answer, unsigned. */
    | "cut_thought"
    /** A part of a kind that an answer cannot hold. */
    | "unknown_part";
  /** One sentence, for a person or the model. */
  readonly message: string;
  /** Of a call: the name of its tool, as far as it came. */
  readonly name?: string;
  /** What had come of it: words, arguments as they were written, the name of the unknown kind. */
  readonly text: string;
}

/** A part while it is being read. `whole`: its end was seen. */
export type DraftedAnswerPart =
  | {
      readonly kind: "text" | "thought";
      readonly text: string;
      readonly signature?: string | undefined;
      readonly whole: boolean;
    }
  | { readonly kind: "redacted_thought"; readonly data: string }
  | DraftedMedia
  | DraftedCall
  | { readonly kind: "unknown"; readonly type: string };

/** Media that came whole, as Base64. */
interface DraftedMedia {
  readonly kind: "media";
  readonly mimeType: string;
  readonly data: string;
  readonly signature?: string | undefined;
}

/** A call while it is being read. */
interface DraftedCall {
  readonly kind: "call";
  readonly callId: string | undefined;
  readonly name: string | undefined;
  /** As text, or as the provider's library has parsed them. */
  readonly args: { readonly json: string } | { readonly value: unknown };
  readonly signature?: string | undefined;
  readonly whole: boolean;
}

/** How an answer ended, and what was counted. */
export interface DraftedEnd {
  readonly ended: AnswerEnd;
  readonly stopReason?: string | undefined;
  readonly usage: TurnUsage;
  readonly error?: unknown;
  /** What a search found, in the provider's form. */
  readonly found?: readonly unknown[];
}

/** The answer of its parts: those that are whole, and of words what there is. */
export function answerOf(
  drafts: readonly DraftedAnswerPart[],
  { ended, stopReason, usage, error, found = [] }: DraftedEnd,
  options: AnswerOptions & { readonly provider: string },
): ReceivedAnswer {
  const parts: AnswerPart[] = [];
  const flaws: AnswerFlaw[] = [];
  const taken = new Set<string>();
  for (const [at, draft] of drafts.entries()) {
    // Where an answer was stopped, its last part may end for no other reason.
    const stopped = ended !== "complete" && at === drafts.length - 1;
    const read = partOf(draft, stopped);
    if (read.flaw !== undefined) flaws.push(read.flaw);
    if (read.part === undefined) continue;
    if (read.part.kind !== "tool_call") {
      parts.push(read.part);
      continue;
    }
    const callId = freeId(read.part.callId, taken, options.step);
    taken.add(callId);
    parts.push({ ...read.part, callId });
  }
  const { step, provider, model } = options;
  return {
    step,
    from: { provider, model },
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    parts,
    ended,
    ...defined({ stopReason }),
    flaws,
    ...(found.length === 0 ? {} : { sources: sourcesOf(found) }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Each page once. */
function sourcesOf(found: readonly unknown[]): readonly WebSource[] {
  const titles = new Map<string, string>();
  for (const page of found) {
    const url = textIn(page, "url") ?? textIn(page, "uri");
    if (url !== undefined && !titles.has(url)) titles.set(url, textIn(page, "title") ?? "");
  }
  return [...titles].map(([url, title]) => ({ url, title }));
}

interface ReadPart {
  readonly part?: AnswerPart | undefined;
  readonly flaw?: AnswerFlaw | undefined;
}

function partOf(draft: DraftedAnswerPart, stopped: boolean): ReadPart {
  switch (draft.kind) {
    case "text":
    case "thought":
      return wordsOf(draft);
    case "redacted_thought":
      return { part: draft };
    case "media": {
      const { kind, mimeType, data, signature } = draft;
      return { part: { kind, mimeType, data, ...defined({ signature }) } };
    }
    case "call":
      return callOf(draft, stopped);
    case "unknown":
      return { flaw: flaw("unknown_part", `The answer has a part of the kind ${draft.type}.`, draft.type) };
    default:
      return draft satisfies never;
  }
}

function wordsOf({
  kind,
  text,
  signature,
  whole,
}: Extract<DraftedAnswerPart, { kind: "text" | "thought" }>): ReadPart {
  if (text === "" && signature === undefined) return {};
  const part = { kind, text, ...defined({ signature }) };
  if (whole) return { part };
  const what = kind === "text" ? "cut_text" : "cut_thought";
  return { part, flaw: flaw(what, `A ${kind} of the model breaks off.`, text) };
}

function callOf({ callId = "", name = "", args, signature, whole }: DraftedCall, stopped: boolean): ReadPart {
  const json = "json" in args ? args.json : (writtenJson(args.value ?? {}) ?? "");
  const cut = { flaw: { ...flaw("cut_call", `A call of ${name} breaks off; it is not made.`, json), name } };
  if (!whole || name === "") return cut;
  const empty = "json" in args && json.trim() === "";
  // Nobody knows whether there was more to come.
  if (stopped && empty) return cut;
  const strict = argumentsOf("json" in args ? jsonOf(json) : (args.value ?? {}));
  // Of an answer that was stopped nobody knows what was to come behind its last word.
  const read = strict === undefined && !stopped && !empty ? meantArguments(json) : undefined;
  const value = empty ? {} : (strict ?? read?.args);
  if (value !== undefined)
    return { part: { kind: "tool_call", callId, name, args: value, ...defined({ signature }) } };
  if (stopped) return cut;
  const why = read?.why === undefined ? "" : ` (${read.why})`;
  const message = `The arguments of a call of ${name} are no JSON object${why}; it is not made.`;
  return { flaw: { ...flaw("malformed_call", message, json), name } };
}

/** Arguments that are no object as they stand, in their one certain reading: also as a text, or as the one member of a list. */
function meantArguments(json: string): { readonly args?: JsonObject | undefined; readonly why?: string } {
  const read = repairedJson(json);
  if (read.kind === "unread") return read;
  const { value } = read;
  if (typeof value === "string") return meantArguments(value);
  if (value === null) return { args: {} };
  return { args: argumentsOf(Array.isArray(value) && value.length === 1 ? value[0] : value) };
}

/** Arguments as a journal keeps them; undefined where they are no object, or hold what JSON cannot. */
function argumentsOf(value: unknown): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  if (!isObject(value)) return undefined;
  const json = writtenJson(value);
  // A second reading turns -0, which JSON can say and no journal keeps, into 0.
  const again = json === undefined || holdsInfinity(value) ? undefined : jsonOf(json);
  return isJsonObject(again) ? again : undefined;
}

/** Whether a number is larger than any: JSON can say it, and would be written as null. */
function holdsInfinity(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsInfinity);
}

function freeId(wanted: string, taken: ReadonlySet<string>, step: string): string {
  if (wanted !== "" && !taken.has(wanted)) return wanted;
  let number = taken.size + 1;
  while (taken.has(`${step}-${number}`)) number += 1;
  return `${step}-${number}`;
}

function flaw(what: AnswerFlaw["what"], message: string, text: string): AnswerFlaw {
  return { what, message, text };
}

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
