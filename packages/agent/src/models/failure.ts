import type {
  ModelEvent,
  ModelFailure,
  ModelFailureReason,
  ModelPort,
  ModelStep,
} from "@holdfast/core/context";
import { countIn, defined, isObject, jsonOf, textIn } from "@holdfast/core/text";

/** What a request is blamed on, in the words that a person needs. */
export interface Blamed {
  /** `Anthropic`, or the address of a server of one's own. */
  readonly who: string;
  /** The variable that holds the key, to be named where the key is the matter. */
  readonly keyName: string;
  /** The key itself, and values of headers: they must not stand in a message. */
  readonly secrets: readonly string[];
}

/**
 * Why a request failed, out of what an SDK threw. The SDKs' classes are not asked for: loading them costs, and what
 * they have in common is enough (`status`, `headers`, the body's message). Never throws.
 */
export function failureOf(error: unknown, blamed: Blamed): ModelFailure {
  const facts = factsOf(error);
  const reason = reasonOf(facts);
  const message = wordsOf(reason, facts, blamed);
  const { status } = facts;
  const retryAfterMs = retryAfterOf(facts);
  const windowTokens = reason === "too_long" ? windowIn(facts.message) : undefined;
  const affordsTokens = status === 402 ? affordedIn(facts.message) : undefined;
  const about = reason === "invalid_request" || status === 413 ? subjectOf(facts.message) : undefined;
  return {
    kind: "model_failure",
    reason,
    message: blamed.secrets.reduce(withoutSecret, message),
    ...defined({ status, retryAfterMs, windowTokens, affordsTokens, about }),
  };
}

/** What is this short is no secret, and would stand in many words by chance. */
const shortestSecret = 4;

function withoutSecret(message: string, secret: string): string {
  return secret.length < shortestSecret ? message : message.replaceAll(secret, "…");
}

/** The signal ended it. */
export const cancelled: ModelFailure = failed("cancelled", "Cancelled.");

/** A failure in our own words. */
export function failed(reason: ModelFailureReason, message: string): ModelFailure {
  return { kind: "model_failure", reason, message };
}

/** Whether the same request may well be answered in a while. */
function isTransient({ reason, message, retryAfterMs }: ModelFailure): boolean {
  if (reason === "rate_limit") return retryAfterMs !== undefined || !outOfCredit.test(message);
  return reason === "overloaded" || reason === "unreachable" || reason === "cut";
}

interface Facts {
  readonly name: string;
  readonly status: number | undefined;
  /** The provider's word for the kind of error, where there is one. */
  readonly type: string;
  readonly message: string;
  readonly headers: Headers | undefined;
  /** What the body says to wait, in milliseconds. */
  readonly delay?: number | undefined;
}

function factsOf(error: unknown): Facts {
  if (!isObject(error))
    return { name: "", status: undefined, type: "", message: String(error), headers: undefined };
  const { headers, error: given } = error;
  const name = textIn(error, "name") ?? "";
  const said = textIn(error, "message");
  const body = isObject(given) ? given : bodyIn(said ?? "");
  const inner = isObject(body) && isObject(body.error) ? body.error : body;
  const type = [textIn(inner, "type"), textIn(inner, "code"), textIn(inner, "status")].join(" ");
  return {
    name,
    status: countIn(error, "status") ?? countIn(inner, "code"),
    type,
    message: textIn(inner, "message") ?? said ?? name,
    headers: headers instanceof Headers ? headers : undefined,
    delay: delayIn(inner),
  };
}

/** Google's rate limit and its empty account have the same words: only the limit says when to come back. */
function delayIn(body: unknown): number | undefined {
  const seconds = /"retryDelay":"([\d.]+)s"/.exec(JSON.stringify(body ?? {}))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

function reasonOf({ name, status, type, message }: Facts): ModelFailureReason {
  if (name === "AbortError" || name === "APIUserAbortError") return "cancelled";
  if (status === undefined) return reasonOfType(type, message, name);
  if (status === 401 || status === 403 || /API key not valid|API_KEY_INVALID/i.test(message)) return "auth";
  if (status === 404) return "unknown_model";
  if (status === 413 || ((status === 400 || status === 422) && tooLong.test(message))) return "too_long";
  // A request that alone is above the limit of a minute is never answered.
  if (status === 429 && /request too large/i.test(message)) return "too_long";
  if (status === 429) return "rate_limit";
  if (status === 408 || status >= 500) return "overloaded";
  return "invalid_request";
}

/** An error inside a stream has no status: its type says what it would have been. */
function reasonOfType(type: string, message: string, name: string): ModelFailureReason {
  if (/authentication|permission/i.test(type)) return "auth";
  if (/rate_limit|insufficient_quota|RESOURCE_EXHAUSTED/i.test(type)) return "rate_limit";
  if (/overloaded|api_error|server_error|timeout|UNAVAILABLE|INTERNAL/i.test(type)) return "overloaded";
  if (tooLong.test(message)) return "too_long";
  if (/invalid_request|INVALID_ARGUMENT/i.test(type)) return "invalid_request";
  return name === "APIConnectionError" || name === "APIConnectionTimeoutError" || isNetwork(message)
    ? "unreachable"
    : "cut";
}

function isNetwork(message: string): boolean {
  return /fetch failed|ECONN|ENOTFOUND|EAI_AGAIN|Connection error|exception [\w ]*sending request/i.test(
    message,
  );
}

const tooLong =
  /context[ _](length|window|size|limit)|(prompt|input) is too long|too many (input )?tokens|maximum (context|prompt)|input token count|exceeds? the (maximum|limit).*tokens|reduce the length/i;

/** How providers name their window: `212345 tokens > 200000 maximum`, `context length is 16384 tokens`, `allowed (1048576)`. */
const windowWords = [
  />\s*([\d,]+)/,
  /(?:context (?:length|window|size|limit)|prompt length|allowed)\D{0,30}?([\d,]{4,})/i,
  /limit ([\d,]{4,}), requested/i,
];

/** The number that stands there; what is smaller than any window is something else. */
function windowIn(message: string): number | undefined {
  const found = windowWords.map((words) => words.exec(message)?.[1]).find((one) => one !== undefined);
  const tokens = Number(found?.replaceAll(",", ""));
  return Number.isSafeInteger(tokens) && tokens >= 1_024 ? tokens : undefined;
}

/** OpenRouter's words for an account that is nearly empty. */
function affordedIn(message: string): number | undefined {
  const tokens = Number(/can only afford ([\d,]+)/i.exec(message)?.[1]?.replaceAll(",", ""));
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}

function subjectOf(message: string): ModelFailure["about"] {
  if (
    /signature|encrypted.content|(thinking|thought|reasoning)[\W_]+(block|item|part|content)/i.test(message)
  )
    return "thoughts";
  return /image|document|\bmedia|pdf|inline.?data|file.?data/i.test(message) ? "media" : undefined;
}

const outOfCredit = /quota|credit|billing/i;

function wordsOf(reason: ModelFailureReason, { status, message }: Facts, { who, keyName }: Blamed): string {
  const said = `${who} says${status === undefined ? "" : ` (${status})`}: ${shortened(message)}`;
  switch (reason) {
    case "auth":
      return `${who} does not take the key. Check ${keyName}. ${said}`;
    case "unknown_model":
      return `${who} does not know this model, or not for this key. ${said}`;
    case "unreachable":
      return `${who} cannot be reached: ${shortened(message)}`;
    case "cut":
      return `The answer of ${who} broke off: ${shortened(message)}`;
    case "cancelled":
      return "Cancelled.";
    case "too_long":
      return `The conversation is longer than this model takes. ${said}`;
    case "invalid_request":
    case "rate_limit":
    case "overloaded":
    case "script":
      return said;
    default:
      return reason satisfies never;
  }
}

const mostChars = 400;

function shortened(text: string): string {
  const line = text
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/[^.!?…]$/u, "$&.");
  return line.length > mostChars ? `${line.slice(0, mostChars)}…` : line;
}

/**
 * In milliseconds: Google's `RetryInfo`, `retry-after-ms`, or `Retry-After` as seconds or as a date (RFC 9110, 10.2.3). An
 * account that is empty is not full in a while.
 */
function retryAfterOf({ headers, delay, type }: Facts): number | undefined {
  if (/insufficient_quota/.test(type)) return undefined;
  if (delay !== undefined) return delay;
  const exact = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const given = headers?.get("retry-after") ?? "";
  const seconds = Number.parseFloat(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** Google's SDK puts the body into the message. */
function bodyIn(message: string): unknown {
  const from = message.indexOf("{");
  return from < 0 ? undefined : jsonOf(message.slice(from));
}

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
