import { edit, look } from "../turns/tasks.mjs";
import { moduleOf } from "../turns/texts.mjs";

/**
 * What the scripted model does, turn by turn; the same for every agent.
 *
 * @typedef {object} Session
 * @property {string} name
 * @property {Readonly<Record<string, string>>} files
 * @property {(hand: import("../turns/hands.mjs").Hand) => import("../turns/hands.mjs").Work} work
 * @property {Readonly<Record<string, string>>} after the files at its end, to the byte
 * @property {readonly string[]} marks a word that stands once in each file, and in no line near an edit
 */

/** Six modules of 198 lines. */
const names = ["one", "two", "three", "four", "five", "six"];
const pathOf = (/** @type {string} */ name) => `src/${name}.ts`;

const sum = "const one = 1;\nexport function add(a, b) {\n  return a - b;\n}\n";

/** Read a small file, change a line, say so. @type {Session} */
export const threeTurns = {
  name: "a 3-turn edit",
  files: { "a.ts": sum },
  work: function* (hand) {
    yield* look(hand, "a.ts");
    yield* edit(hand, [{ file: "a.ts", old: "a - b", next: "a + b" }]);
  },
  after: { "a.ts": sum.replace("a - b", "a + b") },
  marks: [],
};

/** @type {readonly Session[]} */
export const sessions = [
  sessionOf("5 edits of a file of 198 lines", ["one"], [2, 6, 10, 14, 18], false),
  sessionOf(
    "60 turns: 6 files, each read, edited 8 times, read again",
    names,
    [1, 3, 5, 7, 9, 11, 13, 15],
    true,
  ),
];

/**
 * @param {string} name @param {readonly string[]} modules @param {readonly number[]} places of the edits in each
 * @param {boolean} again whether a file is read once more after its edits, but for the last
 * @returns {Session}
 */
function sessionOf(name, modules, places, again) {
  const line = (/** @type {string} */ module, /** @type {number} */ n) => `pool.take("${module}-${n}");`;
  const wired = (/** @type {number} */ n) => `pool.take("wire-${n}");`;
  const after = (/** @type {string} */ module) =>
    places.reduce((text, n) => text.replace(line(module, n), wired(n)), moduleOf(module));
  return {
    name,
    files: Object.fromEntries(modules.map((module) => [pathOf(module), moduleOf(module)])),
    work: function* (hand) {
      for (const module of modules) {
        const file = pathOf(module);
        yield* look(hand, file);
        for (const n of places) yield* edit(hand, [{ file, old: line(module, n), next: wired(n) }]);
        if (again && module !== modules.at(-1)) yield* look(hand, file);
      }
    },
    after: Object.fromEntries(modules.map((module) => [pathOf(module), after(module)])),
    marks: modules.map((module) => `${module}-21`),
  };
}
