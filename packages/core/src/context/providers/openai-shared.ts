import { countIn, defined, isObject, jsonOf, recordIn, textIn, writtenJson } from "../../text/index.js";
import type { Content, FunctionCallPart } from "../layout/content.js";
import type { ShownPart } from "./media.js";
import { type RequestOptions, type RequestReport, RequestSizes, wireArgs } from "./provider-request.js";

/** The report on a request; both APIs of OpenAI do the same with their cache. */
export function openAIReport(contents: readonly Content[], options: RequestOptions): RequestReport {
  return new RequestSizes(contents, options).report({ kind: "automatic", says: openAICaching });
}

const openAICaching =
  "OpenAI keeps the longest beginning of a request by itself, from 1,024 tokens on: tools, system text, messages. " +
  "A prompt_cache_key of the session helps to find it again.";

/**
 * What the signature of a text or a call of OpenAI's holds, as JSON: what its API gave with it and wants back.
 * The neutral form has no place for it.
 */
export interface OpenAISignature {
  /** The item's id. */
  readonly id?: string;
  readonly status?: string;
  readonly phase?: string;
  readonly namespace?: string;
  /** The reasoning item that it followed: without that one, the item is given back without its id. */
  readonly follows?: string;
  /** The arguments as the model wrote them, where JSON writes them otherwise. */
  readonly arguments?: string;
  readonly annotations?: readonly unknown[];
  /** The text is a refusal. */
  readonly refusal?: true;
  /** The answer in sound of which it is a part, and until when the API knows it. */
  readonly audio?: OpenAIAudioId;
  /** Of a thought: how it goes back. */
  readonly thought?: ChatThought;
}

/** By what the Chat Completions API knows a sound that it made. */
export interface OpenAIAudioId {
  readonly id: string;
  /** Since the epoch. */
  readonly expiresAtSeconds: number;
}

/** Reads a signature; one that is not of this form gives nothing. */
export function openAISignature(signature: string | undefined): OpenAISignature {
  const value = signature === undefined ? undefined : jsonOf(signature);
  if (!isObject(value)) return {};
  const { annotations, refusal } = value;
  const text = (member: keyof OpenAISignature) => textIn(value, member);
  return defined({
    id: text("id"),
    status: text("status"),
    phase: text("phase"),
    namespace: text("namespace"),
    follows: text("follows"),
    arguments: text("arguments"),
    annotations: Array.isArray(annotations) ? annotations : undefined,
    refusal: refusal === true ? (true as const) : undefined,
    audio: audioIdIn(recordIn(value, "audio")),
    thought: thoughtIn(value.thought),
  });
}

function thoughtIn(value: unknown): ChatThought | undefined {
  if (!isObject(value)) return undefined;
  const { details } = value;
  return Array.isArray(details) ? { details } : value.inText === true ? { inText: true } : undefined;
}

function audioIdIn(audio: unknown): OpenAIAudioId | undefined {
  const [id, expiresAtSeconds] = [textIn(audio, "id"), countIn(audio, "expiresAtSeconds")];
  return id === undefined || expiresAtSeconds === undefined ? undefined : { id, expiresAtSeconds };
}

/** Whether it goes as an image, and not as a file. */
export function isImage({ inlineData }: ShownPart): boolean {
  return inlineData.mimeType.startsWith("image/");
}

/** The bytes as a data URL, the form in which both APIs take them. */
export function dataUrl({ inlineData: { mimeType, data } }: ShownPart): string {
  return `data:${mimeType};base64,${data}`;
}

/** A file has to have a name; nobody gave it one. */
export const fileName = "document.pdf";

/** Arguments that JSON would write otherwise than the model did; undefined where it would not. */
export function asWritten(json: string): string | undefined {
  const again = writtenJson(jsonOf(json));
  return again === undefined || again === json ? undefined : json;
}

/** The arguments of a call as JSON: as the model wrote them, where they still are those of the call. */
export function argumentsText({ functionCall, thoughtSignature }: FunctionCallPart): string {
  const text = JSON.stringify(wireArgs(functionCall.args));
  const { arguments: written } = openAISignature(thoughtSignature);
  if (written === undefined) return text;
  const value = jsonOf(written);
  return isObject(value) && writtenJson(value) === text ? written : text;
}

/** What the thought of an answer of Chat Completions is given back by, as a part of its signature. */
export interface ChatThought {
  /** It stood in the text, between `<think>` and `</think>`, and goes back there. */
  readonly inText?: true;
  /** OpenRouter's `reasoning_details`, with the signatures of the provider behind it: they go back as they came. */
  readonly details?: readonly unknown[];
}

/** Takes a thought out of a text that begins with one in tags, piece by piece, as servers of open models send it. */
export class ThinkTags {
  /** The tag that was found, such as `think`. */
  tag = "";
  #state: "before" | "inside" | "behind" | "text" = "before";
  #kept = "";

  /** @returns what of the text until now is one or the other; what may yet be a tag is kept. */
  take(piece: string): { readonly thought: string; readonly text: string } {
    this.#kept += piece;
    let thought = "";
    if (this.#state === "before") this.#begin();
    if (this.#state === "inside") {
      const end = `</${this.tag}>`;
      const at = this.#kept.indexOf(end);
      const until = at < 0 ? this.#kept.length - overlap(this.#kept, end) : at;
      thought = this.#kept.slice(0, until);
      this.#kept = this.#kept.slice(at < 0 ? until : at + end.length);
      if (at >= 0) this.#state = "behind";
    }
    if (this.#state === "behind") {
      this.#kept = this.#kept.trimStart();
      if (this.#kept !== "") this.#state = "text";
    }
    return { thought, text: this.#state === "text" ? this.end() : "" };
  }

  #begin(): void {
    const begun = this.#kept.trimStart();
    const [whole, tag] = /^<(think(?:ing)?)>\s*/u.exec(begun) ?? [];
    if (tag !== undefined && whole !== undefined) {
      [this.tag, this.#state, this.#kept] = [tag, "inside", begun.slice(whole.length)];
    } else if (!"<thinking>".startsWith(begun) && !"<think>".startsWith(begun)) this.#state = "text";
  }

  /** What is left where the answer ends. */
  end(): string {
    const rest = this.#kept;
    this.#kept = "";
    return rest;
  }

  /** Whether the tag is still open. */
  get isInside(): boolean {
    return this.#state === "inside";
  }
}

/** How much of the end of a text may be the beginning of another one. */
function overlap(text: string, of: string): number {
  let most = Math.min(text.length, of.length - 1);
  while (most > 0 && !of.startsWith(text.slice(text.length - most))) most -= 1;
  return most;
}

const spoken = ["text", "summary", "data"];

/** Joins the pieces of `reasoning_details`: each names its place and its type. */
export class ReasoningDetails {
  readonly #parts = new Map<string, Record<string, unknown>>();

  /** @returns what of them is for a person. */
  take(pieces: readonly unknown[]): string {
    let words = "";
    for (const piece of pieces) {
      if (!isObject(piece)) continue;
      words += textIn(piece, "text") ?? textIn(piece, "summary") ?? "";
      const key = `${textIn(piece, "type") ?? ""} ${countIn(piece, "index") ?? this.#parts.size}`;
      const joined = this.#parts.get(key) ?? {};
      for (const [name, value] of Object.entries(piece)) {
        const before = joined[name];
        if (value === null && before !== undefined) continue;
        const isMore = spoken.includes(name) && typeof before === "string" && typeof value === "string";
        joined[name] = isMore ? before + value : value;
      }
      this.#parts.set(key, joined);
    }
    return words;
  }

  /** All of them; undefined where there are none. */
  get all(): readonly unknown[] | undefined {
    return this.#parts.size === 0 ? undefined : [...this.#parts.values()];
  }
}
