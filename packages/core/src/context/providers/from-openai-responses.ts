import type { TurnUsage } from "../../conversation/index.js";
import { defined, isBase64, isObject, jsonOf } from "../../text/index.js";
import { countIn, listIn, recordIn, textIn, writtenJson } from "./fields.js";
import { isReasoning, type OpenAIReasoning } from "./openai-responses.js";
import type { OpenAISignature } from "./openai-shared.js";
import {
  type AnswerEnd,
  type AnswerOptions,
  answerOf,
  type DraftedAnswerPart,
  type DraftedEnd,
  type ReceivedAnswer,
} from "./received-answer.js";
import { isStream, readStream } from "./stream.js";

/** A whole response of the Responses API (`Response` of its SDK). */
export interface OpenAIResponsesResponse {
  readonly output: readonly { readonly type: string }[];
  readonly status?: string;
  readonly incomplete_details?: object | null;
  readonly usage?: object | null;
}

/** An event of its stream (`ResponseStreamEvent` of its SDK). */
export interface OpenAIResponsesEvent {
  readonly type: string;
}

/**
 * The model's answer out of a response of the Responses API. Reasoning items are kept as they came, with their
 * encrypted content, as the signature of a thought; ids and phases of messages and calls as signatures of
 * these: `toOpenAIResponses` gives them back. What came of a stream that broke off is told apart in `ended`
 * and `flaws`; an item that was not finished is no call. Never throws, and never rejects for what the stream
 * throws.
 */
export function fromOpenAIResponses(
  response: OpenAIResponsesResponse,
  options: AnswerOptions,
): ReceivedAnswer;
export function fromOpenAIResponses(
  stream: AsyncIterable<OpenAIResponsesEvent>,
  options: AnswerOptions,
): Promise<ReceivedAnswer>;
export function fromOpenAIResponses(
  source: OpenAIResponsesResponse | AsyncIterable<OpenAIResponsesEvent>,
  options: AnswerOptions,
): ReceivedAnswer | Promise<ReceivedAnswer> {
  const given = { provider: "openai", ...options };
  if (isStream(source)) return fromStream(source, given);
  return answerOf(draftsOf(listIn(source, "output")), endOf(source), given);
}

/** An item while its pieces come. */
interface OpenItem {
  /** As it began, and as it was when it was done. */
  readonly begun: unknown;
  readonly done?: unknown;
  /** What came of words or arguments. */
  readonly pieces: string;
}

async function fromStream(
  stream: AsyncIterable<OpenAIResponsesEvent>,
  options: AnswerOptions & { readonly provider: string },
): Promise<ReceivedAnswer> {
  const items = new Map<number, OpenItem>();
  let last: unknown;
  let failed = false;
  const { error } = await readStream(stream, (event) => {
    const type = textIn(event, "type") ?? "";
    if (/^response\.(completed|incomplete|failed)$/.test(type)) last = recordIn(event, "response");
    else if (type === "error") failed = true;
    else takeItemEvent(items, type, event);
  });
  const end = last === undefined ? ({ ended: failed ? "failed" : "cut", usage: {} } as const) : endOf(last);
  // Some servers repeat the items in the last event only.
  for (const [index, done] of listIn(last, "output").entries())
    if (items.get(index)?.done === undefined) items.set(index, { begun: done, done, pieces: "" });
  const inOrder = [...items].sort(([one], [other]) => one - other).map(([, item]) => item);
  const drafts = draftsOf(inOrder.map(({ begun, done, pieces }) => done ?? unfinished(begun, pieces)));
  return answerOf(drafts, { ...end, ...defined({ error }) }, options);
}

function takeItemEvent(items: Map<number, OpenItem>, type: string, event: unknown): void {
  const index = countIn(event, "output_index");
  if (index === undefined) return;
  const item = items.get(index);
  if (type === "response.output_item.added") items.set(index, { begun: recordIn(event, "item"), pieces: "" });
  else if (type === "response.output_item.done") {
    const done = recordIn(event, "item");
    items.set(index, { begun: item?.begun ?? done, done, pieces: "" });
  } else if (item !== undefined && ofWords.test(type))
    items.set(index, { ...item, pieces: item.pieces + (textIn(event, "delta") ?? "") });
}

const ofWords =
  /^response\.(output_text|refusal|function_call_arguments|reasoning_summary_text|reasoning_text)\.delta$/;

/** An item of which the end is missing, with what came of it. */
function unfinished(begun: unknown, pieces: string): object {
  const item = isObject(begun) ? begun : {};
  const status = "in_progress";
  switch (item.type) {
    case "message":
      return { ...item, status, content: [{ type: "output_text", text: pieces }] };
    case "reasoning":
      return { ...item, status, summary: [{ type: "summary_text", text: pieces }] };
    case "function_call":
      return { ...item, status, arguments: pieces };
    default:
      return item;
  }
}

/** Reasoning items that follow each other become one thought: nothing else could be said between them. */
function draftsOf(items: readonly unknown[]): readonly DraftedAnswerPart[] {
  const drafts: DraftedAnswerPart[] = [];
  let run: OpenAIReasoning[] = [];
  let follows: string | undefined;
  const closeRun = () => {
    if (run.length > 0) drafts.push(thoughtOf(run));
    run = [];
  };
  for (const item of items) {
    if (isReasoning(item) && isWhole(item)) {
      run.push(item);
      follows = item.id;
      continue;
    }
    closeRun();
    drafts.push(...draftsOfItem(item, follows));
  }
  closeRun();
  return drafts;
}

function thoughtOf(items: readonly OpenAIReasoning[]): DraftedAnswerPart {
  const text = items
    .map(wordsOf)
    .filter((words) => words !== "")
    .join("\n\n");
  return { kind: "thought", text, signature: writtenJson(items), whole: true };
}

/** What a reasoning item shows of itself. */
function wordsOf(item: unknown): string {
  const shown = [...listIn(item, "summary"), ...listIn(item, "content")];
  return shown.map((one) => textIn(one, "text") ?? "").join("\n\n");
}

function draftsOfItem(item: unknown, follows: string | undefined): readonly DraftedAnswerPart[] {
  const type = textIn(item, "type") ?? "";
  const whole = isWhole(item);
  switch (type) {
    case "message":
      return listIn(item, "content").map((part) => textOf(item, part, follows, whole));
    case "reasoning":
      return [{ kind: "thought", text: wordsOf(item), whole }];
    case "function_call": {
      const json = textIn(item, "arguments") ?? "";
      const signature = whole ? signatureOf(item, follows, { arguments: rewritten(json) }) : undefined;
      const callId = textIn(item, "call_id");
      return [{ kind: "call", callId, name: textIn(item, "name"), args: { json }, signature, whole }];
    }
    case "image_generation_call":
      return [madeImage(item)];
    default:
      return [{ kind: "unknown", type }];
  }
}

/** An image that the provider had made, whole: pieces of one that is still being made are not asked for. */
function madeImage(item: unknown): DraftedAnswerPart {
  const data = textIn(item, "result");
  if (data === undefined || data === "" || !isBase64(data))
    return { kind: "unknown", type: "image_generation_call" };
  return { kind: "media", mimeType: `image/${textIn(item, "output_format") ?? "png"}`, data };
}

function textOf(
  item: unknown,
  part: unknown,
  follows: string | undefined,
  whole: boolean,
): DraftedAnswerPart {
  const isRefusal = textIn(part, "type") === "refusal";
  const text = textIn(part, isRefusal ? "refusal" : "text") ?? "";
  const annotations = listIn(part, "annotations");
  const signature = signatureOf(item, follows, {
    annotations: annotations.length === 0 ? undefined : annotations,
    refusal: isRefusal ? true : undefined,
  });
  // Under its id it could only be given back whole.
  return { kind: "text", text, whole, signature: whole ? signature : undefined };
}

/** Arguments that JSON would write otherwise than the model did. */
function rewritten(json: string): string | undefined {
  const again = writtenJson(jsonOf(json));
  return again === undefined || again === json ? undefined : json;
}

type Rest = { readonly [Key in keyof OpenAISignature]?: OpenAISignature[Key] | undefined };

function signatureOf(item: unknown, follows: string | undefined, rest: Rest): string | undefined {
  const kept = defined({
    id: textIn(item, "id"),
    status: textIn(item, "status"),
    phase: textIn(item, "phase"),
    namespace: textIn(item, "namespace"),
    follows,
    ...rest,
  }) satisfies OpenAISignature;
  return Object.keys(kept).length === 0 ? undefined : writtenJson(kept);
}

function isWhole(item: unknown): boolean {
  const status = textIn(item, "status");
  return status === undefined || status === "completed";
}

function endOf(response: unknown): DraftedEnd {
  const usage = usageOf(recordIn(response, "usage"));
  const reason = textIn(recordIn(response, "incomplete_details"), "reason");
  const status = textIn(response, "status");
  return { ended: endedBy(status, reason), stopReason: reason ?? status, usage };
}

function endedBy(status: string | undefined, reason: string | undefined): AnswerEnd {
  switch (status) {
    case undefined:
    case "completed":
      return "complete";
    case "incomplete":
      return reason === "content_filter" ? "refused" : "length";
    case "failed":
      return "failed";
    default:
      return "cut";
  }
}

function usageOf(usage: Readonly<Record<string, unknown>>): TurnUsage {
  const input = recordIn(usage, "input_tokens_details");
  return defined({
    inputTokens: countIn(usage, "input_tokens"),
    cachedInputTokens: countIn(input, "cached_tokens"),
    cacheWriteTokens: countIn(input, "cache_write_tokens"),
    outputTokens: countIn(usage, "output_tokens"),
    thoughtTokens: countIn(recordIn(usage, "output_tokens_details"), "reasoning_tokens"),
  });
}
