import { defined, isObject, jsonOf } from "../../text/index.js";
import type { FunctionCallPart, InlineDataPart, MediaPart } from "../layout/content.js";
import { countIn, textIn, writtenJson } from "./fields.js";
import { offeredTools, type RequestOptions } from "./provider-request.js";
import { wireArgs } from "./wire-ids.js";

/** A function as both APIs of OpenAI describe it. */
interface OpenAIFunction {
  readonly name: string;
  readonly description?: string;
  readonly parameters: { readonly [key: string]: unknown };
}

/** The tools of a request, as both APIs of OpenAI describe them. */
export function openAITools(options: RequestOptions): readonly OpenAIFunction[] {
  return offeredTools(options).map(({ name, description, inputSchema }) => ({
    name,
    ...defined({ description }),
    parameters: inputSchema,
  }));
}

/** What OpenAI says of its cache, for a person; both of its APIs do the same. */
export const openAICaching =
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
  const { id, status, phase, namespace, follows, arguments: written, annotations, refusal, audio } = value;
  const text = (one: unknown) => (typeof one === "string" ? one : undefined);
  return defined({
    id: text(id),
    status: text(status),
    phase: text(phase),
    namespace: text(namespace),
    follows: text(follows),
    arguments: text(written),
    annotations: Array.isArray(annotations) ? annotations : undefined,
    refusal: refusal === true ? (true as const) : undefined,
    audio: audioIdIn(audio),
  });
}

function audioIdIn(audio: unknown): OpenAIAudioId | undefined {
  const [id, expiresAtSeconds] = [textIn(audio, "id"), countIn(audio, "expiresAtSeconds")];
  return id === undefined || expiresAtSeconds === undefined ? undefined : { id, expiresAtSeconds };
}

/** Whether both APIs take these media: images of four types, PDF. */
export function isTaken(part: MediaPart): part is InlineDataPart {
  return "inlineData" in part && (isImage(part) || part.inlineData.mimeType === "application/pdf");
}

/** Whether it is an image of a type that OpenAI names among those that its models see. */
export function isImage({ inlineData }: InlineDataPart): boolean {
  return ["image/jpeg", "image/png", "image/gif", "image/webp"].includes(inlineData.mimeType);
}

/** The bytes as a data URL, the form in which both APIs take them. */
export function dataUrl({ inlineData: { mimeType, data } }: InlineDataPart): string {
  return `data:${mimeType};base64,${data}`;
}

/** A file has to have a name; nobody gave it one. */
export const fileName = "document.pdf";

/** The arguments of a call as JSON: as the model wrote them, where they still are those of the call. */
export function argumentsText({ functionCall, thoughtSignature }: FunctionCallPart): string {
  const text = JSON.stringify(wireArgs(functionCall.args));
  const { arguments: written } = openAISignature(thoughtSignature);
  if (written === undefined) return text;
  const value = jsonOf(written);
  return isObject(value) && writtenJson(value) === text ? written : text;
}
