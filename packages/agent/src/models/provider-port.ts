import type { AnswerOptions, ModelEvent, ModelPort, ModelStep, ReceivedAnswer } from "@holdfast/core/context";
import { defined } from "@holdfast/core/text";
import { fetchThrough, proxyFor } from "../config/proxied-fetch.js";
import type { ThinkingForm } from "./catalog.js";
import { type Blamed, cancelled, failed, failureOf, type RetryOptions, withRetries } from "./failure.js";

/** What the ports to providers have in common. */
export interface ProviderOptions {
  /** Names the provider in the tree: thoughts, signatures and uploaded files are its own. The vendor unless given. */
  readonly provider?: string;
  /** As the request names it. */
  readonly model: string;
  readonly key: string;
  /** The variable or setting that holds the key, for messages. */
  readonly keyName: string;
  /** The provider's own unless given. */
  readonly baseUrl?: string;
  /** Sent with each request, beside the provider's own or in their place. They may be secrets, as the key is. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How the model is told how much to think (`ModelStep.effort`); as the provider's newest models unless given. */
  readonly form?: ThinkingForm;
  /** How long Anthropic's cache is to keep a prompt; five minutes unless given. */
  readonly cache?: "5m" | "1h";
  /** Tokens that an answer may have; what the model's row or the provider says unless given. */
  readonly maxOutputTokens?: number;
  /** Silence after which a stream counts as broken off, in milliseconds; 120,000 unless given. */
  readonly idleMs?: number;
  /**
   * How long the beginning of an answer is waited for, in milliseconds; 600,000 unless given. Longer than a silence
   * within it: a local model reads a long prompt for minutes before it says anything.
   */
  readonly openMs?: number;
  /** A silence is told each time that it has lasted so long, in milliseconds; 15,000 unless given. */
  readonly silentMs?: number;
  readonly retry?: RetryOptions;
  /** Told of each request as it is sent, for a log. Keys are no part of it. */
  readonly onRequest?: (request: { readonly model: string; readonly body: object }) => void;
}

/** A step as a provider's form is told of it. `answerTokens` is what the answer may have at most. */
export interface WireStep extends ModelStep {
  readonly model: string;
}

/** How one provider is asked: its SDK, and our forms of its API. */
interface ProviderWire<Body extends object, Event> {
  /** The request without the model's name. */
  body(step: WireStep): Body;
  /** Makes the request. What it rejects with is made a failure of. */
  send(body: Body, signal: AbortSignal): Promise<AsyncIterable<Event>>;
  readonly read: (events: AsyncIterable<Event>, options: AnswerOptions) => Promise<ReceivedAnswer>;
  /** What it rejects with is made a failure of, too. */
  readonly countTokens?: (step: WireStep, signal?: AbortSignal) => Promise<number>;
}

/** What the SDKs of Anthropic and OpenAI are opened with: they make each request once. */
export function sdkOptions({ key, headers }: ProviderOptions) {
  return {
    apiKey: sdkKey(key),
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    maxRetries: 0,
    fetch: providerFetch,
    // What an SDK says on its own would stand in the output of a program.
    logLevel: "off" as const,
  };
}

/** A server of one's own may want no key; the SDKs want a text. */
export function sdkKey(key: string): string {
  return key === "" ? "none" : key;
}

/** A port over one wire, with retries. @param vendor whose address it is where none is given. */
export function providerPort<Body extends object, Event>(
  vendor: string,
  options: ProviderOptions,
  wire: ProviderWire<Body, Event>,
): ModelPort {
  const { provider = vendor.toLowerCase(), model, key, keyName, baseUrl = vendor, headers = {} } = options;
  const { retry = {}, idleMs = 120_000, openMs = 600_000, silentMs = 15_000, onRequest } = options;
  const target = { provider, model };
  const blamed = { who: baseUrl, keyName, secrets: [key, ...Object.values(headers)] };
  const open = async (step: ModelStep, signal: AbortSignal) => {
    const body = wire.body(wireStep(step, options));
    onRequest?.({ model, body });
    return wire.send(body, signal);
  };
  const asking = { open, read: wire.read, target, blamed, idleMs, openMs, silentMs };
  const ask = (step: ModelStep, signal: AbortSignal | undefined) => askOnce({ ...asking, step, signal });
  const port: ModelPort = { target, ask: (step, signal) => withRetries(ask, retry, step, signal) };
  if (wire.countTokens === undefined) return port;
  const count = wire.countTokens;
  const failure = (error: unknown) => failureOf(error, blamed);
  return {
    ...port,
    countTokens: (step, signal) => count(wireStep(step, options), signal).catch(failure),
  };
}

/** An answer may have what the port was opened with, and no more than the step allows. */
function wireStep(step: ModelStep, { model, maxOutputTokens: most }: ProviderOptions): WireStep {
  const answerTokens = most === undefined ? step.answerTokens : Math.min(most, step.answerTokens ?? most);
  return { ...step, model, ...defined({ answerTokens }) };
}

interface Request<Event>
  extends Required<Pick<ProviderOptions, "idleMs" | "openMs" | "silentMs">>,
    Pick<ProviderWire<object, Event>, "read"> {
  readonly open: (step: ModelStep, signal: AbortSignal) => Promise<AsyncIterable<Event>>;
  readonly step: ModelStep;
  readonly signal: AbortSignal | undefined;
  readonly target: ModelPort["target"];
  readonly blamed: Blamed;
}

async function* askOnce<Event>(request: Request<Event>): AsyncGenerator<ModelEvent> {
  const { signal, blamed } = request;
  if (isEnded(signal)) return yield { kind: "failed", failure: cancelled };
  const ending = new AbortController();
  const end = () => ending.abort();
  signal?.addEventListener("abort", end, { once: true });
  const channel = new Channel<ModelEvent>();
  const answer = received(request, ending, channel).finally(() => channel.end());
  // Looked at below; until then a rejection is nobody's.
  answer.catch(() => {});
  try {
    yield* channel;
    yield endOf(await answer);
  } catch (error) {
    yield { kind: "failed", failure: isEnded(signal) ? cancelled : failureOf(error, blamed) };
  } finally {
    signal?.removeEventListener("abort", end);
    // Whoever stops listening stops the request.
    ending.abort();
  }

  function endOf(whole: ReceivedAnswer): ModelEvent {
    if (isEnded(signal)) return { kind: "failed", failure: cancelled };
    if (whole.error !== undefined) return { kind: "failed", failure: failureOf(whole.error, blamed) };
    if (whole.ended === "cut" || whole.ended === "failed") {
      const message = `The answer of ${blamed.who} broke off before its end.`;
      return { kind: "failed", failure: failed(whole.ended === "cut" ? "cut" : "overloaded", message) };
    }
    return { kind: "finish", answer: whole };
  }
}

async function received<Event>(
  { open, read, step, target, idleMs, openMs, silentMs }: Request<Event>,
  ending: AbortController,
  channel: Channel<ModelEvent>,
): Promise<ReceivedAnswer> {
  // An SDK may wait for ever for a server that takes a request and says nothing.
  const watch = { silentMs, ending, tell: (ms: number) => channel.push({ kind: "silent", ms }) };
  const stream = await withinTime(open(step, ending.signal), openMs, watch);
  let calls = 0;
  const onDelta = (delta: ModelEvent) => {
    if (delta.kind === "call-delta") calls = Math.max(calls, delta.at + 1);
    channel.push(delta);
  };
  const watched = passing(stream, { ...watch, idleMs }, () => {
    if (calls > mostCalls) throw Object.assign(new Error(tooManyCalls), { status: 400 });
  });
  return read(watched, { step: step.step, ...target, onDelta });
}

/** Of one answer: no model makes a tenth of it. */
const mostCalls = 256;
const tooManyCalls = `The answer went on above ${mostCalls} calls and was broken off.`;

/**
 * The same events. A stream that says nothing for too long is ended.
 *
 * @param check throws where what was read of them is enough.
 */
async function* passing<Event>(
  stream: AsyncIterable<Event>,
  watch: Watch & { readonly idleMs: number },
  check: () => void,
): AsyncGenerator<Event> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withinTime(iterator.next(), watch.idleMs, watch);
      if (next.done === true) return;
      yield next.value;
      check();
    }
  } finally {
    watch.ending.abort();
    // Not awaited: a stream that hangs hangs here, too.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** What ends a wait, and who is told while it lasts. */
interface Watch {
  readonly silentMs: number;
  readonly ending: AbortController;
  readonly tell: (ms: number) => void;
}

function withinTime<Value>(
  work: Promise<Value>,
  idleMs: number,
  { silentMs, ending: { signal }, tell }: Watch,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let silences = 0;
    const silence = setInterval(() => {
      silences += 1;
      tell(silences * silentMs);
    }, silentMs);
    const timer = setTimeout(() => reject(new Error(`nothing came for ${idleMs / 1_000} s`)), idleMs);
    const end = () => reject(new Error("the request was ended"));
    signal.addEventListener("abort", end, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      clearInterval(silence);
      signal.removeEventListener("abort", end);
    });
  });
}

/** Asked anew each time: it may end at any moment. */
function isEnded(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Values that one part of the program hands to another, in order: pushed here, iterated there, once. */
class Channel<Value> implements AsyncIterable<Value> {
  readonly #waiting: Value[] = [];
  #isEnded = false;
  #wake: () => void = () => {};

  push(value: Value): void {
    this.#waiting.push(value);
    this.#wake();
  }

  /** No value comes any more. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value> {
    for (;;) {
      while (this.#waiting.length > 0) {
        // A cast: the list is not empty.
        yield this.#waiting.shift() as Value;
      }
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/**
 * `fetch` for requests to a provider, through the proxy that the environment names. A redirect to another origin is answered as an error: the prompt, the key and the
 * headers are for the address that was named. An answer that does not end is broken off, and of an error the beginning is read.
 */
export const providerFetch: typeof fetch = async (input, init) => {
  let url = new URL(input instanceof Request ? input.url : input);
  for (let hop = 0; hop <= mostHops; hop++) {
    const proxy = proxyFor(url);
    const asked = { ...init, redirect: "manual" } as const;
    const response = await (proxy === undefined ? fetch(url, asked) : fetchThrough(proxy, url, asked));
    const location =
      response.status === 307 || response.status === 308 ? locationOf(response, url) : undefined;
    if (location === undefined) return isRedirect(response) ? refused(redirected(url)) : limited(response);
    await response.body?.cancel();
    if (location.origin !== url.origin) return refused(redirected(url, location.origin));
    url = location;
  }
  return refused(`${url.origin} redirects in a circle.`);
};

const mostHops = 5;

/** In bytes, unpacked: far above the longest answer of any model, its longest event, and what is said of an error. */
const mostBytes = { answer: 64 << 20, line: 16 << 20, error: 64 << 10 };

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

function locationOf({ headers }: Response, url: URL): URL | undefined {
  const location = headers.get("location");
  return location !== null && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}

function redirected({ origin }: URL, to?: string): string {
  const where = to === undefined ? "elsewhere" : `to another origin (${to})`;
  return `${origin} redirects ${where}, and no redirect takes a prompt there: name the right address as the provider's baseUrl.`;
}

/** In the form that every SDK reads a message from. */
function refused(message: string): Response {
  return Response.json({ error: { type: "redirect", code: 400, message } }, { status: 400 });
}

function limited(response: Response): Response {
  if (response.body === null) return response;
  const { ok, status, statusText, headers } = response;
  let [bytes, line] = [0, 0];
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      const end = chunk.lastIndexOf(10);
      line = end < 0 ? line + chunk.length : chunk.length - end - 1;
      if (ok && (bytes > mostBytes.answer || line > mostBytes.line))
        return controller.error(Object.assign(new Error(endless), { status: 400 }));
      controller.enqueue(chunk);
      if (!ok && bytes > mostBytes.error) controller.terminate();
    },
  });
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}

const endless = `The answer went on above ${mostBytes.answer >> 20} MiB, or ${mostBytes.line >> 20} MiB in one event, and was broken off.`;
