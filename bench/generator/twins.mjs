import { joinLines } from "./lines.mjs";
import { placesOf } from "./proof.mjs";
import { applyEdits } from "./true-diff.mjs";

/**
 * Texts of named sections whose bodies are equal, line for line, at any distance from each other; and changes
 * of one line of one body. Where each copy stands is known by construction and looked for again by brute force.
 *
 * @typedef {import("./random.mjs").Random} Random
 * @typedef {import("./lines.mjs").Line} Line
 * @typedef {import("./true-diff.mjs").Hunk} Hunk
 * @typedef {import("./true-diff.mjs").HunkLine} HunkLine
 * @typedef {import("./texts.mjs").Edit} Edit
 * `head` is the section's first line, `own` a line that only it has, `body` the first line of the body; from 0.
 * @typedef {{ readonly name: string, readonly head: number, readonly own: number, readonly body: number }} Section
 * @typedef {{ readonly path: string, readonly lines: readonly Line[], readonly sections: readonly Section[],
 *   readonly bodyLength: number, readonly nested: boolean,
 *   readonly tail: readonly string[] }} Twins
 */

/**
 * @param {Random} random
 * @param {{ readonly count?: number, readonly gap?: number, readonly nested?: boolean }} [wish] sections with the
 *   body, lines of filler between any two of them, only languages whose bodies are deeper than their heads
 * @returns {Twins}
 */
export function makeTwins(random, { count = random.between(2, 3), gap = 0, nested = false } = {}) {
  const tongue = random.pick(tongues.filter((one) => !nested || one.nested));
  const chosen = random.shuffle(names).slice(0, count);
  /** @type {string[]} */
  const texts = [];
  const sections = [];
  texts.push(...tongue.open, ...fill(tongue, random.between(0, 12), "before"));
  for (const [at, name] of chosen.entries()) {
    if (at > 0) texts.push(...fill(tongue, gap, `gap${at}`));
    const head = texts.length;
    texts.push(tongue.head(name), tongue.own(name), ...tongue.body, ...tongue.tail);
    sections.push({ name: tongue.head(name), head, own: head + 1, body: head + 2 });
  }
  texts.push(...fill(tongue, random.between(0, 12), "after"));
  const lines = texts.map((text) => ({ text, eol: tongue.eol ?? "\n" }));
  return {
    path: tongue.path,
    lines,
    sections,
    bodyLength: tongue.body.length,
    nested: tongue.nested,
    tail: tongue.tail,
  };
}

/**
 * A change inside the body of one section, as a hunk whose lines all belong to the body, so that they stand in
 * every copy; and the edit that it is.
 *
 * @param {Random} random @param {Twins} twins @param {number} which
 * @param {{ readonly context?: number, readonly kinds?: readonly ("replace" | "insert" | "delete")[] }} [wish]
 * @returns {{ readonly hunk: Hunk, readonly edit: Edit }}
 */
export function changeBody(random, twins, which, { context = random.between(1, 3), kinds = allKinds } = {}) {
  const section = /** @type {Section} */ (twins.sections[which]);
  const kind = random.pick(kinds);
  const full = Array.from({ length: twins.bodyLength }, (_, n) => section.body + n).filter(
    (at) => textAt(twins, at).trim() !== "",
  );
  const at = random.pick(kind === "insert" ? full.slice(0, -1) : full) + (kind === "insert" ? 1 : 0);
  const model = textAt(twins, kind === "insert" ? at - 1 : at);
  const fresh = `${/^\s*/.exec(model)?.[0] ?? ""}fresh_${random.between(100, 9_999)}`;
  const edit = { at, del: kind === "insert" ? 0 : 1, add: kind === "delete" ? [] : [fresh] };
  const from = Math.max(section.body, at - context);
  const to = Math.min(section.body + twins.bodyLength, at + edit.del + context);
  return { hunk: hunkOf(twins, edit, from, to), edit };
}

/** The line that only this section has becomes another one; no other place can be meant. @param {Twins} twins @param {number} which @param {string} suffix */
export function changeOwn(twins, which, suffix) {
  const { own } = /** @type {Section} */ (twins.sections[which]);
  const edit = { at: own, del: 1, add: [`${textAt(twins, own)} ${suffix}`] };
  return { hunk: hunkOf(twins, edit, own, own + 1), edit };
}

/** One edit as a hunk of the old lines `from` to `to`. @param {{ readonly lines: readonly Line[] }} text @param {Edit} edit @param {number} from @param {number} to @returns {Hunk} */
export function hunkOf(text, edit, from, to) {
  const line = (/** @type {" " | "-"} */ sign, /** @type {number} */ at) => ({
    sign,
    text: text.lines[at]?.text ?? "",
    at,
  });
  /** @type {HunkLine[]} */
  const lines = [];
  for (let at = from; at < edit.at; at++) lines.push(line(" ", at));
  for (let at = edit.at; at < edit.at + edit.del; at++) lines.push(line("-", at));
  lines.push(
    ...edit.add.map((added) => ({ sign: /** @type {const} */ ("+"), text: added, at: edit.at + edit.del })),
  );
  for (let at = edit.at + edit.del; at < to; at++) lines.push(line(" ", at));
  return { oldStart: from, newStart: from, lines };
}

/** Where the old lines of a hunk stand, byte for byte. @param {{ readonly lines: readonly Line[] }} text @param {Hunk} hunk */
export function standsAt(text, hunk) {
  const old = hunk.lines.filter(({ sign }) => sign !== "+").map((line) => line.text);
  const base = text.lines.map((line) => line.text);
  // Without an old line it stands everywhere: no class is about that.
  return old.length === 0 ? [] : placesOf(base, old);
}

/**
 * Whether a change of one edit gives another text at each of the places; and at no place what is there already.
 * @param {{ readonly lines: readonly Line[] }} text @param {Hunk} hunk @param {Edit} edit @param {readonly number[]} places
 */
export function resultsDiffer(text, hunk, edit, places) {
  const results = places.map((place) =>
    joinLines(applyEdits(text.lines, [{ ...edit, at: edit.at + place - hunk.oldStart }])),
  );
  return new Set([joinLines(text.lines), ...results]).size === places.length + 1;
}

/** A number (from 1) that names none of the places and points anywhere in the text, or past it. @param {Random} random @param {readonly number[]} places @param {number} lineCount */
export function numberOfNone(random, places, lineCount) {
  const near = (places[random.below(places.length)] ?? 0) + 1 + random.between(1, 4) * random.pick([-1, 1]);
  const number = random.pick([near, random.between(1, lineCount + 40)]);
  return number < 1 || places.includes(number - 1) ? undefined : number;
}

/** @param {Twins} twins @param {number} at */
function textAt(twins, at) {
  return twins.lines[at]?.text ?? "";
}

/**
 * At least `count` lines that no section has, in the language of the text.
 * @param {Tongue} tongue @param {number} count @param {string} word
 */
function fill(tongue, count, word) {
  const out = [];
  for (let n = 0; out.length < count; n++) out.push(...tongue.filler(`${word}_${n}`));
  return out;
}

/**
 * @typedef {{ readonly path: string, readonly nested: boolean, readonly eol?: string,
 *   readonly open: readonly string[], readonly body: readonly string[], readonly tail: readonly string[],
 *   head(name: string): string, own(name: string): string, filler(word: string): readonly string[] }} Tongue
 */

const allKinds = /** @type {const} */ (["replace", "insert", "delete"]);
const names = ["Reader", "Writer", "Index", "Cache", "Parser", "Router", "Field", "Flag"];

/** @type {readonly Tongue[]} */
const tongues = [
  {
    path: "src/parts.py",
    nested: true,
    open: ["import base", ""],
    head: (name) => `class ${name}:`,
    own: (name) => `    label = "${name}"`,
    body: [
      "    def prep(self, value):",
      "        value = super().prep(value)",
      "        if value is None:",
      "            return None",
      "        self.count += 1",
      "        return self.wrap(value)",
    ],
    tail: [""],
    filler: (word) => [`def ${word}(a):`, `    return a + "${word}"`, ""],
  },
  {
    path: "src/steps.go",
    nested: true,
    open: ["package steps", ""],
    head: (name) => `func ${name}() {`,
    own: (name) => `\tinit${name}()`,
    body: ["\tlog()", "\tif broken {", "\t\treturn", "\t}", "\tfinish(1)", "\tdefer leave()"],
    tail: ["}", ""],
    filler: (word) => [`var ${word} = "${word}"`],
  },
  {
    path: "src/handlers.ts",
    nested: true,
    open: [],
    head: (name) => `export function on${name}(event) {`,
    own: (name) => `  const kind = "${name}";`,
    body: ["  if (!event) {", "    return;", "  }", "  count(kind);", "", "  run(event, kind);"],
    tail: ["}", ""],
    filler: (word) => [`export const ${word} = "${word}";`],
  },
  {
    path: "services.yml",
    nested: true,
    open: ["version: 3"],
    head: (name) => `${name}:`,
    own: (name) => `  image: ${name}:latest`,
    body: ["  restart: always", "  ports:", "    - 443", "    - 80", "  retries: 3", "  interval: 10s"],
    tail: [],
    filler: (word) => [`${word}: "${word}"`],
  },
  {
    path: "src/Parts.cs",
    nested: true,
    eol: "\r\n",
    open: ["using Base;", ""],
    head: (name) => `class ${name} {`,
    own: (name) => `    string name = "${name}";`,
    body: [
      "    void Close() {",
      "        level = 0;",
      "        Log.Write(level);",
      "        Done();",
      "    }",
    ],
    tail: ["}", ""],
    filler: (word) => [`const string ${word} = "${word}";`],
  },
  {
    path: "page.html",
    nested: true,
    open: ["<main>"],
    head: (name) => `<section id="${name}">`,
    own: (name) => `  <h2>${name}</h2>`,
    body: ["  <ul>", "    <li>one</li>", "    <li>two &amp; three</li>", "  </ul>", "  <hr>", "  <p>end</p>"],
    tail: ["</section>"],
    filler: (word) => [`<p>${word}</p>`],
  },
  {
    path: "guide.md",
    nested: false,
    open: ["# Guide", ""],
    head: (name) => `## ${name}`,
    own: (name) => `About the ${name}.`,
    body: ["", "- open the settings", "  - choose one", "- press save", "- start it again"],
    tail: [""],
    filler: (word) => [`Some words on ${word}.`, ""],
  },
  {
    path: "rows.json",
    nested: true,
    open: ["{"],
    head: (name) => `"${name}": {`,
    own: (name) => `  "name": "${name}",`,
    body: ['  "kind": "row",', '  "tags": [', '    "open",', '    "new"', "  ],", '  "level": 1'],
    tail: ["},"],
    filler: (word) => [`"${word}": "${word}",`],
  },
];
