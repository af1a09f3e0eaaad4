import type { JsonObject } from "../../conversation/values/index.js";
import { defined } from "../../text/index.js";
import type {
  Content,
  FileDataPart,
  FunctionResponsePart,
  MediaPart,
  Part,
  TextPart,
} from "../layout/content.js";
import { isShown, mediaText, type ShownPart, withoutForeign } from "./media.js";
import {
  type CacheBreakpoint,
  type Caching,
  offeredTools,
  type ProviderRequest,
  type RequestOptions,
  RequestSizes,
  systemText,
  type ToolOffer,
  WireIds,
  wireArgs,
  wireName,
  wireText,
} from "./provider-request.js";

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

/** An image or a document among the blocks. */
type AnthropicMediaBlock =
  | (AnthropicCached & { readonly type: "image"; readonly source: AnthropicBytes<AnthropicImageType> })
  | (AnthropicCached & { readonly type: "document"; readonly source: AnthropicBytes<"application/pdf"> });

type AnthropicImageType = Exclude<ShownPart["inlineData"]["mimeType"], "application/pdf">;

/** Bytes in base64. */
interface AnthropicBytes<Type> {
  readonly type: "base64";
  readonly media_type: Type;
  readonly data: string;
}

/** A tool as the Messages API takes it. */
type AnthropicTool = ToolOffer<"input_schema"> & AnthropicCached;

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
  const offered = offeredTools(options, "input_schema");
  const heads = { system: text !== undefined, tools: offered !== undefined };
  const sizes = new RequestSizes(contents, options);
  const marks = marksOf(contents, placed.flat(), sizes, heads, options.breakpoints);
  const { cache } = options;
  const markAt = (block: PlacedBlock | "tools" | "system"): AnthropicCached =>
    cache !== undefined && marks.at.has(block) ? { cache_control: { type: "ephemeral", ttl: cache } } : {};
  const system = text === undefined ? undefined : [{ type: "text" as const, text, ...markAt("system") }];
  const tools = offered?.map((tool, at) => ({
    ...tool,
    ...(at === offered.length - 1 ? markAt("tools") : {}),
  }));
  const messages = contents.map(({ role }, message) => ({
    role: role === "user" ? ("user" as const) : ("assistant" as const),
    content: (placed[message] ?? []).map((one) => ({ ...one.block, ...markAt(one) })),
  }));
  return { body: { messages, ...defined({ system, tools }) }, report: sizes.report(marks.caching) };
}

/** The blocks of each message, each with the part that it comes from, counted over all contents. */
function placeBlocks(contents: readonly Content[]): readonly (readonly PlacedBlock<AnthropicBlock>[])[] {
  const ids = new WireIds();
  let before = 0;
  return contents.map(({ role, parts }, message) => {
    const first = before;
    before += parts.length;
    const blocks = parts.flatMap((part, at) =>
      blocksOf(withoutForeign(part, role), ids).map((block) => ({ block, part: first + at })),
    );
    return blocks.map((one, at) => ({ ...one, message, at }));
  });
}

function blocksOf(part: Exclude<Part, FileDataPart>, ids: WireIds): readonly AnthropicBlock[] {
  if ("text" in part) return textBlocks(part);
  if ("redactedThought" in part) return [{ type: "redacted_thinking", data: part.redactedThought }];
  if ("functionCall" in part) {
    const { id, name, args } = part.functionCall;
    return [{ type: "tool_use", id: ids.of(id), name: wireName(name), input: wireArgs(args) }];
  }
  return ["functionResponse" in part ? resultBlock(part, ids) : mediaBlock(part)];
}

/** A blank text says nothing here: it is there for its signature, which is Gemini's. */
function textBlocks({ text, thought, thoughtSignature }: TextPart): readonly AnthropicBlock[] {
  if (thought !== true) return text.trim() === "" ? [] : [{ type: "text", text: wireText(text) }];
  return thoughtSignature === undefined || thoughtSignature === ""
    ? []
    : [{ type: "thinking", thinking: text, signature: thoughtSignature }];
}

function resultBlock({ functionResponse }: FunctionResponsePart, ids: WireIds): AnthropicBlock {
  const { id, response, parts = [] } = functionResponse;
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

function mediaBlock(part: MediaPart): AnthropicResultBlock {
  if (!isShown(part)) return { type: "text", text: mediaText(part) };
  const { mimeType: media_type, data } = part.inlineData;
  if (media_type === "application/pdf")
    return { type: "document", source: { type: "base64", media_type, data } };
  return { type: "image", source: { type: "base64", media_type, data } };
}

/** A block of a message in a request, and the part of the neutral form that it comes from. */
interface PlacedBlock<Block extends { readonly type: string } = { readonly type: string }> {
  readonly message: number;
  /** Index of the block in its message. */
  readonly at: number;
  /** Counted over all contents. */
  readonly part: number;
  readonly block: Block;
}

/** Where a request may be marked, and what that comes to. */
interface CacheMarks {
  readonly at: ReadonlySet<PlacedBlock | "tools" | "system">;
  readonly caching: Caching;
}

/**
 * Where the cache of the Messages API is told to end: after the tools, after the system text, where the last
 * request ended, and where what is stable ends. Four are all that the API takes. It looks back 20 blocks from
 * each for one of an earlier request, so that the end of the last request is named again.
 *
 * @param chosen how many parts stand before each mark of the contents, where somebody knows better; tools and system text
 *   then share one mark, since both come before all else.
 */
function marksOf(
  contents: readonly Content[],
  placed: readonly PlacedBlock[],
  sizes: RequestSizes,
  heads: { readonly system: boolean; readonly tools: boolean },
  chosen?: readonly number[],
): CacheMarks {
  const at = new Set<PlacedBlock | "tools" | "system">();
  const breakpoints: CacheBreakpoint[] = [];
  if (heads.tools && (chosen === undefined || !heads.system)) {
    at.add("tools");
    breakpoints.push({ after: "tools", parts: 0, chars: sizes.tools });
  }
  if (heads.system) {
    at.add("system");
    breakpoints.push({ after: "system", parts: 0, chars: sizes.head });
  }
  for (const end of chosen?.slice(-mostChosen) ?? endsOf(contents, sizes.stable)) {
    const block = placed.findLast((one) => one.part < end && canBeMarked(one.block));
    if (block === undefined || at.has(block)) continue;
    at.add(block);
    const parts = block.part + 1;
    const place = { message: block.message, block: block.at };
    breakpoints.push({ after: "contents", ...place, parts, chars: sizes.upTo(parts) });
  }
  return { at, caching: { kind: "breakpoints", breakpoints, says } };
}

/** The head has the fourth. */
const mostChosen = 3;

const says =
  "Anthropic keeps a request only up to the blocks that carry cache_control; at most four may, and thoughts cannot.";

/** How many parts come before the last answer of the model that is stable, and how many are stable. */
function endsOf(contents: readonly Content[], stable: number): readonly number[] {
  let before: number | undefined;
  let sum = 0;
  for (const { role, parts } of contents) {
    if (sum >= stable) break;
    if (role === "model" && sum > 0) before = sum;
    sum += parts.length;
  }
  return before === undefined ? [stable] : [before, stable];
}

function canBeMarked({ type }: { readonly type: string }): boolean {
  return type !== "thinking" && type !== "redacted_thinking";
}
