import { countIn, defined, isObject, jsonOf, recordIn, textIn, writtenJson } from "../../text/index.js";
import type { Content, FunctionCallPart } from "../layout/content.js";
import type { ChatThought } from "./chat-thoughts.js";
import type { ShownPart } from "./media.js";
import { type RequestOptions, type RequestReport, RequestSizes } from "./provider-request.js";
import { wireArgs } from "./wire-ids.js";

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
