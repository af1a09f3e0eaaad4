import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

/**
 * What goes wrong with a model, on each of the four APIs. A fault comes with the second request: the model has read `a.ts` and
 * is about to change it.
 *
 * @typedef {import("./model.mjs").WireName} WireName
 * @typedef {import("./model.mjs").Step} Step
 * @typedef {import("./model.mjs").Refused} Refused
 * @typedef {import("./model.mjs").WireEvent} WireEvent
 * @typedef {import("../turns/hands.mjs").Hand} Hand
 * @typedef {object} Fault
 * @property {string} name
 * @property {(wire: WireName, hand: Hand) => Step} [step] in place of one good answer
 * @property {(wire: WireName, request: Asked) => Refused | undefined} [refuses] a request, as often as it comes
 * @property {true} [passes] what it refuses is taken once the person prompts again
 * @property {true} [image] the prompt shows `dot.png`
 * @property {true} [large] the model reads large files as well
 * @property {string} [thought] of the first answer
 * @property {string} [mayWrite] what may stand in `b.ts` at the end
 *
 * @typedef {{ readonly text: string, readonly firstBytes: number, readonly count: number }} Asked `count`: from 1
 * @typedef {Readonly<Record<WireName, Refused>>} Refusals
 */

/**
 * What the APIs say.
 *
 * @type {Readonly<Record<"limited" | "limitedWithoutTime" | "emptyAccount" | "tooLong" | "tooManyBytes" | "refusedImage" | "refusedThoughts", Refusals>>
 *   & { readonly errorEvents: Readonly<Record<WireName, string>>, readonly dot: string }}
 */
const words = JSON.parse(readFileSync(new URL("words.json", import.meta.url), "utf8"));
const { limited, limitedWithoutTime, emptyAccount, tooManyBytes, refusedImage, refusedThoughts } = words;
export const { tooLong } = words;
export const dot = Buffer.from(words.dot, "base64");
const half = { parts: [{ text: "This is the half of an ans" }] };
const html = { "content-type": "text/html" };
const page = Buffer.from("<html><body>Something went wrong.</body></html>");
/** How each API is told again what it gave as thoughts. */
const thoughtMarks =
  /"type":"(redacted_)?thinking"|"encrypted_content":"|"reasoning_content":|"thoughtSignature":"EqQB/;

/** @type {readonly Fault[]} */
export const faults = [
  { name: "429 that says when to come back", step: (wire) => limited[wire] },
  { name: "429 that does not say when", step: (wire) => limitedWithoutTime[wire] },
  {
    name: "an empty account",
    passes: true,
    refuses: (wire, { count }) => (count > 1 ? emptyAccount[wire] : undefined),
  },
  { name: "500", step: () => ({ status: 500, says: "Internal error" }) },
  { name: "503 with a page for people", step: () => ({ status: 503, headers: html, says: page }) },
  { name: "529", step: () => ({ status: 529, says: "Overloaded" }) },
  { name: "connection destroyed before a byte", step: () => "destroyed" },
  {
    name: "connection destroyed behind the head",
    step: () => ({ ...half, change: () => [], ends: "destroyed" }),
  },
  { name: "stream cut between events", step: () => ({ ...half, change: firstHalf, ends: "destroyed" }) },
  {
    name: "half an event, then the end",
    step: () => ({ ...half, change: firstHalfAndMore, ends: "destroyed" }),
  },
  {
    name: "an error inside the stream",
    step: (wire) => ({
      ...half,
      change: (events) => [...firstHalf(events), { text: words.errorEvents[wire], carries: "frame" }],
    }),
  },
  { name: "silence", step: () => ({ ...half, change: firstHalf, ends: "stalled" }) },
  {
    name: "a call that is no JSON",
    step: (wire, hand) => ({
      parts: [{ text: "I look." }, hand.read("a.ts")],
      change: wire === "gemini" ? malformedCall : (events) => shortened(events, 1),
    }),
  },
  {
    name: "a tool that there is not",
    step: () => ({ parts: [{ call: "frobnicate", args: { file: "a.ts" } }] }),
  },
  {
    name: "wrong arguments",
    step: (_, hand) => ({ parts: [{ call: "", ...hand.read("a.ts"), args: { wrong: 7 } }] }),
  },
  {
    name: "two calls with one id",
    step: (_, hand) => ({
      parts: [hand.read("a.ts"), hand.read("c.ts")],
      change: (events) => events.map((event) => ({ ...event, text: sameIds(event.text) })),
    }),
  },
  { name: "max_tokens in the text", step: () => ({ ...half, isCut: true }) },
  {
    name: "max_tokens in a call",
    step: (wire, hand) => ({
      parts: hand.create("b.ts", "half of\n")[0] ?? [],
      isCut: true,
      change: (events) => (wire === "gemini" ? events : shortened(events, 3)),
    }),
    // Gemini gives its calls whole, or not at all.
    mayWrite: "half of\n",
  },
  { name: "an empty answer", step: () => ({ parts: [] }) },
  {
    name: "too long, with the window",
    large: true,
    refuses: (wire, asked) => tooLarge(asked, tooLong[wire]),
  },
  { name: "413", large: true, refuses: (wire, asked) => tooLarge(asked, tooManyBytes[wire]) },
  {
    name: "a refused image",
    image: true,
    refuses: (wire, { text }) => (text.includes(words.dot.slice(0, 12)) ? refusedImage[wire] : undefined),
  },
  {
    name: "thoughts refused",
    thought: "PONDERED: the sum is a difference.",
    refuses: (wire, { text, count }) =>
      count > 1 && thoughtMarks.test(text) ? refusedThoughts[wire] : undefined,
  },
  {
    name: "a page for people instead of the stream",
    step: () => ({ status: 200, headers: html, says: page }),
  },
  {
    name: "gzip that is none",
    step: () => ({
      status: 200,
      headers: { "content-type": "text/event-stream", "content-encoding": "gzip" },
      says: randomBytes(200),
    }),
  },
  {
    name: "content filter",
    step: () => ({
      parts: [{ text: "I can not" }],
      change: (events) => events.map((event) => ({ ...event, text: filtered(event.text) })),
    }),
  },
];

/** Up to the middle of the words. @param {readonly WireEvent[]} events */
function firstHalf(events) {
  const words = events.flatMap(({ carries }, at) => (carries === "words" ? [at] : []));
  return events.slice(0, words[Math.floor(words.length / 2)]);
}

/** A cut knows nothing of events. @param {readonly WireEvent[]} events @returns {readonly WireEvent[]} */
function firstHalfAndMore(events) {
  const kept = firstHalf(events);
  return [...kept, { text: events[kept.length]?.text.slice(0, -12) ?? "", carries: "frame" }];
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

/** What is more than a window of 100 KB beside the first request. @param {Asked} asked @param {Refused} refused */
function tooLarge({ text, firstBytes }, refused) {
  return tooLongFor(text, Math.ceil((firstBytes + 100_000) / 4), refused);
}

/** A refusal with the numbers of tokens, of four bytes each. @param {string} text @param {number} most @param {Refused} refused @returns {Refused | undefined} */
export function tooLongFor(text, most, refused) {
  const has = Math.ceil(text.length / 4);
  if (has <= most) return undefined;
  return JSON.parse(JSON.stringify(refused).replace("HAS", String(has)).replace("MOST", String(most)));
}
