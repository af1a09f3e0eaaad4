import type { TurnUsage } from "@holdfast/core/conversation/values";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import { countOf, objectOf, textOf } from "../lines/fields.js";
import { partsOf } from "./gemini-parts.js";

/** Of several calls of one id in one answer the later ones get a number. */
export function ownIds(calls: readonly { readonly id?: JsonValue }[]): readonly string[] {
  const counts = new Map<string, number>();
  return calls.map(({ id }) => {
    const given = typeof id === "string" ? id : "";
    const count = (counts.get(given) ?? 0) + 1;
    counts.set(given, count);
    return count === 1 ? given : `${given}#${count}`;
  });
}

/** Messages of different roles may bear one id: a call's answer and its results do. */
export function keyOf(value: JsonObject): string | undefined {
  const id = textOf(value, "id");
  return id === undefined ? undefined : isUsers(value) ? `${id} user` : id;
}

/** A record of a message has both. */
export function isMessage({ id, type }: JsonObject): boolean {
  return typeof id === "string" && typeof type === "string";
}

/** A content of the API, as saved chats hold them. */
export function isContent({ role, parts }: JsonObject): boolean {
  return (role === "user" || role === "model") && Array.isArray(parts);
}

/** A content of the API as if it were a record. */
export function asMessage({ role, parts }: JsonObject): JsonObject {
  return { type: role === "model" ? "gemini" : "user", content: parts ?? [] };
}

/** Whether the user said it. */
export function isUsers({ type }: JsonObject): boolean {
  return type === "user";
}

/** What the program tells a person: `info`, `warning`, `error`. */
export function isChatter({ type }: JsonObject): boolean {
  return type !== "user" && type !== "gemini";
}

/** What a person was shown of it; of what the program tells the model nothing. */
export function shownText({ displayContent, content }: JsonObject): string {
  const parts = partsOf(displayContent ?? content);
  const text = parts.map((part) => textOf(part, "text") ?? "").join("\n");
  return text.trimStart().startsWith("<session_context>") ? "" : text;
}

/** What the program tells the model before all else. */
export function isContext({ content }: JsonObject): boolean {
  const [first] = partsOf(content);
  return first !== undefined && (textOf(first, "text") ?? "").trimStart().startsWith("<session_context>");
}

/** The thoughts of an answer, one below the other; undefined where it has none. */
export function thoughtsOf({ thoughts }: JsonObject): string | undefined {
  const texts = listOf(thoughts).map((thought) => {
    const [subject, description] = [textOf(thought, "subject") ?? "", textOf(thought, "description") ?? ""];
    return subject === "" ? description : `**${subject}** ${description}`;
  });
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** What a call was given. */
export function argsIn(record: JsonObject): JsonObject {
  return objectOf(record, "args") ?? {};
}

/** The objects of a list; of what is none nothing. */
export function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** The tokens that an answer took, as far as they were counted. */
export function usageOf(tokens: JsonObject | undefined): TurnUsage | undefined {
  if (tokens === undefined) return undefined;
  const thoughtTokens = countOf(tokens, "thoughts");
  return {
    inputTokens: countOf(tokens, "input"),
    cachedInputTokens: countOf(tokens, "cached"),
    outputTokens: countOf(tokens, "output") + thoughtTokens,
    ...(thoughtTokens === 0 ? {} : { thoughtTokens }),
  };
}
