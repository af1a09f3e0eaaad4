import { randomBytes } from "node:crypto";

/**
 * What goes wrong with a model, on each of the four APIs. A fault comes with the second request: the model has read `a.ts` and
 * is about to change it.
 *
 * @typedef {import("./model.mjs").WireName} WireName
 * @typedef {import("./model.mjs").Step} Step
 * @typedef {import("./model.mjs").WireEvent} WireEvent
 * @typedef {import("../turns/hands.mjs").Hand} Hand
 * @typedef {object} Fault
 * @property {string} name
 * @property {(wire: WireName, hand: Hand) => readonly Step[]} [steps] in place of the good answers, one each
 * @property {(wire: WireName, request: Asked) => Step | undefined} [refuses] a request, as often as it comes
 * @property {boolean} [passes] whether what it refuses is taken once the person prompts again
 * @property {"dot.png"} [image] that the prompt shows
 * @property {true} [large] the model reads a large file as well
 * @property {string} [thought] of the first answer
 * @property {string} [mayWrite] what may stand in `b.ts` at the end
 *
 * @typedef {{ readonly text: string, readonly firstBytes: number, readonly count: number }} Asked `count`: from 1
 */

const half = "This is the half of an ans";
const page = "<html><head><title>Gateway</title></head><body>Something went wrong.</body></html>";
const html = { "content-type": "text/html" };

/** @type {readonly Fault[]} */
export const faults = [
  one("429 that says when to come back", (wire) => limited[wire]),
  one("429 that does not say when", (wire) => ({
    status: 429,
    says: wire === "gemini" ? "Resource exhausted. Please try again later." : "Rate limit reached.",
  })),
  {
    name: "an empty account",
    passes: true,
    refuses: (wire, { count }) => (count > 1 ? empty[wire] : undefined),
  },
  one("500", () => ({ status: 500, says: "Internal error" })),
  one("503 with a page for people", () => ({ status: 503, headers: html, says: Buffer.from(page) })),
  one("529", () => ({ status: 529, says: "Overloaded" })),
  one("connection destroyed before a byte", () => "destroyed"),
  one("connection destroyed behind the head", () => cut(() => [])),
  one("stream cut between events", () => cut(firstHalf)),
  one("half an event, then the end", () =>
    cut((events) => {
      const kept = firstHalf(events);
      return [...kept, { text: events[kept.length]?.text.slice(0, -12) ?? "", carries: "frame" }];
    }),
  ),
  one("an error inside the stream", (wire) => ({
    parts: [{ text: half }],
    change: (events) => [...firstHalf(events), { text: errorEvents[wire], carries: "frame" }],
  })),
  one("silence", () => ({ parts: [{ text: half }], change: firstHalf, ends: "stalled" })),
  one("a call that is no JSON", (wire, hand) => ({
    parts: [{ text: "I look." }, hand.read("a.ts")],
    change: wire === "gemini" ? malformedCall : (events) => shortened(events, 1),
  })),
  one("a tool that there is not", () => ({ parts: [{ call: "frobnicate", args: { file: "a.ts" } }] })),
  one("wrong arguments", (_, hand) => ({
    parts: [hand.read("a.ts")].map((part) => ("call" in part ? { ...part, args: { wrong: 7 } } : part)),
  })),
  one("two calls with one id", (_, hand) => ({
    parts: [hand.read("a.ts"), hand.read("c.ts")],
    change: (events) => events.map(({ text, carries }) => ({ text: sameIds(text), carries })),
  })),
  one("max_tokens in the text", () => ({ parts: [{ text: half }], isCut: true })),
  {
    ...one("max_tokens in a call", (wire, hand) => ({
      parts: [...(hand.create("b.ts", "half of\n")[0] ?? [])],
      isCut: true,
      change: (events) => (wire === "gemini" ? events : shortened(events, 3)),
    })),
    // Gemini gives its calls whole, or not at all.
    mayWrite: "half of\n",
  },
  one("an empty answer", () => ({ parts: [] })),
  {
    name: "too long, with the window",
    large: true,
    refuses: (wire, asked) => tooLarge(asked, tooLong[wire]),
  },
  {
    name: "413",
    large: true,
    refuses: (wire, asked) => tooLarge(asked, () => [413, tooManyBytes[wire]]),
  },
  {
    name: "a refused image",
    image: "dot.png",
    refuses: (wire, { text }) =>
      text.includes(dotMark) ? { status: 400, says: refusedImage[wire] } : undefined,
  },
  {
    name: "thoughts refused",
    thought: "PONDERED: the sum is a difference.",
    refuses: (wire, { text, count }) =>
      count > 1 && thoughtMarks.test(text) ? { status: 400, says: refusedThoughts[wire] } : undefined,
  },
  one("a page for people instead of the stream", () => ({
    status: 200,
    headers: html,
    says: Buffer.from(page),
  })),
  one("gzip that is none", () => ({
    status: 200,
    headers: { "content-type": "text/event-stream", "content-encoding": "gzip" },
    says: randomBytes(200),
  })),
  one("content filter", () => ({
    parts: [{ text: "I can not" }],
    change: (events) => events.map(({ text, carries }) => ({ text: filtered(text), carries })),
  })),
];

/** A fault that comes once. @param {string} name @param {(wire: WireName, hand: Hand) => Step} step @returns {Fault} */
function one(name, step) {
  return { name, steps: (wire, hand) => [step(wire, hand)] };
}

/** @param {(events: readonly WireEvent[]) => readonly WireEvent[]} change @returns {Step} */
function cut(change) {
  return { parts: [{ text: half }], change, ends: "destroyed" };
}

/** Up to the middle of the words. @param {readonly WireEvent[]} events */
function firstHalf(events) {
  const words = events.flatMap(({ carries }, at) => (carries === "words" ? [at] : []));
  return events.slice(0, words[Math.floor(words.length / 2)]);
}

const delta = /"partial_json":"[^"]|function_call_arguments\.delta|"function":\{"arguments":"[^"]/;

/** The arguments of a call without their end, which is so many pieces long. @param {readonly WireEvent[]} events @param {number} pieces */
function shortened(events, pieces) {
  const dropped = events.filter(({ text }) => delta.test(text)).slice(-pieces);
  const kept = events.filter((event) => !dropped.includes(event));
  // The Responses API says them as a whole, too, in pieces of seven letters.
  return kept.map(({ text, carries }) => ({
    text: text.replaceAll(
      /"arguments":("(?:[^"\\]|\\.){8,}")/g,
      (_, whole) => `"arguments":${JSON.stringify(cutAt(JSON.parse(whole), pieces))}`,
    ),
    carries,
  }));
}

/** @param {string} whole @param {number} pieces */
function cutAt(whole, pieces) {
  return whole.slice(0, 7 * (Math.ceil(whole.length / 7) - pieces));
}

/** Its way to say that the model wrote no call. @param {readonly WireEvent[]} events */
function malformedCall(events) {
  const text = 'data: {"candidates":[{"index":0,"finishReason":"MALFORMED_FUNCTION_CALL"}]}\r\n\r\n';
  return [
    ...events.filter(({ carries }) => carries === "words"),
    { text, carries: /** @type {const} */ ("frame") },
  ];
}

/** @param {string} text */
function sameIds(text) {
  return text
    .replaceAll(/"toolu_01A\d+"/g, '"toolu_01Asame"')
    .replaceAll(/"call_\d+"/g, '"call_same"')
    .replaceAll(/"functionCall":\{(?:"id":"\w+",)?/g, '"functionCall":{"id":"same",');
}

/** @param {string} text */
function filtered(text) {
  return text
    .replace('"end_turn"', '"refusal"')
    .replace('"finish_reason":"stop"', '"finish_reason":"content_filter"')
    .replace('"STOP"', '"SAFETY"')
    .replace(
      /"type":"response\.completed"(.*)"status":"completed"(.*)"incomplete_details":null/,
      '"type":"response.incomplete"$1"status":"incomplete"$2"incomplete_details":{"reason":"content_filter"}',
    )
    .replace("event: response.completed", "event: response.incomplete");
}

/**
 * A window of 24 KB more than the first request has, in tokens of four bytes.
 *
 * @param {Asked} asked @param {(has: number, most: number) => readonly [number, string | object]} words @returns {Step | undefined}
 */
function tooLarge({ text, firstBytes }, words) {
  const [has, most] = [text.length, firstBytes + 24_000].map((bytes) => Math.ceil(bytes / 4));
  if (has === undefined || most === undefined || has <= most) return undefined;
  const [status, says] = words(has, most);
  return { status, says };
}

/** @type {Readonly<Record<WireName, (has: number, most: number) => readonly [number, string | object]>>} */
export const tooLong = {
  anthropic: (has, most) => [400, `prompt is too long: ${has} tokens > ${most} maximum`],
  responses: (has, most) => [
    400,
    openAiError(
      `Your input exceeds the context window of this model: context window is ${most} tokens, your input has ${has}.`,
      "context_length_exceeded",
    ),
  ],
  chat: (has, most) => [
    400,
    openAiError(
      `This model's maximum context length is ${most} tokens. However, your messages resulted in ${has} tokens.`,
      "context_length_exceeded",
    ),
  ],
  gemini: (has, most) => [
    400,
    `The input token count (${has}) exceeds the maximum number of tokens allowed (${most}).`,
  ],
};

const retryInfo = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.2s" };
const quota = "You exceeded your current quota, please check your plan and billing details.";

/** @type {Readonly<Record<WireName, Step>>} */
const limited = {
  anthropic: {
    status: 429,
    headers: { "retry-after": "1" },
    says: "Number of requests has exceeded your rate limit.",
  },
  responses: {
    status: 429,
    headers: { "retry-after-ms": "900" },
    says: "Rate limit reached. Please try again in 900ms.",
  },
  chat: { status: 429, headers: { "retry-after": "1" }, says: "Rate limit reached. Please try again in 1s." },
  gemini: {
    status: 429,
    says: {
      error: {
        code: 429,
        message: `${quota} Please retry in 1.2s.`,
        status: "RESOURCE_EXHAUSTED",
        details: [retryInfo],
      },
    },
  },
};

const insufficient = { status: 429, says: openAiError(quota, "insufficient_quota", "insufficient_quota") };

/** @param {string} message @param {string} code @param {string} type */
function openAiError(message, code, type = "invalid_request_error") {
  return { error: { message, type, param: null, code } };
}

const size = "Request exceeds the maximum size";

/** @type {Readonly<Record<WireName, string | object>>} */
const tooManyBytes = {
  anthropic: { type: "error", error: { type: "request_too_large", message: size } },
  responses: size,
  chat: size,
  gemini: size,
};

/** @type {Readonly<Record<WireName, Step>>} */
const empty = {
  anthropic: {
    status: 400,
    says: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
  },
  responses: insufficient,
  chat: insufficient,
  gemini: { status: 429, says: quota },
};

/** @type {Readonly<Record<WireName, string>>} */
const errorEvents = {
  anthropic:
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  responses:
    'event: error\ndata: {"type":"error","code":"server_error","message":"The server had an error.","param":null,"sequence_number":9}\n\n',
  chat: 'data: {"error":{"message":"The server had an error.","type":"server_error","code":500}}\n\n',
  gemini: 'data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\r\n\r\n',
};

/** @type {Readonly<Record<WireName, string>>} */
const refusedImage = {
  anthropic: "messages.0.content.0.image.source.base64.data: Could not process image",
  responses:
    "The image data you provided does not represent a valid image. Please check your input and try again.",
  chat: "Invalid image data: the image cannot be decoded.",
  gemini: "Unable to process input image. Please retry or report in the community forum.",
};

/** @type {Readonly<Record<WireName, string | object>>} */
const refusedThoughts = {
  anthropic: "messages.1.content.0: Invalid `signature` in `thinking` block",
  responses: openAiError(
    "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    "invalid_encrypted_content",
  ),
  chat: "messages[1].reasoning_content: reasoning content is not supported",
  gemini: "Thought signature is not valid.",
};

/** How each API says again what it gave as thoughts. */
const thoughtMarks =
  /"type":"(redacted_)?thinking"|"encrypted_content":"|"reasoning_content":|"thoughtSignature":"EqQB/;

/** A red dot of 16 × 16. */
export const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==",
  "base64",
);
const dotMark = "iVBORw0KGgo";
