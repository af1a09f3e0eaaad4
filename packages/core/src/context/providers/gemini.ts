import type { JsonObject } from "../../conversation/values/index.js";
import { defined } from "../../text/index.js";
import type { Content, InlineDataPart, MediaPart, Part } from "../layout/content.js";
import { isMedia, mediaText } from "./media.js";
import {
  offeredTools,
  type ProviderRequest,
  type RequestOptions,
  RequestSizes,
  systemText,
  type ToolOffer,
  wireArgs,
  wireName,
  wireText,
} from "./provider-request.js";

/** What a request to the Gemini API holds of a conversation. */
export interface GeminiBody {
  readonly contents: GeminiContent[];
  /** There where the request has a system text or tools: what else it configures is put beside them. */
  readonly config?: { readonly systemInstruction?: string; readonly tools?: GeminiTool[] };
}

/** A content as the Gemini API takes it (`contents` of `generateContent`). */
export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: GeminiPart[];
}

/** Tools as the Gemini API takes them: one list of functions. */
interface GeminiTool {
  readonly functionDeclarations: ToolOffer<"parametersJsonSchema">[];
}

/** One part of a content in Gemini's API. */
export type GeminiPart =
  | { readonly text: string; readonly thought?: true; readonly thoughtSignature?: string }
  | {
      readonly functionCall: { readonly id: string; readonly name: string; readonly args: JsonObject };
      readonly thoughtSignature?: string;
    }
  | {
      readonly functionResponse: {
        readonly id: string;
        readonly name: string;
        readonly response: { readonly [Member in "output" | "error"]?: string };
        readonly parts?: GeminiInlineData[];
      };
    }
  | { readonly fileData: { readonly fileUri: string; readonly mimeType: string } }
  | GeminiInlineData;

/** The bytes of a medium, in base64. */
interface GeminiInlineData {
  readonly inlineData: { readonly mimeType: string; readonly data: string };
  readonly thoughtSignature?: string;
}

/**
 * Stands in for a signature that is not there, such as of a call that another model made: Gemini 3 refuses
 * a step whose first call has none.
 */
const skippedSignature = "skip_thought_signature_validator";

/**
 * The prompt as the Gemini API takes it, for `client.models.generateContent({ model, ...body })`. Images, PDF and
 * plain text of a result stand in it from Gemini 3 on; before that, and of other types, behind all results of their
 * turn. Media that Gemini does not take at all become a text that says so. From Gemini 3 on the first call of each
 * step has to be signed. Without a model the rules of Gemini 3 hold.
 */
export function toGemini(
  contents: readonly Content[],
  options: RequestOptions = {},
): ProviderRequest<GeminiBody> {
  const signs = needsSignatures(options.model);
  const own = contents.map(({ role, parts }) => {
    const first = signs ? parts.findIndex((part) => "functionCall" in part) : -1;
    const written = parts.flatMap((part, at) =>
      geminiPart(part, { mustBeSigned: at === first, holdsMedia: signs }),
    );
    return { role, parts: withMediaBehind(written, parts, signs) };
  });
  const functions = offeredTools(options, "parametersJsonSchema");
  const tools = functions === undefined ? undefined : [{ functionDeclarations: functions }];
  const config = defined({ systemInstruction: systemText(options), tools });
  const report = new RequestSizes(contents, options).report({ kind: "automatic", says: geminiCaching });
  return { body: { contents: own, ...(Object.keys(config).length === 0 ? {} : { config }) }, report };
}

const geminiCaching =
  "Gemini keeps the beginning of a request by itself, from 2.5 on: system text, tools, contents. " +
  "How many tokens it takes at least depends on the model; a cache of its own (cachedContent) is not made here.";

/** Whether a model refuses unsigned calls; undefined: the newest, which does. */
export function needsSignatures(model: string | undefined): boolean {
  if (model === undefined) return true;
  const version = /gemini-(\d+)/i.exec(model)?.[1];
  return version !== undefined && Number(version) >= 3;
}

/** @param holdsMedia whether results carry their media; a note on unread media follows them in any case. */
function withMediaBehind(
  own: readonly GeminiPart[],
  parts: readonly Part[],
  holdsMedia: boolean,
): GeminiPart[] {
  const all = parts.flatMap((part) =>
    "functionResponse" in part ? (part.functionResponse.parts ?? []) : [],
  );
  const media = all.filter((part) => !holdsMedia || !isTakenInResult(part)).map(mediaPart);
  const last = own.findLastIndex((part) => "functionResponse" in part);
  return media.length === 0 ? [...own] : own.toSpliced(last + 1, 0, ...media);
}

function mediaPart(part: MediaPart): GeminiInlineData | { readonly text: string } {
  return isTaken(part) ? part : { text: mediaText(part) };
}

/** What Gemini documents for the parts of a function's response. */
function isTakenInResult(part: MediaPart): part is InlineDataPart {
  return "inlineData" in part && resultTypes.has(part.inlineData.mimeType);
}

/** What Gemini documents as inline data: images but GIF and SVG, PDF, texts, sounds, films. */
function isTaken(part: MediaPart): part is InlineDataPart {
  if (!("inlineData" in part)) return false;
  const { mimeType } = part.inlineData;
  return isTakenInResult(part) || /^(?:image\/hei[cf]|(?:audio|video|text)\/.+)$/.test(mimeType);
}

const resultTypes: ReadonlySet<string> = new Set([
  ...["image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"],
]);

interface PartRules {
  readonly mustBeSigned: boolean;
  readonly holdsMedia: boolean;
}

function geminiPart(part: Part, { mustBeSigned, holdsMedia }: PartRules): readonly GeminiPart[] {
  if ("redactedThought" in part) return [];
  if ("functionCall" in part) {
    const { functionCall, thoughtSignature } = part;
    const { id, name, args } = functionCall;
    const call = { id: wireText(id), name: wireName(name), args: wireArgs(args) };
    // An empty signature signs nothing.
    const signature = thoughtSignature || (mustBeSigned ? skippedSignature : undefined);
    return [{ functionCall: call, ...defined({ thoughtSignature: signature }) }];
  }
  if ("functionResponse" in part) {
    const { id, name, response, parts = [] } = part.functionResponse;
    const written =
      "error" in response ? { error: wireText(response.error) } : { output: wireText(response.output) };
    const shown = parts.filter(isTakenInResult);
    const media = holdsMedia && shown.length > 0 ? { parts: shown } : {};
    return [{ functionResponse: { id: wireText(id), name: wireName(name), response: written, ...media } }];
  }
  if (isMedia(part)) return [mediaPart(part)];
  return ["text" in part ? { ...part, text: wireText(part.text) } : part];
}
