import { numberOf, readOwnDiff, writeDiff } from "./own-diff.mjs";
import { requote } from "./requote.mjs";

/**
 * A client without a mind. It has its diff, the text that the diff is for, the memory of the hunks that it made
 * before, and the words of the refusal, from which it takes only: numbered lines, numbers of lines, numbers of
 * hunks, "already applied", "applied before", "still to be made", "fits", which line of the file stands where a line of the diff does
 * not fit, that there are entities, and what is said of the indentation, with its blanks. It repairs its diff once.
 *
 * @param {string} base
 * @param {string} diff
 * @param {string} message
 * @param {readonly number[]} [made] hunks (from 1)
 * @returns {string | undefined} the next diff; "" where nothing is left to do
 */
export function repairDiff(base, diff, message, made = []) {
  if (!diff.trimEnd().includes("\n")) return undoEscapes(diff);
  const lines = base.replace(/\r/g, "").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const own = message.includes("partly as HTML entities") ? diff.replace(entity, decode) : diff;
  const hunks = readOwnDiff(own).map((hunk, at) => takeQuoted(hunk, at + 1, message));
  const shown = shownLines(message);
  if (hunks.length === 0) return undefined;
  const asked = /applied before|already applied|still to be made/.test(message) ? new Set(made) : new Set();
  const applied = appliedHunks(message);
  const rest = hunks.filter((_, at) => !applied.has(at + 1) && !asked.has(at + 1));
  if (rest.length === 0) return "";
  const chosen = chooseAmong(lines, hunks, message);
  if (chosen === "none") return undefined;
  const rewrite = saidRewrite(message) ?? learnRewrite(hunks, shown, message);
  if (rewrite !== undefined) {
    // Added lines that the message says cannot be moved are the file's already; where it does not know, those are
    // that stand as deep as a line that it shows, and not as deep as an old line of the diff.
    const depths = new Set(shown.flatMap(({ text }) => (text.trim() === "" ? [] : [indentOf(text)])));
    for (const { sign, text } of hunks.flatMap((hunk) => hunk.lines))
      if (sign !== "+" && text.trim() !== "") depths.delete(indentOf(text));
    const added = hunks.flatMap((hunk) =>
      hunk.lines.filter(({ sign, text }) => sign === "+" && text.trim() !== ""),
    );
    const onlyOld =
      message.includes("cannot be moved with it") ||
      (message.includes("may be meant to move with it") &&
        added.every(({ text }) => depths.has(indentOf(text))));
    const moved = rest.map((hunk) => ({
      ...hunk,
      lines: hunk.lines.map((line) =>
        onlyOld && line.sign === "+" ? line : { ...line, text: rewrite(line.text) },
      ),
    }));
    return writeDiff(moved.map((hunk) => requote(lines, hunk, numberOf(hunk)) ?? hunk));
  }
  const next = rest.map((hunk) => {
    const number = hunks.indexOf(hunk) + 1;
    if (message.includes(`Hunk ${number} fits at line `)) return hunk;
    if (chosen?.hunk === number) return requote(lines, hunk, chosen.line) ?? hunk;
    return requote(lines, hunk, lineOf(message, number, shown) ?? numberOf(hunk)) ?? hunk;
  });
  return writeDiff(next);
}

/**
 * Which of several places is meant: the one that the client's own number names, else the first below the line that
 * its own header names, unless its number is nearer to another. Where neither says it, it has no answer.
 * @param {readonly string[]} lines @param {readonly import("./own-diff.mjs").OwnHunk[]} hunks @param {string} message
 * @returns {{ readonly hunk: number, readonly line: number } | "none" | undefined}
 */
function chooseAmong(lines, hunks, message) {
  const [, number, listed] =
    /^Ambiguous: Hunk (\d+)(?: \(@@.*\))? fits \d+ places, at lines ([\d, ]+)/.exec(message) ?? [];
  const hunk = hunks[Number(number) - 1];
  if (listed === undefined) return undefined;
  if (hunk === undefined) return undefined;
  const places = listed.split(", ").map(Number);
  const own = numberOf(hunk);
  // The message may show by how much the client's other numbers are off.
  const shifts = hunks.flatMap((other, at) => {
    const told = new RegExp(`^Hunk ${at + 1} fits at line (\\d+)[.]`, "m").exec(message)?.[1];
    const said = numberOf(other);
    return told === undefined || said === undefined ? [] : [said - Number(told)];
  });
  const shifted = shifts.map((by) => (own ?? 0) - by).find((place) => places.includes(place));
  if (own !== undefined && shifted !== undefined) return { hunk: Number(number), line: shifted };
  if (own !== undefined && places.includes(own)) return { hunk: Number(number), line: own };
  const heading = /^@@(?: -[\d,]+ \+[\d,]+ @@)? (.*?)(?: @@)?$/.exec(hunk.header)?.[1];
  const at = heading === undefined ? -1 : lines.indexOf(heading) + 1;
  const below = at < 1 ? undefined : places.find((place) => place >= at);
  if (below === undefined) return "none";
  const nearest =
    own === undefined
      ? below
      : places.toSorted((one, other) => Math.abs(one - own) - Math.abs(other - own))[0];
  return nearest === below ? { hunk: Number(number), line: below } : "none";
}

/**
 * The hunk with the line of the file where the message quotes both: the client's line that does not fit, and the
 * real one. Taken only where the two are alike in their letters and digits, or one is the beginning of the other.
 * @param {import("./own-diff.mjs").OwnHunk} hunk @param {number} number @param {string} message
 */
function takeQuoted(hunk, number, message) {
  const part = message.split(/(?=Hunk \d+\b)/).find((some) => some.startsWith(`Hunk ${number}`)) ?? "";
  const found =
    /(?:context line|line to be removed) "(.*)" does not fit: line \d+ is (?:the same but for its indentation: )?"(.*)"[.]/.exec(
      part,
    ) ?? /No line "(.*)" in this file[.] It most nearly fits at line \d+: line \d+ is "(.*)"[.]/.exec(part);
  const [, own, real] = found ?? [];
  if (own === undefined || real === undefined || !areAlike(own, real)) return hunk;
  const lines = hunk.lines.map((line) =>
    line.sign !== "+" && line.text === own ? { ...line, text: real } : line,
  );
  return { ...hunk, lines };
}

/** @param {string} own @param {string} real */
function areAlike(own, real) {
  const [one, other] = [own, real].map((text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ""));
  return one !== undefined && other !== undefined && one !== "" && (one === other || other.startsWith(one));
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

/** What the message says of how much further in or out the file's lines are. @param {string} message */
function saidRewrite(message) {
  const [, quoted = "", side] = /was written with \(("[^"]*") further (right|left)\)/.exec(message) ?? [];
  if (side === undefined) return undefined;
  const unit = String(JSON.parse(quoted));
  // One blank more may be the sign of a line.
  if (unit === " ") return undefined;
  return side === "right"
    ? (/** @type {string} */ text) => (text.trim() === "" ? text : unit + text)
    : (/** @type {string} */ text) => (text.startsWith(unit) ? text.slice(unit.length) : text);
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

/** @param {string} text */
function indentOf(text) {
  return /^[ \t]*/.exec(text)?.[0] ?? "";
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
  (text) => text.replace(entity, decode),
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
const entity = /&(lt|gt|quot|apos|#39|amp);/g;
/** @param {string} _ @param {string} name */
function decode(_, name) {
  return entities[/** @type {keyof typeof entities} */ (name)];
}
const entities = { lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", amp: "&" };
