import type { JsonObject } from "../conversation/index.js";
import type { Content, MediaPart, Part } from "./content.js";
import { unresolvedText, WireIds, wireArgs, wireName, wireText } from "./wire-ids.js";

/** A message as the Messages API takes it. */
export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly AnthropicBlock[];
}

/** One block of a message in Anthropic's Messages API. */
export type AnthropicBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonObject }
  | {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content?: string | readonly AnthropicResultBlock[];
      readonly is_error?: true;
    }
  | AnthropicMediaBlock;

/** What a result may hold. */
export type AnthropicResultBlock = { readonly type: "text"; readonly text: string } | AnthropicMediaBlock;

/** An image or a document among the blocks. */
export type AnthropicMediaBlock = { readonly type: "image" | "document"; readonly source: AnthropicSource };

/** The bytes of a medium, in base64. */
export interface AnthropicSource {
  readonly type: "base64";
  readonly media_type: string;
  readonly data: string;
}

/** What an error says that says nothing: the API refuses it empty. */
const silentError = "(no message)";

/**
 * The neutral form as the Messages API takes it. A thought without a signature cannot be given back and is
 * left out; media of other types than images and PDF, and addresses at Google, become a text that says so:
 * render for the provider (`RenderOptions.target`), and there are none.
 */
export function toAnthropic(contents: readonly Content[]): {
  readonly messages: readonly AnthropicMessage[];
} {
  const ids = new WireIds();
  const messages = contents.map(({ role, parts }) => ({
    role: role === "user" ? ("user" as const) : ("assistant" as const),
    content: parts.flatMap((part) => blocksOf(part, ids)),
  }));
  return { messages };
}

function blocksOf(part: Part, ids: WireIds): readonly AnthropicBlock[] {
  if ("text" in part) return textBlocks(part);
  if ("redactedThought" in part) return [{ type: "redacted_thinking", data: part.redactedThought }];
  if ("functionCall" in part) {
    const { id, name, args } = part.functionCall;
    return [{ type: "tool_use", id: ids.of(id), name: wireName(name), input: wireArgs(args) }];
  }
  if ("functionResponse" in part) return [resultBlock(part.functionResponse, ids)];
  if ("inlineData" in part || "blobData" in part) return [mediaBlock(part)];
  return [{ type: "text", text: `[The file ${wireText(part.fileData.fileUri)} is not available here.]` }];
}

function textBlocks({
  text,
  thought,
  thoughtSignature,
}: Extract<Part, { text: string }>): readonly AnthropicBlock[] {
  if (thought !== true) return [{ type: "text", text: wireText(text) }];
  return thoughtSignature === undefined
    ? []
    : [{ type: "thinking", thinking: text, signature: thoughtSignature }];
}

function resultBlock(
  { id, response, parts = [] }: Extract<Part, { functionResponse: object }>["functionResponse"],
  ids: WireIds,
): AnthropicBlock {
  const block = { type: "tool_result", tool_use_id: ids.of(id) } as const;
  if ("error" in response) {
    const output = response.error.trim() === "" ? silentError : response.error;
    return { ...block, content: withMedia(wireText(output), parts), is_error: true };
  }
  const content = withMedia(wireText(response.output), parts);
  return content === "" ? block : { ...block, content };
}

/** A text alone stays one; a blank one is left out. */
function withMedia(text: string, parts: readonly MediaPart[]): string | readonly AnthropicResultBlock[] {
  const blocks = text.trim() === "" ? [] : [{ type: "text", text } as const];
  return parts.length === 0 ? (blocks[0]?.text ?? "") : [...blocks, ...parts.map(mediaBlock)];
}

const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function mediaBlock(part: MediaPart): AnthropicResultBlock {
  if ("blobData" in part) return { type: "text", text: unresolvedText(part) };
  const { mimeType, data } = part.inlineData;
  const source = { type: "base64", media_type: mimeType, data } as const;
  if (imageTypes.has(mimeType)) return { type: "image", source };
  if (mimeType === "application/pdf") return { type: "document", source };
  return { type: "text", text: `[Media of type ${wireText(mimeType)} cannot be shown here.]` };
}
