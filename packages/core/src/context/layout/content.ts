import type { JsonObject } from "../../conversation/values/index.js";

/**
 * The GenAI API's `Content`: the neutral form of a prompt, from which every provider's form is made
 * (seed 4, "Rendering").
 */
export interface Content {
  readonly role: "user" | "model";
  /** Never empty. */
  readonly parts: readonly Part[];
}

/** One part of a content in the neutral form, which is Gemini's. */
export type Part =
  | TextPart
  | RedactedThoughtPart
  | FunctionCallPart
  | FunctionResponsePart
  | FileDataPart
  | MediaPart;

/** Media of a prompt: their bytes, or a reference to bytes that are still to be read. */
export type MediaPart = InlineDataPart | BlobDataPart;

/** Words of the user or the model, or a thought of the model with its signature. */
export interface TextPart {
  readonly text: string;
  readonly thought?: true;
  readonly thoughtSignature?: string;
}

/** Not of the GenAI API: what Anthropic wants back as it gave it. Other forms leave it out. */
interface RedactedThoughtPart {
  readonly redactedThought: string;
}

/** A tool call of the model; `id` pairs it with its response. */
export interface FunctionCallPart {
  readonly functionCall: { readonly id: string; readonly name: string; readonly args: JsonObject };
  readonly thoughtSignature?: string;
}

/** The result of a tool call: its output or its error. */
export interface FunctionResponsePart {
  readonly functionResponse: {
    readonly id: string;
    readonly name: string;
    readonly response: { readonly output: string } | { readonly error: string };
    /** What the result shows besides; never empty. */
    readonly parts?: readonly MediaPart[];
  };
}

/** A file by its address at a provider. */
export interface FileDataPart {
  readonly fileData: { readonly fileUri: string; readonly mimeType: string };
}

/** `data` is Base64. */
export interface InlineDataPart {
  readonly inlineData: { readonly mimeType: string; readonly data: string };
  /** Of what the model made. */
  readonly thoughtSignature?: string;
}

/** Not of the GenAI API: media whose bytes are still to be read (`resolveMedia`). */
export interface BlobDataPart {
  readonly blobData: { readonly mimeType: string; readonly sha256: string; readonly sizeBytes: number };
  /** Of what the model made. */
  readonly thoughtSignature?: string;
}
