import { defined } from "../../text/index.js";
import type { Content, MediaPart, Part } from "../layout/content.js";
import { followingText, isMedia, isShown, mediaText, withoutForeign } from "./media.js";
import {
  argumentsText,
  type ChatThought,
  dataUrl,
  fileName,
  isImage,
  type OpenAIAudioId,
  openAIReport,
  openAISignature,
} from "./openai-shared.js";
import {
  offeredTools,
  type ProviderRequest,
  type RequestOptions,
  systemText,
  type ToolOffer,
  WireIds,
  wireName,
  wireText,
} from "./provider-request.js";

/** What a request to the Chat Completions API holds of a conversation. */
export interface OpenAIBody {
  readonly messages: OpenAIMessage[];
  readonly tools?: OpenAITool[];
}

/** A message as the Chat Completions API takes it. */
export type OpenAIMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | OpenAIContentPart[] }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: OpenAIToolCall[];
      /** What the model thought before its calls, given back to the servers that sent it. */
      readonly reasoning_content?: string;
      /** The same, to OpenRouter, with the signatures of the provider behind it. */
      readonly reasoning_details?: readonly unknown[];
      /** A sound that the API made, and still knows. */
      readonly audio?: { readonly id: string };
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** One part of a user's message in OpenAI's Chat Completions API. */
export type OpenAIContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "file"; readonly file: { readonly filename: string; readonly file_data: string } };

/** A tool call of an assistant's message; `arguments` is JSON as text. */
interface OpenAIToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A tool as the Chat Completions API takes it. */
interface OpenAITool {
  readonly type: "function";
  readonly function: ToolOffer<"parameters">;
}

/**
 * The prompt as the Chat Completions API takes it, for `client.chat.completions.create({ model, ...body })`.
 * Thoughts go back with the calls that they led to, where no other API has signed them. Media of a result follow as the user's,
 * since a tool's message holds text only, which says that they do; media other than images and PDF, and addresses at
 * Google, become a text that says so. So do media that the model made, but for a sound that the API still knows
 * (`RequestOptions.nowMs`).
 */
export function toOpenAI(
  contents: readonly Content[],
  options: RequestOptions = {},
): ProviderRequest<OpenAIBody> {
  // The API refuses a longer one: a call of another provider may have it.
  const ids = new WireIds(40);
  const system = systemText(options);
  const messages = contents.flatMap(({ role, parts }) =>
    role === "user" ? userMessages(parts, ids) : [answer(parts, ids, options.nowMs)],
  );
  const offered = offeredTools(options, "parameters");
  const tools = offered?.map((one): OpenAITool => ({ type: "function", function: one }));
  const first: OpenAIMessage[] = system === undefined ? [] : [{ role: "system", content: system }];
  const body = { messages: [...first, ...messages], ...defined({ tools }) };
  return { body, report: openAIReport(contents, options) };
}

/** Results are messages of their own, and stand before what the user says. */
function userMessages(parts: readonly Part[], ids: WireIds): readonly OpenAIMessage[] {
  const results = parts.flatMap((part) => {
    if (!("functionResponse" in part)) return [];
    const { id, response, parts: media = [] } = part.functionResponse;
    const said = wireText("error" in response ? `Error: ${response.error}` : response.output);
    const shown = media.map((one) => (isShown(one) ? followingText(one) : mediaText(one)));
    const content = [...(said === "" && shown.length > 0 ? [] : [said]), ...shown].join("\n");
    return [{ role: "tool" as const, tool_call_id: ids.of(id), content }];
  });
  const content = [...parts.flatMap(resultMedia), ...parts.flatMap(contentPart)];
  if (content.length === 0) return results;
  const [only] = content;
  const plain = content.length === 1 && only?.type === "text";
  return [...results, { role: "user", content: plain ? only.text : content }];
}

/** A tool's message holds text only: what a result shows besides follows as the user's. */
function resultMedia(part: Part): readonly OpenAIContentPart[] {
  if (!("functionResponse" in part)) return [];
  const { name, parts = [] } = part.functionResponse;
  const shown = parts.filter(isShown);
  if (shown.length === 0) return [];
  return [{ type: "text", text: `[Shown by ${wireName(name)}:]` }, ...shown.map(mediaPart)];
}

function contentPart(part: Part): readonly OpenAIContentPart[] {
  const own = withoutForeign(part, "user");
  if ("text" in own) return [{ type: "text", text: wireText(own.text) }];
  return isMedia(own) ? [mediaPart(own)] : [];
}

function mediaPart(part: MediaPart): OpenAIContentPart {
  if (!isShown(part)) return { type: "text", text: mediaText(part) };
  if (isImage(part)) return { type: "image_url", image_url: { url: dataUrl(part) } };
  return { type: "file", file: { filename: fileName, file_data: dataUrl(part) } };
}

/**
 * An answer in sound goes back by its id while the API knows it; else, as of other media that the model made, a sentence
 * tells of it, since an answer holds none here. A blank text is there for its signature, which is no business of this API.
 */
function answer(parts: readonly Part[], ids: WireIds, nowMs: number | undefined): OpenAIMessage {
  const audio = knownAudio(parts, nowMs);
  const texts = parts.flatMap((part) => {
    if (audio !== undefined && audioOf(part)?.id === audio.id) return [];
    const own = withoutForeign(part, "model");
    return "text" in own && own.thought !== true && own.text.trim() !== "" ? [own.text] : [];
  });
  const calls = parts.flatMap((part): readonly OpenAIToolCall[] => {
    if (!("functionCall" in part)) return [];
    const { id, name } = part.functionCall;
    return [
      {
        id: ids.of(id),
        type: "function",
        function: { name: wireName(name), arguments: argumentsText(part) },
      },
    ];
  });
  const inText = calls.length === 0 ? "" : parts.map(thoughtInText).join("");
  const said = `${inText}${texts.join("\n")}`;
  const content = said === "" ? null : wireText(said);
  const made = audio === undefined ? {} : { audio: { id: audio.id } };
  if (calls.length === 0) return { role: "assistant", content, ...made };
  const thought = wireText(parts.map(thoughtIn).join(""));
  const details = parts.flatMap((part) => givenBack(part)?.details ?? []);
  const thoughts = {
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
  return { role: "assistant", content, ...thoughts, ...made, tool_calls: calls };
}

/** A signed thought is of another API. */
function thoughtIn(part: Part): string {
  return "text" in part && part.thought === true && part.thoughtSignature === undefined ? part.text : "";
}

/** A thought that came in the text: servers of open models take it there, and leave out what is too old. */
function thoughtInText(part: Part): string {
  return "text" in part && givenBack(part)?.inText === true
    ? `<think>\n${part.text.trim()}\n</think>\n\n`
    : "";
}

function givenBack(part: Part): ChatThought | undefined {
  const isThought = "text" in part && part.thought === true;
  return isThought ? openAISignature(part.thoughtSignature).thought : undefined;
}

/** The sound that this answer was, if the API still knows it. */
function knownAudio(parts: readonly Part[], nowMs: number | undefined): OpenAIAudioId | undefined {
  if (nowMs === undefined) return undefined;
  const all = parts.map(audioOf);
  return all.find((audio) => audio !== undefined && audio.expiresAtSeconds * 1000 > nowMs);
}

function audioOf(part: Part): OpenAIAudioId | undefined {
  return "thoughtSignature" in part ? openAISignature(part.thoughtSignature).audio : undefined;
}
