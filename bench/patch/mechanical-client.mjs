import { numberOf, readOwnDiff, writeDiff } from "./own-diff.mjs";
import { requote } from "./requote.mjs";

/**
 * A client without a mind. It has its diff, the text that the diff is for, and the words of the refusal, from
 * which it takes only: numbered lines, numbers of lines, numbers of hunks, "already applied", "fits", and what is
 * said of the indentation. It repairs its diff once.
 *
 * @param {string} base
 * @param {string} diff
 * @param {string} message
 * @returns {string | undefined} the next diff; "" where the message says that all is done
 */
export function repairDiff(base, diff, message) {
  if (!diff.trimEnd().includes("\n")) return undoEscapes(diff);
  const hunks = readOwnDiff(diff);
  const shown = shownLines(message);
  if (hunks.length === 0) return undefined;
  const rest = hunks.filter((_, at) => !appliedHunks(message).has(at + 1));
  if (rest.length === 0) return "";
  // It knows neither what it did before nor what it meant; who asks that gets no answer.
  if (/if it was applied before|if it is meant for/.test(message)) return undefined;
  // Nor does it choose among equal places.
  if (/^(Ambiguous: )?Hunk \d+[^\n]* fits \d+ places/m.test(message.replace(/has damaged context[^\n]*/, "")))
    return undefined;
  const rewrite = learnRewrite(hunks, shown, message);
  if (rewrite !== undefined) {
    return writeDiff(
      rest.map((hunk) => ({
        ...hunk,
        lines: hunk.lines.map((line) => ({ ...line, text: rewrite(line.text) })),
      })),
    );
  }
  const lines = base.replace(/\r/g, "").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const next = rest.map((hunk) => {
    const number = hunks.indexOf(hunk) + 1;
    if (message.includes(`Hunk ${number} fits at line `)) return hunk;
    return requote(lines, hunk, lineOf(message, number, shown) ?? numberOf(hunk)) ?? hunk;
  });
  return writeDiff(next);
}

/** The numbered lines of the message, in its order. @param {string} message */
function shownLines(message) {
  return [...message.matchAll(/^ *(\d+)\| (.*)$/gm)].map(([, number, text = ""]) => ({
    number: Number(number),
    text,
  }));
}

/** @param {string} message */
function appliedHunks(message) {
  return new Set(
    [...message.matchAll(/Hunk (\d+)(?: \(@@[^\n]*?\))? is already applied/gi)].map(([, number]) =>
      Number(number),
    ),
  );
}

/** The line that the message names for a hunk: behind its name, or the middle of what it shows. @param {string} message @param {number} hunk @param {readonly { number: number }[]} shown */
function lineOf(message, hunk, shown) {
  const own = numberedPart(message, hunk);
  const named = /\bline (\d+)/.exec(own ?? "")?.[1] ?? /\blines (\d+)/.exec(own ?? "")?.[1];
  if (named !== undefined) return Number(named);
  const first = /Hunk (\d+)/.exec(message)?.[1];
  return Number(first) === hunk ? shown[Math.floor(shown.length / 2)]?.number : undefined;
}

/** What the message says between the name of this hunk and the first numbered line or the next hunk's name. @param {string} message @param {number} hunk */
function numberedPart(message, hunk) {
  return new RegExp(`Hunk ${hunk}\\b(.*?)(?=\\n|Hunk \\d|$)`, "s").exec(
    message.replace(/\(@@[^\n]*?@@[^\n)]*\)/g, ""),
  )?.[1];
}

/**
 * One rule that makes more of the diff's old lines equal to lines that the message shows, and none unequal. A
 * line that is hardly more than a brace proves no rule, unless the message says that the indentation is wrong.
 * @param {readonly import("./own-diff.mjs").OwnHunk[]} hunks @param {readonly { text: string }[]} shown
 * @param {string} message
 */
function learnRewrite(hunks, shown, message) {
  const telling = message.includes("but for its indentation") ? /\S/ : /\w{3}/;
  const real = new Set(shown.map(({ text }) => text).filter((text) => text.trim() !== ""));
  const old = hunks.flatMap(({ lines }) => lines.filter(({ sign }) => sign !== "+").map(({ text }) => text));
  const gain = (/** @type {(text: string) => string} */ rewrite) => {
    if (old.some((text) => real.has(text) && !real.has(rewrite(text)))) return 0;
    return old.filter((text) => !real.has(text) && real.has(rewrite(text)) && telling.test(text)).length;
  };
  const [best] = rewrites
    .map((rewrite) => ({ rewrite, count: gain(rewrite) }))
    .sort((one, other) => other.count - one.count);
  return best !== undefined && best.count > 0 ? best.rewrite : undefined;
}

/** @param {string} diff */
function undoEscapes(diff) {
  try {
    return String(JSON.parse(`"${diff}"`));
  } catch {
    return undefined;
  }
}

/** @type {readonly ((text: string) => string)[]} */
const rewrites = [
  (text) =>
    text.replace(
      /&(lt|gt|quot|apos|#39|amp);/g,
      (_, name) => entities[/** @type {keyof typeof entities} */ (name)],
    ),
  (text) => text.replace(/^\s*\d+(\| |: |\t)/, ""),
  ...[2, 4, 8].map(
    (width) => (/** @type {string} */ text) =>
      text.replace(
        /^ +/,
        (blanks) => "\t".repeat(Math.floor(blanks.length / width)) + " ".repeat(blanks.length % width),
      ),
  ),
  ...[2, 4, 8].map(
    (width) => (/** @type {string} */ text) =>
      text.replace(/^\t+/, (tabs) => " ".repeat(tabs.length * width)),
  ),
  ...["  ", "    ", "\t"].map(
    (unit) => (/** @type {string} */ text) => (text.trim() === "" ? text : unit + text),
  ),
  ...["  ", "    ", "\t"].map(
    (unit) => (/** @type {string} */ text) => (text.startsWith(unit) ? text.slice(unit.length) : text),
  ),
];
const entities = { lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", amp: "&" };
