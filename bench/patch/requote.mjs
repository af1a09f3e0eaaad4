/**
 * Writes a hunk anew with the text's own lines: its old lines are laid beside the text where they agree best
 * (near the line that is named, if one is), what the text has between them becomes context, context that found
 * no line is dropped, and three lines are added on either side. Removed lines must be found, and none may stand
 * beside its like that the hunk does not name, unless it is the line that is named, or nothing is written.
 *
 * @param {readonly string[]} lines
 * @param {import("./own-diff.mjs").OwnHunk} hunk
 * @param {number | undefined} named from 1
 * @returns {import("./own-diff.mjs").OwnHunk | undefined}
 */
export function requote(lines, hunk, named) {
  const near = named !== undefined && named <= lines.length ? named : undefined;
  const old = hunk.lines.filter(({ sign }) => sign !== "+");
  const places = align(lines, old, near);
  const found = places.filter((place) => place >= 0);
  if (found.length === 0 || old.some(({ sign }, at) => sign === "-" && places[at] === -1)) return undefined;
  if (
    old.some(
      ({ sign }, at) =>
        sign === "-" && places[at] !== (named ?? 0) - 1 && hasTwin(lines, places, places[at] ?? -1),
    )
  )
    return undefined;
  // Lines this far apart are not one place any more.
  if (Math.max(...found) - Math.min(...found) > 2 * old.length + 20) return undefined;
  const from = Math.max(0, Math.min(...found) - margin);
  const to = Math.min(lines.length, Math.max(...found) + margin + 1);
  const written = write(lines, hunk, places, from, to);
  const count = (/** @type {string} */ but) => written.filter(({ sign }) => sign !== but).length;
  return { header: `@@ -${from + 1},${count("+")} +${from + 1},${count("-")} @@`, lines: written };
}

/** Whether it could as well be the line beside it, or is blank and stands beside no line of the hunk. @param {readonly string[]} lines @param {readonly number[]} places @param {number} place */
function hasTwin(lines, places, place) {
  const isLonely = !places.includes(place - 1) && !places.includes(place + 1);
  if (isLonely && lines[place]?.trim() === "") return true;
  return [place - 1, place + 1].some((at) => lines[at] === lines[place] && !places.includes(at));
}

/** @param {readonly string[]} lines @param {import("./own-diff.mjs").OwnHunk} hunk @param {readonly number[]} places @param {number} from @param {number} to */
function write(lines, hunk, places, from, to) {
  /** @type {import("./own-diff.mjs").OwnLine[]} */
  const out = [];
  let at = from;
  const keep = (/** @type {number} */ until) => {
    for (; at < until; at++) out.push({ sign: " ", text: lines[at] ?? "" });
  };
  let old = 0;
  for (const [n, line] of hunk.lines.entries()) {
    if (line.sign !== "+") {
      const place = places[old++] ?? -1;
      if (place < 0) continue;
      keep(place);
      out.push({ sign: line.sign, text: lines[place] ?? "" });
      at = place + 1;
    } else {
      // What is added stands right behind its neighbour before; if that was not found, before the one after.
      const after = places[old] ?? -1;
      const held = n > 0 && (hunk.lines[n - 1]?.sign === "+" || (places[old - 1] ?? -1) >= 0);
      if (!held && after >= 0) keep(after);
      out.push(line);
    }
  }
  keep(to);
  return out;
}

/**
 * For each old line the line of the text that it is, or -1: the alignment, in order, of the most weight.
 * @param {readonly string[]} lines @param {readonly import("./own-diff.mjs").OwnLine[]} old @param {number | undefined} near
 * @returns {number[]}
 */
function align(lines, old, near) {
  const width = Math.max(60, 2 * old.length);
  const first = near === undefined ? 0 : Math.max(0, near - 1 - width);
  const last = near === undefined ? lines.length : Math.min(lines.length, near - 1 + width + old.length);
  const count = last - first;
  /** best[i][j]: the weight of the first i old lines, the last of them laid at or before line j. */
  const best = [new Float64Array(count + 1)];
  /** @type {Int32Array[]} */
  const choice = [new Int32Array(count + 1)];
  for (const [i, line] of old.entries()) {
    const [row, before, chosen] = [
      new Float64Array(count + 1),
      /** @type {Float64Array} */ (best[i]),
      new Int32Array(count + 1),
    ];
    for (let j = 1; j <= count; j++) {
      const text = lines[first + j - 1] ?? "";
      const weight = weigh(line, text);
      const joined =
        weight > 0 &&
        i > 0 &&
        weigh(/** @type {import("./own-diff.mjs").OwnLine} */ (old[i - 1]), lines[first + j - 2] ?? "") > 0
          ? 0.5
          : 0;
      const far = near === undefined ? 0 : Math.abs(first + j - near) * 0.0005;
      const laid = weight > 0 ? (before[j - 1] ?? 0) + weight + joined - far : -1;
      row[j] = Math.max(row[j - 1] ?? 0, before[j] ?? 0, laid);
      chosen[j] = row[j] === laid ? 2 : row[j] === before[j] ? 1 : 0;
    }
    best.push(row);
    choice.push(chosen);
  }
  return trace(choice, old.length, count, first);
}

/** @param {readonly Int32Array[]} choice @param {number} rows @param {number} columns @param {number} first */
function trace(choice, rows, columns, first) {
  const places = Array.from({ length: rows }, () => -1);
  let [i, j] = [rows, columns];
  while (i > 0 && j > 0) {
    const step = choice[i]?.[j];
    if (step === 2) places[--i] = first + --j;
    else if (step === 1) i--;
    else j--;
  }
  return places;
}

/** @param {import("./own-diff.mjs").OwnLine} line @param {string} text */
function weigh({ sign, text: own }, text) {
  if (own === text) return text.trim() === "" ? 0.2 : text.trim().length < 3 ? 1 : sign === "-" ? 4 : 2;
  const [mine, real] = [loosen(own), loosen(text)];
  if (real === "" || mine === "") return 0;
  // Of a line that goes only the kind of its punctuation may differ.
  if (mine === real) return sign === "-" && own.trim() === text.trim() ? 0 : mine.length < 3 ? 0.5 : 1.5;
  if (sign === "-") return 0;
  const [one, other] = [keyOf(mine), keyOf(real)];
  if (one.length > 2 && one === other) return 1;
  return one.length > 5 && other.startsWith(one) ? 0.8 : 0;
}

/** @param {string} text */
function loosen(text) {
  return text
    .trim()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2013\u2014]/g, "-");
}

/** @param {string} text */
function keyOf(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

const margin = 3;
