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
import {
  type AnswerDeltas,
  type AnswerDraft,
  type AnswerEnd,
  type AnswerReader,
  answerReader,
  type DraftedAnswerPart,
} from "./received-answer.js";

/** A whole response of the Gemini API, or one piece of its stream (`GenerateContentResponse` of its SDK). */
export interface GeminiResponse {
  readonly candidates?: readonly object[];
  readonly promptFeedback?: object;
  readonly usageMetadata?: object;
}

/**
 * The model's answer out of a response of the Gemini API: its first candidate, with usage. A part that carries
 * a `thoughtSignature` stays a part of its own, also where its text is empty; unsigned texts that follow each
 * other become one; images that the model made are parts of their own. Calls without an id get one. What came of a stream that broke off is told apart in `ended`
 * and `flaws`. Never throws, and never rejects for what the stream throws.
 */
export const fromGemini: AnswerReader<GeminiResponse, GeminiResponse> = answerReader(
  "google",
  (deltas) => new CandidateDraft(deltas),
);

/** The first candidate while its pieces come; a whole response is one piece. */
class CandidateDraft implements AnswerDraft {
  readonly #drafts: DraftedAnswerPart[] = [];
  #stopReason: string | undefined;
  #usage: Readonly<Record<string, unknown>> = {};
  readonly #found: unknown[] = [];

  constructor(private readonly deltas: AnswerDeltas) {}

  takeWhole(response: unknown): void {
    this.take(response);
  }

  take(piece: unknown): void {
    const usage = recordIn(piece, "usageMetadata");
    if (Object.keys(usage).length > 0) this.#usage = { ...this.#usage, ...usage };
    // A prompt that is refused has no candidate.
    this.#stopReason = textIn(recordIn(piece, "promptFeedback"), "blockReason") ?? this.#stopReason;
    const candidate = listIn(piece, "candidates").find((one) => (countIn(one, "index") ?? 0) === 0);
    if (candidate === undefined) return;
    this.#stopReason = textIn(candidate, "finishReason") ?? this.#stopReason;
    for (const part of listIn(recordIn(candidate, "content"), "parts")) this.#takePart(part);
    for (const chunk of listIn(recordIn(candidate, "groundingMetadata"), "groundingChunks"))
      this.#found.push(recordIn(chunk, "web"));
  }

  #takePart(part: unknown): void {
    const draft = draftOf(part);
    this.#show(draft);
    const last = this.#drafts.at(-1);
    const joined = last === undefined ? undefined : join(last, draft);
    if (joined === undefined) this.#drafts.push(draft);
    else this.#drafts[this.#drafts.length - 1] = joined;
  }

  #show(draft: DraftedAnswerPart): void {
    if (draft.kind === "text") this.deltas.text(draft.text);
    if (draft.kind === "thought") this.deltas.thought(draft.text);
    if (draft.kind === "call" && "value" in draft.args)
      this.deltas.call(draft, writtenJson(draft.args.value) ?? "", draft.name);
  }

  finish() {
    const stopReason = this.#stopReason;
    const ended = endOf(stopReason);
    const last = this.#drafts.length - 1;
    const parts = this.#drafts.map((draft, at) =>
      at === last && ended === "cut" && "whole" in draft && draft.kind !== "call"
        ? { ...draft, whole: draft.signature !== undefined }
        : draft,
    );
    return { parts, ended, stopReason, usage: usageOf(this.#usage), found: this.#found };
  }
}

function draftOf(part: unknown): DraftedAnswerPart {
  const given = textIn(part, "thoughtSignature");
  // An empty signature signs nothing.
  const signature = given === "" ? undefined : given;
  if (isObject(part) && isObject(part.functionCall)) {
    const { functionCall } = part;
    // Arguments that come in pieces (`partialArgs`) are asked for, and are not read here.
    const whole = functionCall.willContinue !== true && functionCall.partialArgs === undefined;
    const args = { value: functionCall.args ?? {} };
    const name = textIn(functionCall, "name");
    return { kind: "call", callId: textIn(functionCall, "id"), name, args, signature, whole };
  }
  const inline = recordIn(part, "inlineData");
  const [mimeType, data] = [textIn(inline, "mimeType"), textIn(inline, "data")];
  if (mimeType !== undefined && data !== undefined && isBase64(data) && data !== "")
    return { kind: "media", mimeType, data, signature };
  const text = textIn(part, "text") ?? (signature === undefined ? undefined : "");
  if (text === undefined)
    return { kind: "unknown", type: Object.keys(isObject(part) ? part : {})[0] ?? "part" };
  const kind = isObject(part) && part.thought === true ? "thought" : "text";
  return { kind, text, signature, whole: true };
}

/** Unsigned words of one kind; a signature covers the part that carries it, and no other. */
function join(last: DraftedAnswerPart, next: DraftedAnswerPart): DraftedAnswerPart | undefined {
  if (last.kind !== "text" && last.kind !== "thought") return undefined;
  if (next.kind !== last.kind || !("text" in next)) return undefined;
  if (last.signature !== undefined || next.signature !== undefined) return undefined;
  return { ...last, text: last.text + next.text };
}

function endOf(stopReason: string | undefined): AnswerEnd {
  switch (stopReason) {
    case undefined:
    case "FINISH_REASON_UNSPECIFIED":
      return "cut";
    case "STOP":
      return "complete";
    case "MAX_TOKENS":
      return "length";
    case "MALFORMED_FUNCTION_CALL":
    case "UNEXPECTED_TOOL_CALL":
    case "OTHER":
      return "failed";
    default:
      return "refused";
  }
}

/** Gemini counts thoughts beside what it says. */
function usageOf(usage: Readonly<Record<string, unknown>>): TurnUsage {
  const said = countIn(usage, "candidatesTokenCount");
  const thoughtTokens = countIn(usage, "thoughtsTokenCount");
  const outputTokens = said === undefined ? thoughtTokens : said + (thoughtTokens ?? 0);
  return defined({
    inputTokens: countIn(usage, "promptTokenCount"),
    cachedInputTokens: countIn(usage, "cachedContentTokenCount"),
    outputTokens,
    thoughtTokens,
  });
}
