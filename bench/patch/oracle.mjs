/**
 * All placements of the hunks of a small diff in a small text, by trying everything, and what an answer of the
 * engine is worth against them. Exact placements come first; where a hunk stands nowhere exactly, all readings of
 * it with damaged context that keep to the rules of docs/patch.md.
 *
 * @typedef {{ readonly sign: " " | "-" | "+", readonly text: string }} TinyLine
 * @typedef {{ readonly old: number | undefined, readonly new: number | undefined, readonly section: string | undefined,
 *   readonly lines: readonly TinyLine[] }} TinyHunk
 * @typedef {{ readonly lines: readonly string[], readonly hunks: readonly TinyHunk[] }} TinyCase
 * One way to lay a hunk into the text: its first old line, and what it takes out and puts in, from 0; how many
 * old lines are laid, and how many lines of the text are skipped between them.
 * @typedef {{ readonly start: number, readonly from: number, readonly to: number, readonly laid: number, readonly skipped: number,
 *   readonly edits: readonly { readonly at: number, readonly del: number, readonly add: readonly string[] }[] }} Reading
 */

/** The texts of all placements in order in which every old line stands exactly. @param {TinyCase} made */
export function placeExactly({ lines, hunks }) {
  return textsOf(
    lines,
    assign(
      hunks.map((hunk) => exactReadings(lines, hunk)),
      true,
    ),
  );
}

/**
 * What is wrong with an answer that is a success; nothing where a placement explains it.
 * @param {TinyCase} made @param {{ readonly code: string, readonly text: string }} answer
 * @returns {string | undefined}
 */
export function judgeApplied(made, { code, text }) {
  const { lines, hunks } = made;
  if (code !== "applied") {
    if (text !== join(lines)) return `${code}, but the text is another one`;
    const stands = hunks.every((hunk) => standsMade(lines, hunk));
    return stands || code === "no_change"
      ? undefined
      : "already_applied, but the new lines of a hunk stand nowhere";
  }
  const variants = [hunks, withoutRepeated(hunks)].flatMap((some) => withoutMade(lines, some));
  const verdicts = variants.map((some) => judge(lines, some, text));
  if (verdicts.includes(undefined)) return undefined;
  return verdicts.toSorted((one, other) => rank(one) - rank(other))[0];
}

/** @param {readonly string[]} lines @param {readonly TinyHunk[]} hunks @param {string} text */
function judge(lines, hunks, text) {
  const exact = hunks.map((hunk) => exactReadings(lines, hunk));
  const isExact = exact.every((readings) => readings.length > 0);
  const readings = exact.map((some, at) =>
    some.length > 0 ? some : mendedReadings(lines, /** @type {TinyHunk} */ (hunks[at])),
  );
  const inOrder = assign(readings, true);
  const ways = inOrder.length > 0 ? inOrder : assign(readings, false);
  const kind = `${isExact ? "exact" : "damaged"}${inOrder.length === 0 && ways.length > 0 ? ", out of order" : ""}`;
  const texts = textsOf(lines, ways);
  if (!texts.has(text))
    return `${kind}: ${isExact || !fitsLoosely(lines, hunks, text) ? "no placement gives this text" : "a dropped line stands elsewhere"}`;
  if (texts.size === 1) return undefined;
  if (!isExact) {
    // Numbers may choose among exact places of one hunk beside a mended one; and a reading may be better than all
    // others: no line fewer laid, no line more skipped, and one of the two strictly.
    const numbered = byNumbers(ways, hunks, exact);
    const lefts = [numbered, best(lines, ways, text), best(lines, numbered, text)].map((some) =>
      textsOf(lines, some),
    );
    return lefts.some((left) => left.size === 1 && left.has(text))
      ? undefined
      : `${kind}: one of several readings was chosen`;
  }
  const numbered = byNumbers(ways, hunks, exact);
  for (const left of [numbered, bySections(lines, ways, hunks), bySections(lines, numbered, hunks)]) {
    const rest = textsOf(lines, left);
    if (rest.size === 1 && rest.has(text)) return undefined;
  }
  return `${kind}: one of several placements was chosen, by no number and no section`;
}

/** The ways that are not worse than one that gives this text. @param {readonly string[]} lines @param {readonly (readonly Reading[])[]} ways @param {string} text */
function best(lines, ways, text) {
  const worth = (/** @type {readonly Reading[]} */ way) => ({
    laid: way.reduce((sum, one) => sum + one.laid, 0),
    skipped: way.reduce((sum, one) => sum + one.skipped, 0),
  });
  const chosen = ways.filter((way) => textsOf(lines, [way]).has(text)).map(worth);
  return ways.filter((way) => {
    const { laid, skipped } = worth(way);
    return !chosen.some(
      (one) => one.laid >= laid && one.skipped <= skipped && one.laid - one.skipped > laid - skipped,
    );
  });
}

/** Whether the text comes of a reading whose dropped lines may stand anywhere. @param {readonly string[]} lines @param {readonly TinyHunk[]} hunks @param {string} text */
function fitsLoosely(lines, hunks, text) {
  const readings = hunks.map((hunk) => [...exactReadings(lines, hunk), ...mendedReadings(lines, hunk, true)]);
  return textsOf(lines, [...assign(readings, true), ...assign(readings, false)]).has(text);
}

/** The ways in which every number that hits a place of its hunk is believed. @param {readonly (readonly Reading[])[]} ways @param {readonly TinyHunk[]} hunks @param {readonly (readonly Reading[])[]} exact */
function byNumbers(ways, hunks, exact) {
  return ways.filter((way) =>
    way.every(({ start }, at) => {
      const old = hunks[at]?.old;
      const hits = old !== undefined && exact[at]?.some((reading) => reading.start === old - 1);
      return !hits || start === old - 1;
    }),
  );
}

/**
 * The ways in which every hunk with a section is in it, where its copy is also the nearest to the number.
 * @param {readonly string[]} lines @param {readonly (readonly Reading[])[]} ways @param {readonly TinyHunk[]} hunks
 */
function bySections(lines, ways, hunks) {
  return ways.filter((way) =>
    way.every(({ start }, at) => {
      const hunk = hunks[at];
      if (hunk?.section === undefined) return true;
      const head = lines.indexOf(hunk.section);
      const next = lines.findIndex((text, n) => n > head && text.startsWith("class"));
      if (start < head || (next >= 0 && start >= next)) return false;
      const old = hunk.old;
      if (old === undefined) return true;
      const distance = (/** @type {number} */ place) => Math.abs(place - (old - 1));
      return ways.every((other) => distance(other[at]?.start ?? start) >= distance(start));
    }),
  );
}

/** @param {readonly string[]} lines @param {TinyHunk} hunk @returns {Reading[]} */
function exactReadings(lines, hunk) {
  const old = hunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text);
  const readings = [];
  for (let start = 0; start + old.length <= lines.length; start++) {
    if (old.every((text, n) => lines[start + n] === text)) {
      readings.push(
        readingOf(
          hunk,
          old.map((_, n) => start + n),
        ),
      );
    }
  }
  return readings.filter((reading) => reading !== undefined);
}

/**
 * All readings with damaged context: every removed line stands there, those of one run together; at least half of
 * the context stands there, and no line of the rest elsewhere in the text.
 * @param {readonly string[]} lines @param {TinyHunk} hunk @param {boolean} [loose] the rest may stand anywhere
 * @returns {Reading[]}
 */
function mendedReadings(lines, hunk, loose = false) {
  const old = hunk.lines.filter(({ sign }) => sign !== "+");
  const context = old.filter(({ sign }) => sign === " ").length;
  /** @type {Reading[]} */
  const readings = [];
  // A line that changed places with its neighbour stands within the window; at the hunk's edge, right beside it.
  const standsElsewhere = (
    /** @type {string} */ text,
    /** @type {readonly (number | undefined)[]} */ places,
    /** @type {boolean} */ atEdge,
  ) => {
    const laid = places.filter((place) => place !== undefined);
    const [first, last] = [Math.min(...laid) - Number(atEdge), Math.max(...laid) + Number(atEdge)];
    return lines.some((line, at) => line === text && (at < first || at > last));
  };
  /** @param {readonly (number | undefined)[]} places @param {number} next */
  const extend = (places, next) => {
    const line = old[places.length];
    if (line === undefined) {
      const laid = places.filter((place, at) => place !== undefined && old[at]?.sign === " ").length;
      const reading = 2 * laid < context ? undefined : readingOf(hunk, places);
      if (
        reading !== undefined &&
        (loose ||
          !old.some(
            ({ text }, at) => places[at] === undefined && standsElsewhere(text, places, isEdge(places, at)),
          ))
      )
        readings.push(reading);
      return;
    }
    if (line.sign === " ") extend([...places, undefined], next);
    for (let at = next; at < lines.length; at++) if (lines[at] === line.text) extend([...places, at], at + 1);
  };
  extend([], 0);
  return readings;
}

/** Whether no old line before, or none behind, is laid. @param {readonly (number | undefined)[]} places @param {number} at */
function isEdge(places, at) {
  return [places.slice(0, at), places.slice(at + 1)].some((some) =>
    some.every((place) => place === undefined),
  );
}

/**
 * What a hunk does where its old lines are laid at these places; nothing where a run of changes is held by none.
 * @param {TinyHunk} hunk @param {readonly (number | undefined)[]} places @returns {Reading | undefined}
 */
function readingOf(hunk, places) {
  const edits = [];
  let old = 0;
  for (let at = 0; at < hunk.lines.length; ) {
    if (hunk.lines[at]?.sign === " ") {
      old++;
      at++;
      continue;
    }
    const [first, begin] = [at, old];
    /** @type {(number | undefined)[]} */
    const removed = [];
    while (hunk.lines[at] !== undefined && hunk.lines[at]?.sign !== " ") {
      if (hunk.lines[at]?.sign === "-") removed.push(places[old++]);
      at++;
    }
    const run = hunk.lines.slice(first, at);
    const add = run.filter(({ sign }) => sign === "+").map(({ text }) => text);
    if (removed.some((place, n) => place !== (removed[0] ?? 0) + n)) return undefined;
    const point = removed[0] ?? pointOf(places, begin);
    if (point === undefined || !isHeld(places, begin, old, point, removed.length)) return undefined;
    edits.push({ at: point, del: removed.length, add });
  }
  const [head, last] = [edits[0], edits.at(-1)];
  const laid = places.filter((place) => place !== undefined);
  if (head === undefined || last === undefined || laid[0] === undefined) return undefined;
  const skipped = (laid.at(-1) ?? 0) - laid[0] + 1 - laid.length;
  return { start: laid[0], from: head.at, to: last.at + last.del, edits, laid: laid.length, skipped };
}

/** Where lines are inserted between old lines `old - 1` and `old`. @param {readonly (number | undefined)[]} places @param {number} old */
function pointOf(places, old) {
  const above = places.slice(0, old).findLast((place) => place !== undefined);
  const below = places.slice(old).find((place) => place !== undefined);
  if (above !== undefined && below !== undefined) return below === above + 1 ? below : undefined;
  // At the edge of the hunk, as it is written, the line beside the insertion is its only hold.
  if (old === places.length) return places[old - 1] === undefined ? undefined : (above ?? 0) + 1;
  return old === 0 ? places[0] : undefined;
}

/** Of the context that a run has on either side the nearest line that is laid stands beside it, on one side at least. @param {readonly (number | undefined)[]} places @param {number} begin @param {number} end @param {number} point @param {number} length */
function isHeld(places, begin, end, point, length) {
  const above = places.slice(0, begin).findLast((place) => place !== undefined);
  const below = places.slice(end).find((place) => place !== undefined);
  return places.length === end - begin || above === point - 1 || below === point + length;
}

/**
 * All choices of one reading for each hunk whose changes do not meet; in the order of the text, or in any.
 * @param {readonly (readonly Reading[])[]} readings @param {boolean} inOrder @returns {(readonly Reading[])[]}
 */
function assign(readings, inOrder) {
  /** @type {(readonly Reading[])[]} */
  let ways = [[]];
  for (const some of readings) {
    ways = ways.flatMap((way) =>
      some.flatMap((reading) => {
        const fits = inOrder
          ? way.every((other) => isBefore(other, reading))
          : way.every((other) => isBefore(other, reading) || isBefore(reading, other));
        return fits ? [[...way, reading]] : [];
      }),
    );
    if (ways.length > 200_000) return [];
  }
  return ways;
}

/** @param {Reading} one @param {Reading} other */
function isBefore(one, other) {
  return one.to <= other.from && !(one.from === one.to && other.from === other.to && one.from === other.from);
}

/** @param {readonly string[]} lines @param {readonly (readonly Reading[])[]} ways */
function textsOf(lines, ways) {
  return new Set(
    ways.map((way) => {
      const edits = way
        .flatMap((reading) => reading.edits)
        .sort((one, other) => other.at - one.at || other.del - one.del);
      const out = [...lines];
      for (const { at, del, add } of edits) out.splice(at, del, ...add);
      return join(out);
    }),
  );
}

/** A hunk that stands in the diff twice to the letter may count once. @param {readonly TinyHunk[]} hunks */
function withoutRepeated(hunks) {
  const seen = new Set();
  return hunks.filter((hunk) => {
    const key = JSON.stringify(hunk);
    return seen.has(key) ? false : seen.add(key);
  });
}

/** The hunks, and every choice of them without some that were made before. @param {readonly string[]} lines @param {readonly TinyHunk[]} hunks @returns {(readonly TinyHunk[])[]} */
function withoutMade(lines, hunks) {
  /** @type {(readonly TinyHunk[])[]} */
  let choices = [[]];
  for (const hunk of hunks) {
    const made = standsMade(lines, hunk);
    choices = choices.flatMap((some) => [[...some, hunk], ...(made ? [some] : [])]);
  }
  return choices.filter((some) => some.length > 0);
}

/** @param {readonly string[]} lines @param {TinyHunk} hunk */
function standsMade(lines, hunk) {
  const fresh = hunk.lines.filter(({ sign }) => sign !== "-").map(({ text }) => text);
  return lines.some((_, at) => fresh.every((text, n) => lines[at + n] === text));
}

/** @param {readonly string[]} lines */
function join(lines) {
  return lines.map((line) => `${line}\n`).join("");
}

/** The mildest first. @param {string | undefined} verdict */
function rank(verdict) {
  return verdict?.includes("several") ? 0 : 1;
}
