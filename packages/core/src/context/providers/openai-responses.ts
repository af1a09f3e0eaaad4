import { defined, isObject, jsonOf, listIn, textIn } from "../../text/index.js";
import type { Content, FunctionResponsePart, MediaPart, Part, TextPart } from "../layout/content.js";
import { isMedia, isShown, mediaText, withoutForeign } from "./media.js";
import {
  argumentsText,
  dataUrl,
  fileName,
  isImage,
  type OpenAISignature,
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

/** What a request to the Responses API holds of a conversation. */
export interface OpenAIResponsesBody {
  readonly input: OpenAIItem[];
  readonly instructions?: string;
  readonly tools?: OpenAIResponsesTool[];
}

/** An item of the input, as the Responses API takes it. */
export type OpenAIItem =
  | { readonly type: "message"; readonly role: "user"; readonly content: OpenAIInputPart[] }
  | {
      readonly type: "message";
      readonly role: "assistant";
      readonly content: string;
      readonly phase?: OpenAIPhase;
    }
  | OpenAIOutputMessage
  | OpenAIReasoning
  | {
      readonly type: "function_call";
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
      readonly id?: string;
      readonly namespace?: string;
      readonly status?: "completed";
    }
  | {
      readonly type: "function_call_output";
      readonly call_id: string;
      readonly output: string | OpenAIInputPart[];
    };

/** A message of the model, given back under its id. */
interface OpenAIOutputMessage {
  readonly type: "message";
  readonly role: "assistant";
  readonly id: string;
  readonly status: "completed";
  readonly content: OpenAIOutputPart[];
  readonly phase?: OpenAIPhase;
}

/** Whether a message was said in between or at the end. */
type OpenAIPhase = "commentary" | "final_answer";

/** What the model says in a message. */
type OpenAIOutputPart =
  | { readonly type: "output_text"; readonly text: string; readonly annotations: never[] }
  | { readonly type: "refusal"; readonly refusal: string };

/** A reasoning item, as the API gave it: `encrypted_content` and all else. */
export interface OpenAIReasoning {
  readonly type: "reasoning";
  readonly id: string;
  readonly summary: { readonly type: "summary_text"; readonly text: string }[];
  readonly encrypted_content?: string | null;
}

/** What a user's message or a result holds. */
export type OpenAIInputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly detail: "auto"; readonly image_url: string }
  | { readonly type: "input_file"; readonly filename: string; readonly file_data: string };

/** A tool as the Responses API takes it. */
interface OpenAIResponsesTool extends ToolOffer<"parameters"> {
  readonly type: "function";
  readonly strict: false;
}

/**
 * The prompt as the Responses API takes it, for `client.responses.create({ model, store: false, include:
 * ["reasoning.encrypted_content"], ...body })`. Reasoning goes back as the items that `fromOpenAIResponses`
 * kept, byte for byte; thoughts that are none of those are left out. Media of a result stand in it: images and
 * PDF; others, and addresses at Google, become a text that says so.
 */
export function toOpenAIResponses(
  contents: readonly Content[],
  options: RequestOptions = {},
): ProviderRequest<OpenAIResponsesBody> {
  const ids = new WireIds();
  const input = contents.flatMap(({ role, parts }) =>
    role === "user" ? userItems(parts, ids) : answerItems(parts, ids),
  );
  const instructions = systemText(options);
  const offered = offeredTools(options, "parameters");
  const tools = offered?.map((one): OpenAIResponsesTool => ({ type: "function", ...one, strict: false }));
  const body = { input, ...defined({ instructions, tools }) };
  return { body, report: openAIReport(contents, options) };
}

/** Results first, each an item of its own. */
function userItems(parts: readonly Part[], ids: WireIds): readonly OpenAIItem[] {
  const results = parts.flatMap((part): readonly OpenAIItem[] =>
    "functionResponse" in part ? [resultItem(part, ids)] : [],
  );
  const content = parts.flatMap(inputPart);
  return content.length === 0 ? results : [...results, { type: "message", role: "user", content }];
}

function resultItem({ functionResponse }: FunctionResponsePart, ids: WireIds): OpenAIItem {
  const { id, response, parts = [] } = functionResponse;
  const text = wireText("error" in response ? `Error: ${response.error}` : response.output);
  const words: readonly OpenAIInputPart[] = text.trim() === "" ? [] : [{ type: "input_text", text }];
  const output = parts.length === 0 ? text : [...words, ...parts.flatMap(inputPart)];
  return { type: "function_call_output", call_id: ids.of(id), output };
}

function inputPart(part: Part): readonly OpenAIInputPart[] {
  const own = withoutForeign(part, "user");
  if ("text" in own) return [{ type: "input_text", text: wireText(own.text) }];
  return isMedia(own) ? [mediaPart(own)] : [];
}

function mediaPart(part: MediaPart): OpenAIInputPart {
  if (!isShown(part)) return { type: "input_text", text: mediaText(part) };
  if (isImage(part)) return { type: "input_image", detail: "auto", image_url: dataUrl(part) };
  return { type: "input_file", filename: fileName, file_data: dataUrl(part) };
}

/** The items of one content of the model; `reasoning` are the ids of those that were given back in it. */
function answerItems(parts: readonly Part[], ids: WireIds): readonly OpenAIItem[] {
  const items: OpenAIItem[] = [];
  const reasoning = new Set<string>();
  for (const given of parts) {
    const part = withoutForeign(given, "model");
    if ("functionCall" in part) {
      const kept = openAISignature(part.thoughtSignature);
      items.push({
        type: "function_call",
        call_id: ids.of(part.functionCall.id),
        name: wireName(part.functionCall.name),
        arguments: argumentsText(part),
        ...callMembers(kept, reasoning),
      });
    } else if ("text" in part && part.thought === true) {
      for (const item of reasoningItems(part.thoughtSignature)) {
        items.push(item);
        reasoning.add(item.id);
      }
    } else if ("text" in part) appendText(items, part, reasoning);
  }
  return items;
}

function callMembers(kept: OpenAISignature, reasoning: ReadonlySet<string>) {
  const { namespace } = kept;
  if (!canBeNamed(kept, reasoning)) return defined({ namespace });
  const status = kept.status === "completed" ? ("completed" as const) : undefined;
  return { id: kept.id, ...defined({ namespace, status }) };
}

/** An item that followed reasoning is refused under its id without it. */
function canBeNamed(
  kept: OpenAISignature,
  reasoning: ReadonlySet<string>,
): kept is OpenAISignature & { readonly id: string } {
  return kept.id !== undefined && (kept.follows === undefined || reasoning.has(kept.follows));
}

/** Texts of one message come together again. */
function appendText(items: OpenAIItem[], part: TextPart, reasoning: ReadonlySet<string>): void {
  const kept = openAISignature(part.thoughtSignature);
  const phase = phaseOf(kept.phase);
  if (!canBeNamed(kept, reasoning)) {
    if (part.text.trim() !== "")
      items.push({ type: "message", role: "assistant", content: wireText(part.text), ...defined({ phase }) });
    return;
  }
  const said = outputPart(part.text, kept);
  const last = items.at(-1);
  if (last?.type === "message" && "id" in last && last.id === kept.id) last.content.push(said);
  else {
    const common = { type: "message", role: "assistant", status: "completed" } as const;
    items.push({ ...common, id: kept.id, content: [said], ...defined({ phase }) });
  }
}

function outputPart(text: string, { refusal, annotations = [] }: OpenAISignature): OpenAIOutputPart {
  if (refusal === true) return { type: "refusal", refusal: text };
  // As they came: their forms are many, and nobody here reads them.
  return { type: "output_text", text, annotations: annotations as never[] };
}

function phaseOf(phase: string | undefined): OpenAIPhase | undefined {
  return phase === "commentary" || phase === "final_answer" ? phase : undefined;
}

/** The items that a thought was made of, or one alone, as pi keeps it; none where it is not of this API. */
function reasoningItems(signature: string | undefined): readonly OpenAIReasoning[] {
  const value = signature === undefined ? undefined : jsonOf(signature);
  return (Array.isArray(value) ? value : [value]).filter(isReasoning);
}

/** Whether the API would know it for its own; what else it holds goes back as it came. */
export function isReasoning(item: unknown): item is OpenAIReasoning {
  return (
    isObject(item) &&
    item.type === "reasoning" &&
    textIn(item, "id") !== undefined &&
    Array.isArray(item.summary) &&
    listIn(item, "summary").every((one) => textIn(one, "text") !== undefined)
  );
}
