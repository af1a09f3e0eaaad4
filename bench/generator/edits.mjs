import { indentOf, isBlank } from "./lines.mjs";

/**
 * Makes a handful of edits such as people make: a token changed, lines added, deleted, moved, a block
 * rewritten. They are sorted, keep at least one line between them, and none changes nothing.
 *
 * @param {import("./random.mjs").Random} random
 * @param {readonly string[]} lines
 * @param {number} wanted how many; fewer where the text is short
 * @returns {import("./texts.mjs").Edit[]}
 */
export function makeEdits(random, lines, wanted) {
  const words = collectWords(lines);
  /** @type {import("./texts.mjs").Edit[]} */
  const edits = [];
  for (let attempt = 0; attempt < wanted * 6 && edits.length < wanted; attempt++) {
    const made = makeEdit(random, lines, words).map((edit) => trimEdit(lines, edit));
    const all = [...edits, ...made];
    if (made.every((edit) => edit.del + edit.add.length > 0) && areApart(all)) edits.push(...made);
  }
  return edits.sort((one, other) => one.at - other.at);
}

/** Another text for a line: a word or a number of it changed. @param {import("./random.mjs").Random} random @param {string} line @param {readonly string[]} words */
export function mutateLine(random, line, words) {
  const tokens = [...line.matchAll(/[A-Za-z_]{2,}|\d+/g)];
  if (tokens.length === 0) return `${line}${isBlank(line) ? "" : " "}${random.pick(words)}`;
  const token = random.pick(tokens);
  const [old] = token;
  const fresh = /^\d/.test(old)
    ? String(Number(old.slice(0, 9)) + random.between(1, 40))
    : random.pick(words);
  const put = fresh === old ? `${old}Next` : fresh;
  return line.slice(0, token.index) + put + line.slice(token.index + old.length);
}

/** A line that the text does not have, as deep as `near`. @param {import("./random.mjs").Random} random @param {readonly string[]} lines @param {string} near @param {readonly string[]} words */
export function inventLine(random, lines, near, words) {
  const full = lines.filter((line) => line.trim().length > 3);
  const model = full.length === 0 ? random.pick(words) : random.pick(full).trim();
  for (let attempt = 0; attempt < 5; attempt++) {
    const text = indentOf(near) + mutateLine(random, mutateLine(random, model, words), words);
    if (!lines.some((line) => line.trim() === text.trim()) && !placeholder.test(text)) return text;
  }
  return `${indentOf(near)}${random.pick(words)}_${random.between(1_000, 999_999)}`;
}

/** @param {readonly string[]} lines */
export function collectWords(lines) {
  const words = new Set(lines.flatMap((line) => line.match(/[A-Za-z_]{3,}/g) ?? []));
  return words.size === 0 ? ["value", "other"] : [...words];
}

/** @param {import("./random.mjs").Random} random @param {readonly string[]} lines @param {readonly string[]} words @returns {import("./texts.mjs").Edit[]} */
function makeEdit(random, lines, words) {
  const at = random.below(lines.length);
  const near = lines[at] ?? "";
  const fresh = (/** @type {number} */ count) =>
    Array.from({ length: count }, () => (random.chance(0.08) ? "" : inventLine(random, lines, near, words)));
  const some = Math.min(random.between(1, 4), lines.length - at);
  switch (random.below(6)) {
    case 0:
    case 1:
      return [{ at, del: 1, add: [mutateLine(random, near, words)] }];
    case 2:
      return [{ at, del: 0, add: fresh(random.between(1, 4)) }];
    case 3:
      return [{ at, del: some, add: [] }];
    case 4: {
      const to = random.below(lines.length);
      return [
        { at, del: some, add: [] },
        { at: to, del: 0, add: lines.slice(at, at + some) },
      ];
    }
    default:
      return [{ at, del: some, add: fresh(random.between(1, 5)) }];
  }
}

/** Takes away what an edit leaves as it is at its ends. @param {readonly string[]} lines @param {import("./texts.mjs").Edit} edit @returns {import("./texts.mjs").Edit} */
export function trimEdit(lines, { at, del, add }) {
  let from = 0;
  while (from < del && from < add.length && lines[at + from] === add[from]) from++;
  let cut = 0;
  const most = Math.min(del, add.length) - from;
  while (cut < most && lines[at + del - 1 - cut] === add[add.length - 1 - cut]) cut++;
  return { at: at + from, del: del - from - cut, add: add.slice(from, add.length - cut) };
}

/** @param {readonly import("./texts.mjs").Edit[]} edits */
function areApart(edits) {
  const sorted = [...edits].sort((one, other) => one.at - other.at);
  return sorted.every((edit, n) => {
    const before = sorted[n - 1];
    return before === undefined || edit.at > before.at + before.del;
  });
}

const placeholder = /\.\.\.|…/;
