import type { TurnUsage } from "../../conversation/values/index.js";
import {
  countIn,
  defined,
  isBase64,
  isObject,
  listIn,
  recordIn,
  textIn,
  writtenJson,
} from "../../text/index.js";
import { isReasoning, type OpenAIReasoning } from "./openai-responses.js";
import { asWritten, type OpenAISignature } from "./openai-shared.js";
import {
  type AnswerDeltas,
  type AnswerDraft,
  type AnswerEnd,
  type AnswerReader,
  answerReader,
  type DraftedAnswerPart,
  type DraftedEnd,
} from "./received-answer.js";

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
export const fromOpenAIResponses: AnswerReader<OpenAIResponsesResponse, OpenAIResponsesEvent> = answerReader(
  "openai",
  (deltas) => new ResponseDraft(deltas),
);

/** An item while its pieces come. */
interface OpenItem {
  /** As it began, and as it was when it was done. */
  readonly begun: unknown;
  readonly done?: unknown;
  /** What came of words or arguments. */
  readonly pieces: string;
}

class ResponseDraft implements AnswerDraft {
  readonly #items = new Map<number, OpenItem>();
  #last: unknown;
  #failed = false;

  constructor(private readonly deltas: AnswerDeltas) {}

  take(event: unknown): void {
    const type = textIn(event, "type") ?? "";
    if (/^response\.(completed|incomplete|failed)$/.test(type)) this.#last = recordIn(event, "response");
    else if (type === "error") this.#failed = true;
    else this.#takePiece(type, event);
  }

  takeWhole(response: unknown): void {
    this.#last = response;
  }

  #takePiece(type: string, event: unknown): void {
    const piece = textIn(event, "delta") ?? "";
    if (type === "response.output_text.delta") this.deltas.text(piece);
    if (type === "response.reasoning_summary_text.delta") this.deltas.thought(piece);
    const index = countIn(event, "output_index");
    if (index === undefined) return;
    const known = this.#items.get(index);
    const item = recordIn(event, "item");
    if (type === "response.output_item.added") {
      this.#items.set(index, { begun: item, pieces: "" });
      if (item.type === "function_call") this.deltas.call(index, "", textIn(item, "name"));
    } else if (type === "response.output_item.done")
      this.#items.set(index, { begun: known?.begun ?? item, done: item, pieces: "" });
    else if (known !== undefined && ofWords.test(type)) {
      this.#items.set(index, { ...known, pieces: known.pieces + piece });
      if (type === "response.function_call_arguments.delta") this.deltas.call(index, piece);
    }
  }

  finish() {
    // A whole response has its items here, and some servers repeat those of a stream here only.
    for (const [index, done] of listIn(this.#last, "output").entries())
      if (this.#items.get(index)?.done === undefined)
        this.#items.set(index, { begun: done, done, pieces: "" });
    const inOrder = [...this.#items].sort(([one], [other]) => one - other).map(([, item]) => item);
    const parts = draftsOf(inOrder.map(({ begun, done, pieces }) => done ?? unfinished(begun, pieces)));
    const pages = inOrder.flatMap(({ done }) => listIn(done, "content"));
    const found = pages.flatMap((part) => listIn(part, "annotations"));
    if (this.#last !== undefined) return { parts, ...endOf(this.#last), found };
    return { parts, ended: this.#failed ? "failed" : "cut", usage: {} } as const;
  }
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
      const signature = whole ? signatureOf(item, follows, { arguments: asWritten(json) }) : undefined;
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
