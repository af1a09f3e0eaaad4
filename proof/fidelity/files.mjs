import { createRequire } from "node:module";
import { built } from "../machine.mjs";

const { encode } = createRequire(built.node)("iconv-lite");

/** The line that is edited: ASCII, so that it is the same characters in every encoding. */
export const marker = "the marked line";
export const edited = "the edited line, longer";

/**
 * A generated file: what stands before the marked line and after it, as bytes, and how the line itself is
 * written.
 *
 * @typedef {object} Sample
 * @property {string} kind
 * @property {Buffer} bytes
 * @property {Buffer} expected after the edit, to the byte
 * @property {string | undefined} encoding as the caller names it; undefined where it is to be found out
 * @property {string} ending of the marked line
 */

/** @typedef {{ below: (limit: number) => number, oneOf: <T>(items: readonly T[]) => T, chance: (of: number) => boolean }} Random */

/** The same numbers for the same seed, on every machine. @param {number} seed @returns {Random} */
export function randomFrom(seed) {
  let state = seed >>> 0;
  const below = (/** @type {number} */ limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % limit;
  };
  const oneOf = (/** @type {readonly any[]} */ items) => items[below(items.length)];
  return { below, oneOf, chance: (of) => below(of) === 0 };
}

const endings = ["\n", "\r\n", "\r"];
const words = [
  "const",
  "x",
  "=",
  "{",
  "}",
  "äöü ß €",
  "日本語",
  "Привет",
  "\t",
  "  ",
  "a\u0301",
  "\u{1f600}",
  "",
  "“q”",
];
const western = ["naïve", "café", "Grüße", "señor", "plain", "x = 1;", "\t", ""];
const charsets = {
  "windows-1252": western,
  "iso-8859-2": ["łódź", "plain", "čaj", "x = 1;"],
  "koi8-r": ["Привет", "мир", "plain", "текст на русском языке"],
  "windows-1251": ["Привет", "мир", "plain", "текст"],
  shift_jis: ["日本語", "テキスト", "plain", "表"],
  "euc-jp": ["日本語", "テキスト", "plain"],
  gbk: ["中文文本", "plain", "测试"],
  big5: ["中文", "plain", "測試"],
  "euc-kr": ["한국어", "plain", "시험"],
};

/** @type {Readonly<Record<string, (random: Random) => Sample>>} */
const kinds = {
  "UTF-8, endings mixed": (random) =>
    inText(random, "UTF-8, endings mixed", (text) => Buffer.from(text), words),
  "UTF-8 with a byte order mark": (random) => {
    const encodeText = (/** @type {string} */ text) => Buffer.from(text);
    return inText(random, "UTF-8 with a byte order mark", encodeText, words, Buffer.of(0xef, 0xbb, 0xbf));
  },
  "UTF-16": (random) => {
    const little = random.chance(2);
    const mark = little ? Buffer.of(0xff, 0xfe) : Buffer.of(0xfe, 0xff);
    return inText(random, "UTF-16", (text) => encode(text, little ? "utf-16le" : "utf-16be"), words, mark);
  },
  "a legacy charset": (random) => {
    const charset = /** @type {keyof typeof charsets} */ (random.oneOf(Object.keys(charsets)));
    const sample = inText(random, "a legacy charset", (text) => encode(text, charset), charsets[charset]);
    return { ...sample, encoding: random.chance(2) ? charset : undefined };
  },
  "UTF-8 with bytes that are none": (random) => spoilt(random, "UTF-8 with bytes that are none", 0x80, 0x80),
  "text with NUL": (random) => spoilt(random, "text with NUL", 0, 1),
  "any bytes": (random) => {
    const noise = () => Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)));
    const encoding = random.chance(3) ? "windows-1252" : undefined;
    return { ...around("any bytes", noise(), "\n", noise(), (text) => Buffer.from(text)), encoding };
  },
};

/** @param {Random} random @returns {Sample} */
export function sampleFile(random) {
  const kind = random.oneOf(Object.keys(kinds));
  const make = kinds[kind];
  if (make === undefined) throw new Error(kind);
  return make(random);
}

export const kindNames = Object.keys(kinds);

/**
 * @param {Random} random
 * @param {string} kind
 * @param {(text: string) => Buffer} encodeText
 * @param {readonly string[]} vocabulary
 * @param {Buffer} [mark]
 * @returns {Sample}
 */
function inText(random, kind, encodeText, vocabulary, mark = Buffer.alloc(0)) {
  const usual = random.chance(2) ? random.oneOf(endings) : undefined;
  const ending = () => usual ?? random.oneOf(endings);
  const line = () => Array.from({ length: random.below(6) }, () => random.oneOf(vocabulary)).join(" ");
  const lines = (/** @type {number} */ count) =>
    Array.from({ length: count }, () => line() + ending()).join("");
  const before = Buffer.concat([mark, encodeText(lines(random.below(12)))]);
  const own = random.chance(6) ? "" : ending();
  const last = random.chance(2) ? line() : "";
  const after = own === "" ? "" : lines(random.below(12)) + last;
  return around(kind, before, own, encodeText(after), encodeText);
}

/** @param {Random} random @param {string} kind @param {number} first @param {number} span @returns {Sample} */
function spoilt(random, kind, first, span) {
  const sample = inText(random, kind, (text) => Buffer.from(text), words);
  const byte = Buffer.of(first + random.below(span));
  const inFront = random.chance(2);
  const spoil = (/** @type {Buffer} */ bytes) =>
    inFront
      ? Buffer.concat([byte, Buffer.from("\n"), bytes])
      : Buffer.concat([bytes, Buffer.from("\n"), byte]);
  return { ...sample, bytes: spoil(sample.bytes), expected: spoil(sample.expected) };
}

/**
 * @param {string} kind
 * @param {Buffer} before
 * @param {string} ending
 * @param {Buffer} after
 * @param {(text: string) => Buffer} encodeText
 * @returns {Sample}
 */
function around(kind, before, ending, after, encodeText) {
  const whole = (/** @type {string} */ line) => Buffer.concat([before, encodeText(line + ending), after]);
  return { kind, bytes: whole(marker), expected: whole(edited), encoding: undefined, ending };
}
