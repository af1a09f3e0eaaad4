import type { ModelOrigin } from "@holdfast/core/conversation/values";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { objectOf, textOf } from "../lines/fields.js";
import type { EntryNode } from "../tree/foreign-entry.js";
import { argsOf, noteForModel, noteForPerson, resultNodes, unknown, userNodes } from "./blocks.js";
import { blockOfDataUrl } from "./data-url.js";

/** Which answer of which model a part belongs to. */
export interface OpencodeAnswer {
  readonly from: ModelOrigin;
  readonly step: string;
}

/** Parts that say nothing of the conversation itself. */
export function isChatterPart({ type }: JsonObject): boolean {
  return typeof type === "string" && chatter.has(type);
}

const chatter = new Set(["step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction"]);

/** A user's message. What the program added in the user's place are notes for the model, before it. */
export function userParts(parts: readonly JsonObject[]): readonly EntryNode[] {
  const notes: EntryNode[] = [];
  const blocks: JsonObject[] = [];
  for (const part of parts) {
    const text = textOf(part, "text");
    if (part.type === "text" && part.ignored === true) notes.push(noteForPerson(text ?? ""));
    else if (part.type === "text" && part.synthetic === true) notes.push(noteForModel(text ?? ""));
    else if (part.type === "file") {
      const media = mediaBlock(part);
      if (media === undefined) notes.push(noteForPerson(fileText(part)));
      else blocks.push(media);
    } else if (part.type === "subtask") notes.push(noteForPerson(`Subtask: ${textOf(part, "prompt") ?? ""}`));
    else if (!isChatterPart(part)) blocks.push(part);
  }
  return blocks.length === 0 && parts.length > 0 ? notes : [...notes, ...userNodes(blocks, "opencode")];
}

/** A part of an answer; results of calls are apart (`resultOf`). */
export function answerPart(part: JsonObject, answer: OpencodeAnswer): readonly EntryNode[] {
  const { step } = answer;
  const from = { ...answer.from, ...defined({ provider: signerOf(part) }) };
  switch (part.type) {
    case "text": {
      const signature = textSignature(part);
      return [
        {
          payload: {
            kind: "model_message",
            text: textOf(part, "text") ?? "",
            ...defined({ signature }),
            from,
            step,
          },
        },
      ];
    }
    case "reasoning":
      return [thoughtOf(part, from, step)];
    case "tool": {
      const state = objectOf(part, "state") ?? {};
      const signature =
        metadataText(part, "google", "thoughtSignature") ?? metadataText(part, "vertex", "thoughtSignature");
      const call = {
        callId: callIdOf(part),
        name: textOf(part, "tool") ?? "unknown",
        args: argsOf(state.input),
      };
      return [{ payload: { kind: "tool_call", ...call, ...defined({ signature }), from, step } }];
    }
    case "file":
      return [noteForPerson(fileText(part))];
    default:
      return [unknown("opencode", part)];
  }
}

/** What a call gave; nothing where it was never answered. */
export function resultOf(part: JsonObject): readonly EntryNode[] {
  const state = objectOf(part, "state") ?? {};
  const base = { callId: callIdOf(part), name: textOf(part, "tool") ?? "unknown" };
  const details = state.metadata;
  if (state.status === "error") {
    const text = textOf(state, "error") ?? "";
    return resultNodes({ ...base, isError: true }, [{ type: "text", text }], "opencode", details);
  }
  if (state.status !== "completed") return [];
  const attached = (
    Array.isArray(state.attachments) ? (state.attachments as readonly JsonValue[]) : []
  ).filter(isJsonObject);
  const blocks = [
    { type: "text", text: textOf(state, "output") ?? "" },
    ...attached.map((file) => mediaBlock(file) ?? file),
  ];
  return resultNodes({ ...base, isError: false }, blocks, "opencode", details);
}

/** The session that a call had work in a session of its own. */
export function childOf(part: JsonObject): string | undefined {
  const metadata = objectOf(objectOf(part, "state") ?? {}, "metadata") ?? {};
  return textOf(metadata, "sessionId") ?? textOf(metadata, "sessionID");
}

/** An id of the call; where the program noted none, that of its part. */
function callIdOf(part: JsonObject): string {
  return textOf(part, "callID") ?? textOf(part, "id") ?? "";
}

function mediaBlock(part: JsonObject): JsonObject | undefined {
  const mimeType = textOf(part, "mime");
  if (mimeType?.startsWith("text/") === true) return undefined;
  return blockOfDataUrl(textOf(part, "url") ?? "", mimeType);
}

/** A file that is only named: its address stays text, nothing is read. */
function fileText(part: JsonObject): string {
  return `File: ${textOf(part, "filename") ?? ""} ${textOf(part, "url") ?? ""}`;
}

/**
 * Signatures are kept by the API's name, as the AI SDK hands them over: Anthropic's, Google's, and the
 * reasoning items of OpenAI, which `toOpenAIResponses` gives back.
 */
function thoughtOf(part: JsonObject, from: ModelOrigin, step: string): EntryNode {
  const thought = textOf(part, "text") ?? "";
  const redacted = metadataText(part, "anthropic", "redactedData");
  if (redacted !== undefined)
    return { payload: { kind: "model_message", text: "", redactedThought: redacted, from, step } };
  const signature =
    metadataText(part, "anthropic", "signature") ??
    metadataText(part, "google", "thoughtSignature") ??
    reasoningItem(part);
  return { payload: { kind: "model_message", text: "", thought, ...defined({ signature }), from, step } };
}

/** The reasoning item of OpenAI that a part is of. */
export function reasoningIdOf(part: JsonObject): string | undefined {
  return part.type === "reasoning" ? metadataText(part, "openai", "itemId") : undefined;
}

/** A part of a reasoning item with the next one of the same item. */
export function withThought(part: JsonObject, next: JsonObject): JsonObject {
  const summaries = [...summariesOf(part), ...summariesOf(next)];
  return {
    ...part,
    text: summaries.join("\n\n"),
    summaries,
    metadata: next.metadata ?? part.metadata ?? null,
  };
}

function summariesOf({ summaries, text }: JsonObject): readonly JsonValue[] {
  return Array.isArray(summaries) ? (summaries as readonly JsonValue[]) : [text ?? ""];
}

function reasoningItem(part: JsonObject): string | undefined {
  const id = reasoningIdOf(part);
  const sealed = metadataText(part, "openai", "reasoningEncryptedContent");
  if (id === undefined) return undefined;
  const summary = summariesOf(part).flatMap((text) => (text === "" ? [] : [{ type: "summary_text", text }]));
  return JSON.stringify([{ type: "reasoning", id, summary, ...defined({ encrypted_content: sealed }) }]);
}

function textSignature(part: JsonObject): string | undefined {
  const id = metadataText(part, "openai", "itemId");
  return id === undefined ? metadataText(part, "google", "thoughtSignature") : JSON.stringify({ id });
}

/** Whose signature a part bears: it may have come through somebody else. */
function signerOf({ metadata }: JsonObject): string | undefined {
  return isJsonObject(metadata) ? signers.find((name) => isJsonObject(metadata[name])) : undefined;
}

const signers: readonly string[] = ["anthropic", "openai", "google"];

function metadataText(part: JsonObject, api: string, key: string): string | undefined {
  const of = objectOf(objectOf(part, "metadata") ?? {}, api);
  return of === undefined ? undefined : textOf(of, key);
}
