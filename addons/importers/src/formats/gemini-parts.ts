import type { ModelOrigin } from "@holdfast/core/conversation/values";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { objectOf, textOf } from "../lines/fields.js";
import type { EntryNode } from "../tree/foreign-entry.js";
import { argsOf, madeNode, noteForModel, resultNodes, userNodes } from "./blocks.js";

/** A call as the program or the API writes it. */
export interface GeminiCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly signature?: string | undefined;
  /** What the program notes of it; of a call in the API's form nothing. */
  readonly record?: JsonObject;
}

/** A result in the API's form, with the media that stand behind it. */
export interface GeminiResult {
  readonly id: string;
  readonly response: JsonObject;
  readonly media: readonly JsonObject[];
}

/** The parts of a content: a text, one part, or a list. */
export function partsOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (content === undefined || content === null || content === "") return [];
  const list = Array.isArray(content) ? (content as readonly JsonValue[]) : [content];
  return list.map((part) =>
    isJsonObject(part) ? part : { text: typeof part === "string" ? part : JSON.stringify(part) },
  );
}

/** The calls among parts. @param nameless an id for one that has none, as those of older releases. */
export function callsIn(
  parts: readonly JsonObject[],
  nameless: (name: string, at: number) => string,
): readonly GeminiCall[] {
  return parts.flatMap((part, at) => {
    const call = objectOf(part, "functionCall");
    if (call === undefined) return [];
    const name = textOf(call, "name") ?? "unknown";
    const id = textOf(call, "id") ?? nameless(name, at);
    return [{ id, name, args: argsOf(call.args), signature: textOf(part, "thoughtSignature") }];
  });
}

/** The results among parts; media belong to the result before them. */
export function resultsIn(
  parts: readonly JsonObject[],
  nameless: (name: string) => string,
): readonly GeminiResult[] {
  const results: { id: string; response: JsonObject; media: JsonObject[] }[] = [];
  for (const part of parts) {
    const result = objectOf(part, "functionResponse");
    if (result !== undefined) {
      const id = textOf(result, "id") ?? nameless(textOf(result, "name") ?? "unknown");
      results.push({ id, response: objectOf(result, "response") ?? {}, media: [...partsOf(result.parts)] });
    } else if (part.inlineData !== undefined || part.fileData !== undefined) results.at(-1)?.media.push(part);
  }
  return results;
}

/** Whether a message is nothing but results. */
export function isOfResults(parts: readonly JsonObject[]): boolean {
  return parts.length > 0 && parts[0]?.functionResponse !== undefined;
}

/** A user's message. What the program says in the user's place is a note for the model. */
export function userParts(parts: readonly JsonObject[]): readonly EntryNode[] {
  const blocks = parts.filter((part) => part.functionResponse === undefined).map(blockOf);
  const [only] = parts;
  const text = only === undefined ? undefined : textOf(only, "text");
  if (parts.length === 1 && text?.trimStart().startsWith("<session_context>") === true)
    return [noteForModel(text)];
  return blocks.length === 0 && parts.length > 0 ? [] : userNodes(blocks, "gemini");
}

/** What the model said and thought; its calls stand behind it. */
export function modelTextParts(
  parts: readonly JsonObject[],
  thoughts: string | undefined,
  origin: { readonly from: ModelOrigin; readonly step: string },
): readonly EntryNode[] {
  const nodes: EntryNode[] = [];
  if (thoughts !== undefined)
    nodes.push({ payload: { kind: "model_message", text: "", thought: thoughts, ...origin } });
  for (const part of parts) {
    if (part.functionCall !== undefined) continue;
    const text = textOf(part, "text");
    const signed = defined({ signature: textOf(part, "thoughtSignature") });
    if (text === undefined) nodes.push(madeNode("gemini", part, { ...signed, ...origin }));
    else if (part.thought === true)
      nodes.push({ payload: { kind: "model_message", text: "", thought: text, ...signed, ...origin } });
    else if (text !== "" || "signature" in signed)
      nodes.push({ payload: { kind: "model_message", text, ...signed, ...origin } });
  }
  return nodes;
}

/** The result of a call, with what the program shows of it to a person. */
export function geminiResult(
  { id, name, record }: GeminiCall,
  { response, media }: GeminiResult,
): readonly EntryNode[] {
  const error = textOf(response, "error");
  const output =
    textOf(response, "output") ??
    error ??
    (Object.keys(response).length === 0 ? "" : JSON.stringify(response));
  const isError = error !== undefined || record?.status === "error" || record?.status === "cancelled";
  const blocks = [{ type: "text", text: output }, ...media.map(blockOf)];
  const display = record?.resultDisplay;
  const details = display === "" || display === output ? undefined : display;
  return resultNodes({ callId: id, name, isError }, blocks, "gemini", details);
}

function blockOf(part: JsonObject): JsonObject {
  const text = textOf(part, "text");
  if (text !== undefined) return { type: "text", text };
  const data = objectOf(part, "inlineData");
  if (data !== undefined && textOf(data, "data") !== undefined && textOf(data, "mimeType") !== undefined)
    return { ...data, type: "image" };
  const [type = "part"] = Object.keys(part);
  return { ...part, type };
}
