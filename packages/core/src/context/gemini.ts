import type { JsonObject } from "../conversation/index.js";
import type { Content, Part } from "./content.js";
import { wireArgs, wireName, wireText } from "./wire-ids.js";

/** A content as the Gemini API takes it (`contents` of `generateContent`). */
export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: readonly GeminiPart[];
}

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
      };
    }
  | { readonly fileData: { readonly fileUri: string; readonly mimeType: string } }
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } };

/**
 * Stands in for a signature that is not there, such as of a call that another model made: Gemini 3 refuses
 * a step whose first call has none.
 */
export const skippedSignature = "skip_thought_signature_validator";

/**
 * The neutral form as the Gemini API takes it.
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
    return { role, parts: parts.flatMap((part, at) => geminiPart(part, at === first)) };
  });
}

/** Whether a model refuses unsigned calls. */
export function needsSignatures(model: string): boolean {
  const version = /gemini-(\d+)/i.exec(model)?.[1];
  return version !== undefined && Number(version) >= 3;
}

function geminiPart(part: Part, mustBeSigned: boolean): readonly GeminiPart[] {
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
    const { id, name, response } = part.functionResponse;
    const said =
      "error" in response ? { error: wireText(response.error) } : { output: wireText(response.output) };
    return [{ functionResponse: { id: wireText(id), name: wireName(name), response: said } }];
  }
  return ["text" in part ? { ...part, text: wireText(part.text) } : part];
}
