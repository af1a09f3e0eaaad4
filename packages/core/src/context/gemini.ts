import type { JsonObject } from "../conversation/index.js";
import type { Content, MediaPart, Part } from "./content.js";
import { unresolvedText, wireArgs, wireName, wireText } from "./wire-ids.js";

/** A content as the Gemini API takes it (`contents` of `generateContent`). */
export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: readonly GeminiPart[];
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
        readonly response: { readonly output: string } | { readonly error: string };
        readonly parts?: readonly GeminiInlineData[];
      };
    }
  | { readonly fileData: { readonly fileUri: string; readonly mimeType: string } }
  | GeminiInlineData;

/** The bytes of a medium, in base64. */
export interface GeminiInlineData {
  readonly inlineData: { readonly mimeType: string; readonly data: string };
}

/**
 * Stands in for a signature that is not there, such as of a call that another model made: Gemini 3 refuses
 * a step whose first call has none.
 */
export const skippedSignature = "skip_thought_signature_validator";

/**
 * The neutral form as the Gemini API takes it. Media of a result stand in it from Gemini 3 on, behind all
 * results of their turn before that.
 *
 * @param model of the request; from Gemini 3 on the first call of each step has to be signed.
 */
export function toGemini(
  contents: readonly Content[],
  { model }: { readonly model: string },
): readonly GeminiContent[] {
  const signs = needsSignatures(model);
  return contents.map(({ role, parts }) => {
    const first = signs ? parts.findIndex((part) => "functionCall" in part) : -1;
    const own = parts.flatMap((part, at) =>
      geminiPart(part, { mustBeSigned: at === first, holdsMedia: signs }),
    );
    return { role, parts: withMediaBehind(own, parts, signs) };
  });
}

/** Whether a model refuses unsigned calls. */
export function needsSignatures(model: string): boolean {
  const version = /gemini-(\d+)/i.exec(model)?.[1];
  return version !== undefined && Number(version) >= 3;
}

/** @param holdsMedia whether results carry their media; a note on unread media follows them in any case. */
function withMediaBehind(
  own: readonly GeminiPart[],
  parts: readonly Part[],
  holdsMedia: boolean,
): readonly GeminiPart[] {
  const all = parts.flatMap((part) =>
    "functionResponse" in part ? (part.functionResponse.parts ?? []) : [],
  );
  const media = all.filter((part) => !holdsMedia || "blobData" in part).map(mediaPart);
  const last = own.findLastIndex((part) => "functionResponse" in part);
  return media.length === 0 ? own : own.toSpliced(last + 1, 0, ...media);
}

function mediaPart(part: MediaPart): GeminiInlineData | { readonly text: string } {
  return "inlineData" in part ? part : { text: unresolvedText(part) };
}

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
    const signature = thoughtSignature ?? (mustBeSigned ? skippedSignature : undefined);
    return [
      signature === undefined ? { functionCall: call } : { functionCall: call, thoughtSignature: signature },
    ];
  }
  if ("functionResponse" in part) {
    const { id, name, response, parts = [] } = part.functionResponse;
    const written =
      "error" in response ? { error: wireText(response.error) } : { output: wireText(response.output) };
    const shown = parts.filter((one) => "inlineData" in one);
    const media = holdsMedia && shown.length > 0 ? { parts: shown } : {};
    return [{ functionResponse: { id: wireText(id), name: wireName(name), response: written, ...media } }];
  }
  if ("blobData" in part) return [mediaPart(part)];
  return ["text" in part ? { ...part, text: wireText(part.text) } : part];
}
