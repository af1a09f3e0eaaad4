import type { ModelMessage, TurnMetadata } from "@holdfast/core/conversation/values";
import {
  defineMetadataKey,
  isJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@holdfast/core/conversation/values";
import { textOf } from "../lines/fields.js";
import type { EntryNode } from "../tree/foreign-entry.js";
import { mediaOf, textIn } from "./media-blocks.js";

export { mediaOf } from "./media-blocks.js";

/** The content of a message: one text, or blocks. What is neither is one block of its own. */
export function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  const blocks = Array.isArray(content) ? (content as readonly JsonValue[]) : [content];
  return blocks.map((block) =>
    isJsonObject(block)
      ? block
      : { type: "text", text: typeof block === "string" ? block : JSON.stringify(block) },
  );
}

/** The texts of blocks, one below the other, and the blocks that are no texts. */
export function splitTexts(blocks: readonly JsonObject[]): {
  readonly text: string;
  readonly rest: readonly JsonObject[];
} {
  const texts = blocks.flatMap((block) => textIn(block) ?? []);
  return { text: texts.join("\n"), rest: blocks.filter((block) => textIn(block) === undefined) };
}

/** A user's message; blocks that are neither text nor media are kept as unknown. */
export function userNodes(blocks: readonly JsonObject[], format: string): readonly EntryNode[] {
  const { text, rest } = splitTexts(blocks);
  const media = rest.flatMap((block) => mediaOf(block) ?? []);
  const others = rest.filter((block) => mediaOf(block) === undefined);
  const hasMessage = text !== "" || media.length > 0 || others.length === 0;
  const message: EntryNode = {
    payload: { kind: "user_message", text, ...(media.length === 0 ? {} : { media }) },
  };
  return [...(hasMessage ? [message] : []), ...others.map((block) => unknown(format, block))];
}

/** A tool's result with its media; other blocks follow it as unknown. */
export function resultNodes(
  result: { readonly callId: string; readonly name: string; readonly isError: boolean },
  content: readonly JsonObject[],
  format: string,
  details: JsonValue | undefined,
): readonly EntryNode[] {
  const { text, rest } = splitTexts(content);
  const { callId, name, isError } = result;
  const media = rest.flatMap((block) => mediaOf(block) ?? []);
  const others = rest.filter((block) => mediaOf(block) === undefined);
  const shown = media.length === 0 ? {} : { media };
  const node: EntryNode = {
    payload: { kind: "tool_result", callId, name, output: text, ...shown, ...(isError ? { isError } : {}) },
    ...(details === undefined || details === null ? {} : { metadata: detailsOf(format, details) }),
  };
  return [node, ...others.map((block) => unknown(format, block))];
}

/** What another agent kept beside an entry, under the key that its importer declares. */
export function detailsOf(format: string, details: JsonValue): TurnMetadata {
  const { name } = defineMetadataKey(`${format}/details`, isJson);
  return { custom: { [name]: details } };
}

/** What has no counterpart here: kept whole and shown to people, never rendered. */
export function unknown(format: string, data: JsonObject): EntryNode {
  const type = textOf(data, "type") ?? "untyped";
  return { payload: { kind: "unknown", type: `${format}:${type}`, data } };
}

/** What stands in an answer besides words and calls: media that the model made, or what is not known. */
export function madeNode(
  format: string,
  block: JsonObject,
  origin: Pick<ModelMessage, "from" | "step" | "signature">,
): EntryNode {
  const media = mediaOf(block);
  if (media === undefined) return unknown(format, block);
  return { payload: { kind: "model_message", text: "", media: [media], ...origin } };
}

/** A note that only a person sees. */
export function noteForPerson(text: string): EntryNode {
  return { payload: { kind: "note", audience: "person", text } };
}

/** A note of the host to the model. */
export function noteForModel(text: string): EntryNode {
  return { payload: { kind: "note", audience: "model", text } };
}

/** The arguments of a call; what is no object is put into one. */
export function argsOf(value: JsonValue | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  return value === undefined || !isJson(value) ? {} : { value };
}
