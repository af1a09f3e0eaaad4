import type { TurnUsage } from "../../conversation/values/index.js";
import {
  countIn,
  defined,
  fromBase64,
  isBase64,
  isObject,
  jsonOf,
  listIn,
  recordIn,
  textIn,
  toBase64,
  writtenJson,
} from "../../text/index.js";
import {
  asWritten,
  type ChatThought,
  type OpenAISignature,
  ReasoningDetails,
  ThinkTags,
} from "./openai-shared.js";
import {
  type AnswerDeltas,
  type AnswerDraft,
  type AnswerEnd,
  type AnswerReader,
  answerReader,
  type DraftedAnswerPart,
} from "./received-answer.js";

/** A whole response of the Chat Completions API, or one chunk of its stream. */
export interface OpenAIResponse {
  readonly choices: readonly object[];
  readonly usage?: object | null;
}

/**
 * The model's answer out of a response of the Chat Completions API: its first choice, with usage (of a stream:
 * where the request has `stream_options: { include_usage: true }`). A sound that it made is media of the answer beside
 * its transcript, and so are images that stand in `images` or in the content, as OpenRouter sends them. What came of a stream that broke off is
 * told apart in `ended` and `flaws`; a call whose arguments are not closed is none. Never throws, and never
 * rejects for what the stream throws.
 */
export const fromOpenAI: AnswerReader<OpenAIResponse, OpenAIResponse> = answerReader(
  "openai",
  (deltas) => new CompletionDraft(deltas),
);

/** A call while its pieces come. */
interface OpenCompletionCall {
  id: string;
  name: string;
  json: string;
  readonly type: string;
}

/** The first choice while its chunks come; a whole response is one chunk. */
class CompletionDraft implements AnswerDraft {
  #thought = "";
  #text = "";
  #refusal = "";
  #stopReason: string | undefined;
  #usage: Readonly<Record<string, unknown>> = {};
  readonly #calls = new Map<string, OpenCompletionCall>();
  /** By a call's place in the stream: its key among the calls. */
  readonly #places = new Map<string, string>();
  readonly #tags = new ThinkTags();
  readonly #details = new ReasoningDetails();
  #isCounted = false;
  readonly #spoken = new SpokenAnswer();
  /** Once each, since some servers send them again at the end; of what is not known one of each kind. */
  readonly #images = new Map<string, DraftedAnswerPart>();

  constructor(private readonly deltas: AnswerDeltas) {}

  take(chunk: unknown): void {
    this.#takeChoice(chunk, "delta");
  }

  takeWhole(response: unknown): void {
    this.#takeChoice(response, "message");
  }

  #takeChoice(chunk: unknown, member: "delta" | "message"): void {
    const usage = recordIn(chunk, "usage");
    if (Object.keys(usage).length > 0) this.#usage = usage;
    const choice = listIn(chunk, "choices").find((one) => (countIn(one, "index") ?? 0) === 0);
    // The count behind the last choice is the end of a stream, also for a server that gives no reason for it.
    if (choice === undefined) this.#isCounted ||= Object.keys(usage).length > 0;
    if (choice === undefined) return;
    this.#stopReason = textIn(choice, "finish_reason") ?? this.#stopReason;
    const said = this.#saidIn(choice, member);
    this.#takeThought(said);
    let text = textIn(said, "content") ?? "";
    for (const part of [...listIn(said, "content"), ...listIn(said, "images")]) text += this.#takePart(part);
    const read = this.#tags.take(text);
    this.#think(read.thought);
    this.#text += read.text;
    this.deltas.text(read.text + this.#spoken.take(said));
    this.#refusal += textIn(said, "refusal") ?? "";
    for (const [at, call] of listIn(said, "tool_calls").entries()) this.#takeCall(call, at);
    // The older form of the API has one call, and no list.
    const one = recordIn(said, "function_call");
    if (Object.keys(one).length > 0) this.#takeCall({ index: 0, function: one }, 0);
  }

  /** Some servers stream the whole message in the place of its pieces; behind pieces it says nothing new. */
  #saidIn(choice: unknown, member: "delta" | "message"): Readonly<Record<string, unknown>> {
    const said = recordIn(choice, member);
    const isBegun = this.#text !== "" || this.#thought !== "" || this.#calls.size > 0;
    return Object.keys(said).length > 0 || isBegun ? said : recordIn(choice, "message");
  }

  /** Servers of open models have several names for it, and some have two of them. */
  #takeThought(said: Readonly<Record<string, unknown>>): void {
    const inDetails = this.#details.take(listIn(said, "reasoning_details"));
    const names = ["reasoning_content", "reasoning", "thinking"];
    this.#think(names.map((name) => textIn(said, name)).find((text) => text !== undefined) ?? inDetails);
  }

  #think(thought: string): void {
    this.#thought += thought;
    this.deltas.thought(thought);
  }

  /** A content in parts, or an image beside it. @returns what of it is text. */
  #takePart(part: unknown): string {
    const text = textIn(part, "text");
    const refusal = textIn(part, "refusal");
    if (text !== undefined) return text;
    if (refusal !== undefined) this.#refusal += refusal;
    else {
      const draft = imageDraft(part);
      // In a stream a kind that nobody knows comes in as many pieces as a text does.
      this.#images.set(draft.kind === "unknown" ? draft.type : (writtenJson(part) ?? ""), draft);
    }
    return "";
  }

  /** Pieces belong together by their index; servers that give none begin a call with its id. */
  #takeCall(call: unknown, at: number): void {
    const index = countIn(call, "index");
    const id = textIn(call, "id") ?? "";
    const piece = recordIn(call, "function");
    const name = textIn(piece, "name") ?? "";
    const { arguments: given } = piece;
    // Some servers have parsed them.
    const json = isObject(given) ? (writtenJson(given) ?? "") : (textIn(piece, "arguments") ?? "");
    const last = [...this.#calls.keys()].at(-1);
    const place = index === undefined ? (id === "" ? (last ?? String(at)) : `id ${id}`) : String(index);
    const before = this.#calls.get(this.#places.get(place) ?? place);
    // Ollama gave all calls of an answer the index 0.
    const isNext = name !== "" && json !== "" && isAnother(before, id);
    const key = isNext ? `${place} ${this.#calls.size}` : (this.#places.get(place) ?? place);
    this.#places.set(place, key);
    const begun = this.#calls.get(key) ?? {
      id: "",
      name: "",
      json: "",
      type: textIn(call, "type") ?? "function",
    };
    begun.id = begun.id === "" ? id : begun.id;
    // A name comes in pieces, or again with each piece of the arguments.
    begun.name = name.startsWith(begun.name) ? name : begun.name + name;
    begun.json += json;
    this.#calls.set(key, begun);
    this.deltas.call(key, json, begun.name);
  }

  #endTags(): void {
    const isInside = this.#tags.isInside;
    const rest = this.#tags.end();
    if (isInside) this.#think(rest);
    else this.#text += rest;
    if (!isInside) this.deltas.text(rest);
    // Some templates write the beginning of the tag into the prompt. Words about the tag go on in its line, or are code.
    const at = this.#thought === "" ? this.#text.search(/<\/think>[ \t]*(?:\r?\n|$)/u) : -1;
    const before = this.#text.slice(0, Math.max(0, at));
    if (at < 0 || before.includes("<think") || before.split("```").length % 2 === 0) return;
    this.#thought = before.trim();
    this.#text = this.#text.slice(at + endOfThought.length).trimStart();
    this.#tags.tag = "think";
  }

  /** How the thought goes back; as `reasoning_content` where nothing is said. */
  #thoughtMark(): string | undefined {
    const details = this.#details.all;
    const thought: ChatThought = details === undefined ? { inText: true } : { details };
    if (details === undefined && this.#tags.tag === "") return undefined;
    return JSON.stringify({ thought } satisfies OpenAISignature);
  }

  finish() {
    const stopReason = this.#stopReason;
    const isOver = this.#isCounted && (this.#text !== "" || this.#calls.size > 0);
    const ended = stopReason !== undefined ? endOf(stopReason) : isOver ? "complete" : "cut";
    const calls = [...this.#calls.values()];
    this.#endTags();
    const whole = ended !== "cut" || calls.length > 0;
    const drafts: DraftedAnswerPart[] = [
      {
        kind: "thought",
        text: this.#thought,
        whole: whole || this.#text !== "",
        signature: this.#thoughtMark(),
      },
      { kind: "text", text: this.#text, whole: whole || this.#refusal !== "" },
      { kind: "text", text: this.#refusal, whole, signature: this.#refusal === "" ? undefined : refusalMark },
      ...this.#spoken.drafts(whole),
      ...this.#images.values(),
      ...calls.map((call) => draftOf(call, ended)),
    ];
    // Where there is nothing of a kind there is no part of it, of which the end could be missing.
    const parts = drafts.filter(
      (draft) => !("text" in draft) || draft.text !== "" || draft.signature !== undefined,
    );
    return { parts, ended, stopReason, usage: usageOf(this.#usage) };
  }
}

const endOfThought = "</think>";

/** Whether a call is whole, and what comes now is no more of it. */
function isAnother(before: OpenCompletionCall | undefined, id: string): boolean {
  return before !== undefined && (id === "" || id !== before.id) && isObject(jsonOf(before.json));
}

const refusalMark = JSON.stringify({ refusal: true } satisfies OpenAISignature);

/** Nothing says that a call is over, but arguments that are closed. */
function draftOf({ id, name, json, type }: OpenCompletionCall, ended: AnswerEnd): DraftedAnswerPart {
  if (type !== "function") return { kind: "unknown", type: `${type} tool call` };
  const whole = ended !== "cut" || jsonOf(json) !== undefined;
  const kept = defined({ arguments: asWritten(json) }) satisfies OpenAISignature;
  const signature = kept.arguments === undefined ? undefined : JSON.stringify(kept);
  return { kind: "call", callId: id, name, args: { json }, signature, whole };
}

function endOf(stopReason: string): AnswerEnd {
  if (stopReason === "length") return "length";
  return stopReason === "content_filter" ? "refused" : "complete";
}

function usageOf(usage: Readonly<Record<string, unknown>>): TurnUsage {
  const prompt = recordIn(usage, "prompt_tokens_details");
  return defined({
    inputTokens: countIn(usage, "prompt_tokens"),
    cachedInputTokens: countIn(prompt, "cached_tokens"),
    cacheWriteTokens: countIn(prompt, "cache_write_tokens"),
    outputTokens: countIn(usage, "completion_tokens"),
    thoughtTokens: countIn(recordIn(usage, "completion_tokens_details"), "reasoning_tokens"),
  });
}

/**
 * An answer in sound while its pieces come: what was said, and the bytes. In a stream each piece is Base64 of its own, or
 * all of them are slices of one.
 */
class SpokenAnswer {
  #id = "";
  #transcript = "";
  #expiresAtSeconds: number | undefined;
  readonly #pieces: string[] = [];

  /** @returns what more was said. */
  take(said: unknown): string {
    const audio = recordIn(said, "audio");
    this.#id = textIn(audio, "id") ?? this.#id;
    const words = textIn(audio, "transcript") ?? "";
    this.#transcript += words;
    this.#expiresAtSeconds = countIn(audio, "expires_at") ?? this.#expiresAtSeconds;
    const data = textIn(audio, "data") ?? "";
    if (data !== "") this.#pieces.push(data);
    return words;
  }

  /** Its transcript as a text, and the sound; the API knows both by an id, for some time. */
  drafts(whole: boolean): readonly DraftedAnswerPart[] {
    const signature = this.#signature();
    const text = { kind: "text", text: this.#transcript, whole, signature } as const;
    const words = this.#transcript === "" ? [] : [text];
    if (this.#pieces.length === 0) return words;
    const bytes = bytesOf(this.#pieces);
    const mimeType = soundType(bytes ?? fromBase64(this.#pieces[0] ?? "") ?? new Uint8Array());
    if (!whole || bytes === undefined)
      return [...words, { kind: "unknown", type: `${mimeType} that is not whole` }];
    return [...words, { kind: "media", mimeType, data: toBase64(bytes), signature }];
  }

  #signature(): string | undefined {
    if (this.#id === "") return undefined;
    const audio = { id: this.#id, expiresAtSeconds: this.#expiresAtSeconds ?? 0 };
    return JSON.stringify({ audio } satisfies OpenAISignature);
  }
}

/** A part of an answer's content, or of its `images`, as servers send them that speak to other models. */
function imageDraft(part: unknown): DraftedAnswerPart {
  const url = textIn(recordIn(part, "image_url"), "url") ?? textIn(part, "image_url") ?? "";
  const [head = "", data = ""] = url.split(",", 2);
  const [, mimeType] = /^data:([^;,]+)(?:;[^;,]+)*;base64$/iu.exec(head) ?? [];
  if (mimeType !== undefined && data !== "" && isBase64(data)) return { kind: "media", mimeType, data };
  const type = textIn(part, "type") ?? "image";
  return { kind: "unknown", type: url === "" || url.startsWith("data:") ? type : `${type} at ${url}` };
}

/** Undefined where neither each piece is Base64 nor all of them are together. */
function bytesOf(pieces: readonly string[]): Uint8Array | undefined {
  const bytes = pieces.flatMap((piece) => fromBase64(piece) ?? []);
  return bytes.length === pieces.length ? joined(bytes) : fromBase64(pieces.join(""));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The answer does not say its format, which the request chose: the first bytes do. Without any it is pcm16. */
function soundType(bytes: Uint8Array): string {
  const head = String.fromCharCode(...bytes.subarray(0, 4));
  if (head === "RIFF") return "audio/wav";
  if (head === "fLaC") return "audio/flac";
  if (head === "OggS") return "audio/ogg";
  if (head.startsWith("ID3")) return "audio/mpeg";
  const [first = 0, second = 0] = bytes;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return "audio/pcm";
  // Frames of MPEG: the layer is 0 in AAC.
  return (second & 0x06) === 0 ? "audio/aac" : "audio/mpeg";
}
