import type { ModelEvent, ModelFailure, ModelPort, ModelStep } from "@holdfast/core/context";
import { defined } from "@holdfast/core/text";
import { cancelled, isTransient } from "./failure.js";

/** How often and how long is waited before a request is made again. */
export interface RetryOptions {
  /** Requests in all; 6 unless given. */
  readonly attempts?: number;
  /** Before the second request, in milliseconds; doubled each time. 1,000 unless given. */
  readonly baseMs?: number;
  /** The longest wait, also where the provider asks for a longer one; 60,000 unless given. */
  readonly mostMs?: number;
  /** Waits, or rejects when the signal ends it. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** From 0 to 1, so that many who were refused together do not come back together. */
  readonly random?: () => number;
}

/** One request, without any repetition. */
type AskOnce = (step: ModelStep, signal: AbortSignal | undefined) => AsyncIterable<ModelEvent>;

/**
 * Asks again where the failure may pass: too many requests, an overloaded provider, no connection, a stream that broke
 * off; and for as many tokens as the account pays for. Nothing that came before the end of an answer was acted on, so nothing is done twice.
 */
export async function* withRetries(
  ask: AskOnce,
  options: RetryOptions,
  given: ModelStep,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelEvent> {
  const { attempts = 6, sleep = sleeping } = options;
  let step = given;
  for (let attempt = 1; ; attempt += 1) {
    const failure = yield* askedOnce(ask(step, signal));
    if (failure === undefined) return;
    const { affordsTokens = Number.POSITIVE_INFINITY } = failure;
    if (attempt < attempts && affordsTokens < (step.answerTokens ?? Number.POSITIVE_INFINITY)) {
      // A shorter answer is asked for at once: that is all that was wrong.
      step = { ...step, answerTokens: affordsTokens };
      yield { kind: "retry", attempt, waitMs: 0, failure };
      continue;
    }
    if (attempt >= attempts || !isTransient(failure) || signal?.aborted === true)
      return yield { kind: "failed", failure };
    const waitMs = waitBefore(attempt, failure, options);
    yield { kind: "retry", attempt, waitMs, failure };
    try {
      await sleep(waitMs, signal);
    } catch {
      return yield { kind: "failed", failure: cancelled };
    }
  }
}

/** The same model, asked again where a failure may pass: for ports that make one request only, such as `modelFromAiSdk`. */
export function retryingModel(model: ModelPort, options: RetryOptions = {}): ModelPort {
  const ask: AskOnce = (step, signal) => model.ask(step, signal);
  return askedOtherwise(model, (step, signal) => withRetries(ask, options, step, signal));
}

/** The same model in all but how it is asked. */
export function askedOtherwise(model: ModelPort, ask: ModelPort["ask"]): ModelPort {
  const { target, name, cache, window, costOf, efforts } = model;
  const countTokens = model.countTokens?.bind(model);
  return { target, ...defined({ name, cache, window, costOf, efforts, countTokens }), ask };
}

/** Passes on what comes; the failure, where it ends in one, is for the caller. */
async function* askedOnce(
  events: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, ModelFailure | undefined> {
  for await (const event of events) {
    if (event.kind === "failed") return event.failure;
    yield event;
  }
  return undefined;
}

function waitBefore(attempt: number, { retryAfterMs }: ModelFailure, options: RetryOptions): number {
  const { baseMs = 1_000, mostMs = 60_000, random = Math.random } = options;
  if (retryAfterMs !== undefined) return Math.min(mostMs, retryAfterMs);
  return Math.round(Math.min(mostMs, baseMs * 2 ** (attempt - 1)) * (0.5 + random() / 2));
}

/** Rejects when the signal ends it. */
function sleeping(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(new Error("cancelled"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
