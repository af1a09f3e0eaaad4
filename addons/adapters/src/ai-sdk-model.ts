import type {
  ModelEvent,
  ModelFailure,
  ModelFailureReason,
  ModelPort,
  ModelStep,
} from "@holdfast/core/context";
import { AiSdkAnswer, type AiSdkStreamPart, textOf, valueAt } from "./ai-sdk-answer.js";
import { type AiSdkVersion, aiSdkCall } from "./ai-sdk-prompt.js";

/** A language model of the AI SDK (`LanguageModelV3` of ai 6, `LanguageModelV4` of ai 7), as far as it is used. */
export interface AiSdkModel {
  readonly specificationVersion: AiSdkVersion;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: AiSdkCallOptions): PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** What a model is asked, in the SDK's form. */
export interface AiSdkCallOptions {
  readonly prompt: readonly object[];
  readonly tools?: readonly object[];
  readonly abortSignal?: AbortSignal;
}

/** A `ReadableStream`. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** What a port over a model of the AI SDK can be told. */
export interface AiSdkModelOptions {
  /** Options of the provider for each request, such as `{ openai: { reasoningEffort: "high" } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly maxOutputTokens?: number;
}

/**
 * A model of the AI SDK behind core's port, so that an agent can ask any provider that the SDK has. One request each time:
 * a failure is told with its reason and not made again, which is for whoever asks. It imports nothing of the SDK.
 */
export function modelFromAiSdk(model: AiSdkModel, options: AiSdkModelOptions = {}): ModelPort {
  const target = { provider: model.provider, model: model.modelId };
  return { target, ask: (step, signal) => ask(model, options, step, signal) };
}

async function* ask(
  model: AiSdkModel,
  options: AiSdkModelOptions,
  step: ModelStep,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelEvent> {
  const target = { provider: model.provider, model: model.modelId };
  const answer = new AiSdkAnswer();
  try {
    if (signal?.aborted === true) return yield failing(cancelled);
    const call = { ...aiSdkCall(step, model.specificationVersion), ...options };
    const { stream } = await model.doStream({
      ...call,
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
    for await (const part of partsOf(stream)) yield* answer.take(part);
  } catch (error) {
    return yield failing(isEnded(signal) ? cancelled : failureOf(error, target.provider));
  }
  if (isEnded(signal)) return yield failing(cancelled);
  if (answer.error !== undefined) return yield failing(failureOf(answer.error, target.provider));
  const received = answer.received(step.step, target);
  const message = `The answer of ${target.provider} broke off before its end.`;
  if (received.ended === "cut") return yield failing(failure("cut", message));
  if (received.ended === "failed") return yield failing(failure("overloaded", message));
  yield { kind: "finish", answer: received };
}

/** The parts of a stream; whoever stops listening ends it. */
async function* partsOf(stream: AiSdkStream): AsyncGenerator<AiSdkStreamPart> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // A cast: a part has a type, by the SDK's own contract; what it holds is looked at where it is read.
      if (typeof valueAt(value, "type") === "string") yield value as AiSdkStreamPart;
    }
  } finally {
    // Not awaited: a stream that hangs hangs here, too.
    void reader.cancel().catch(() => {});
  }
}

/** Asked anew each time: it may end at any moment. */
function isEnded(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Why a request failed: by the status of an `APICallError`, else by what its message says. */
function failureOf(error: unknown, who: string): ModelFailure {
  const code = valueAt(error, "statusCode") ?? valueAt(error, "status");
  const status = typeof code === "number" ? code : undefined;
  const said = textOf(valueAt(error, "message")) || textOf(error) || "no word of why";
  const words = said.replace(/\s+/gu, " ").slice(0, mostChars);
  const message = `${who} says${status === undefined ? "" : ` (${status})`}: ${words}`;
  const seconds = Number.parseFloat(textOf(valueAt(valueAt(error, "responseHeaders"), "retry-after")));
  return {
    ...failure(reasonOf(status, said, textOf(valueAt(error, "name"))), message),
    ...(status === undefined ? {} : { status }),
    ...(Number.isFinite(seconds) ? { retryAfterMs: Math.max(0, seconds * 1_000) } : {}),
  };
}

const mostChars = 400;

function reasonOf(status: number | undefined, said: string, name: string): ModelFailureReason {
  if (status === undefined) {
    if (name === "AI_LoadAPIKeyError") return "auth";
    return /cannot connect|fetch failed|ECONN|ENOTFOUND/iu.test(said) ? "unreachable" : "cut";
  }
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "unknown_model";
  if (status === 413 || ((status === 400 || status === 422) && tooLong.test(said))) return "too_long";
  if (status === 429) return "rate_limit";
  if (status === 408 || status >= 500) return "overloaded";
  // A status of success whose body is none of the API's.
  return status < 300 ? "cut" : "invalid_request";
}

const tooLong = /context[ _](length|window)|prompt is too long|too many (input )?tokens|maximum context/iu;

const cancelled: ModelFailure = { kind: "model_failure", reason: "cancelled", message: "Cancelled." };

function failure(reason: ModelFailureReason, message: string): ModelFailure {
  return { kind: "model_failure", reason, message };
}

function failing(of: ModelFailure): ModelEvent {
  return { kind: "failed", failure: of };
}
