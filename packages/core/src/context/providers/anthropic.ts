import type { JsonObject } from "../../conversation/index.js";
import { defined } from "../../text/index.js";
import type { Content, MediaPart, Part } from "../layout/content.js";
import { type CacheMarks, marksOf, type PlacedBlock } from "./anthropic-cache.js";
import { mediaText } from "./media-words.js";
import {
  offeredTools,
  type ProviderRequest,
  type RequestOptions,
  reportOn,
  systemText,
} from "./provider-request.js";
import { WireIds, wireArgs, wireName, wireText } from "./wire-ids.js";

/** What a request to the Messages API holds of a conversation. */
export interface AnthropicBody {
  readonly messages: AnthropicMessage[];
  readonly system?: AnthropicText[];
  readonly tools?: AnthropicTool[];
}

/** A message as the Messages API takes it. */
export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: AnthropicBlock[];
}

/** One block of a message in Anthropic's Messages API. */
export type AnthropicBlock =
  | AnthropicText
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | (AnthropicCached & {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: JsonObject;
    })
  | (AnthropicCached & {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content?: string | AnthropicResultBlock[];
      readonly is_error?: true;
    })
  | AnthropicMediaBlock;

/** A text among the blocks, or of the system. */
interface AnthropicText extends AnthropicCached {
  readonly type: "text";
  readonly text: string;
}

/** What a block carries up to which the request is kept. */
interface AnthropicCached {
  readonly cache_control?: AnthropicCacheMark;
}

/** A breakpoint of the cache, and how long it holds. */
interface AnthropicCacheMark {
  readonly type: "ephemeral";
  readonly ttl: "5m" | "1h";
}

/** What a result may hold. */
type AnthropicResultBlock = AnthropicText | AnthropicMediaBlock;

/** An image or a document among the blocks, with its bytes in base64. */
type AnthropicMediaBlock =
  | (AnthropicCached & { readonly type: "image"; readonly source: AnthropicImageSource })
  | (AnthropicCached & { readonly type: "document"; readonly source: AnthropicPdfSource });

/** The bytes of an image. */
interface AnthropicImageSource {
  readonly type: "base64";
  readonly media_type: AnthropicImageType;
  readonly data: string;
}

/** The images that the API takes. */
type AnthropicImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** The bytes of a PDF. */
interface AnthropicPdfSource {
  readonly type: "base64";
  readonly media_type: "application/pdf";
  readonly data: string;
}

/** A tool as the Messages API takes it. */
interface AnthropicTool extends AnthropicCached {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { readonly type: "object"; readonly [key: string]: unknown };
}

/** What an error says that says nothing: the API refuses it empty. */
const silentError = "(no message)";

/**
 * A prompt as the Messages API takes it, for `client.messages.create({ model, max_tokens, ...body })`. A
 * thought without a signature cannot be given back and is left out; media of other types than images and PDF,
 * and addresses at Google, become a text that says so: render for the provider (`RenderOptions.target`), and
 * there are none.
 *
 * @returns the body, and a report that names at most four cache breakpoints; with `options.cache` the body
 *   carries them.
 */
export function toAnthropic(
  contents: readonly Content[],
  options: RequestOptions = {},
): ProviderRequest<AnthropicBody> {
  const placed = placeBlocks(contents);
  const text = systemText(options);
  const offered = offeredTools(options);
  const heads = { system: text !== undefined, tools: offered.length };
  let marks: CacheMarks | undefined;
  const report = reportOn(contents, options, (sizes) => {
    marks = marksOf(contents, placed.flat(), sizes, heads, options.breakpoints);
    return marks.caching;
  });
  const { cache } = options;
  const markAt = (block: PlacedBlock | "tools" | "system"): AnthropicCached =>
    cache !== undefined && marks?.at.has(block) === true
      ? { cache_control: { type: "ephemeral", ttl: cache } }
      : {};
  const system = text === undefined ? undefined : [{ type: "text" as const, text, ...markAt("system") }];
  const tools = offered.map(
    ({ name, description, inputSchema }, at): AnthropicTool => ({
      name,
      ...defined({ description }),
      input_schema: inputSchema,
      ...(at === offered.length - 1 ? markAt("tools") : {}),
    }),
  );
  const messages = contents.map(({ role }, message) => ({
    role: role === "user" ? ("user" as const) : ("assistant" as const),
    content: (placed[message] ?? []).map((one) => ({ ...one.block, ...markAt(one) })),
  }));
  const some = { ...defined({ system }), ...(tools.length === 0 ? {} : { tools }) };
  return { body: { messages, ...some }, report };
}

/** The blocks of each message, each with the part that it comes from, counted over all contents. */
function placeBlocks(contents: readonly Content[]): readonly (readonly PlacedBlock<AnthropicBlock>[])[] {
  const ids = new WireIds();
  let before = 0;
  return contents.map(({ role, parts }, message) => {
    const first = before;
    before += parts.length;
    const blocks = parts.flatMap((part, at) =>
      blocksOf(role === "model" ? asModels(part) : part, ids).map((block) => ({ block, part: first + at })),
    );
    return blocks.map((one, at) => ({ ...one, message, at }));
  });
}

/** An answer of the model holds no media here: a sentence says that there were some. */
function asModels(part: Part): Part {
  return "inlineData" in part || "blobData" in part ? { text: mediaText(part) } : part;
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

/** A blank text says nothing here: it is there for its signature, which is Gemini's. */
function textBlocks({
  text,
  thought,
  thoughtSignature,
}: Extract<Part, { text: string }>): readonly AnthropicBlock[] {
  if (thought !== true) return text.trim() === "" ? [] : [{ type: "text", text: wireText(text) }];
  return thoughtSignature === undefined || thoughtSignature === ""
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
function withMedia(text: string, parts: readonly MediaPart[]): string | AnthropicResultBlock[] {
  const blocks = text.trim() === "" ? [] : [{ type: "text", text } as const];
  return parts.length === 0 ? (blocks[0]?.text ?? "") : [...blocks, ...parts.map(mediaBlock)];
}

const imageTypes: ReadonlySet<string> = new Set<AnthropicImageType>([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
]);

function isImageType(mimeType: string): mimeType is AnthropicImageType {
  return imageTypes.has(mimeType);
}

function mediaBlock(part: MediaPart): AnthropicResultBlock {
  if ("blobData" in part) return { type: "text", text: mediaText(part) };
  const { mimeType, data } = part.inlineData;
  if (isImageType(mimeType)) return { type: "image", source: { type: "base64", media_type: mimeType, data } };
  if (mimeType === "application/pdf")
    return { type: "document", source: { type: "base64", media_type: mimeType, data } };
  return { type: "text", text: mediaText(part) };
}
