import type { JsonObject } from "../conversation/index.js";

/**
 * The GenAI API's `Content`: the neutral form of a prompt, from which every provider's form is made
 * (seed 4, "Rendering").
 */
export interface Content {
  readonly role: "user" | "model";
  /** Never empty. */
  readonly parts: readonly Part[];
}

export type Part =
  | TextPart
  | RedactedThoughtPart
  | FunctionCallPart
  | FunctionResponsePart
  | FileDataPart
  | InlineDataPart;

export interface TextPart {
  readonly text: string;
  readonly thought?: true;
  readonly thoughtSignature?: string;
}

/** Not of the GenAI API: what Anthropic wants back as it gave it. Other forms leave it out. */
export interface RedactedThoughtPart {
  readonly redactedThought: string;
}

export interface FunctionCallPart {
  readonly functionCall: { readonly id: string; readonly name: string; readonly args: JsonObject };
  readonly thoughtSignature?: string;
}

export interface FunctionResponsePart {
  readonly functionResponse: {
    readonly id: string;
    readonly name: string;
    readonly response: { readonly output: string } | { readonly error: string };
  };
}

export interface FileDataPart {
  readonly fileData: { readonly fileUri: string; readonly mimeType: string };
}

/** `data` is Base64. */
export interface InlineDataPart {
  readonly inlineData: { readonly mimeType: string; readonly data: string };
}
