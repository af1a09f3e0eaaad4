/**
 * A session of 200 steps and more on one sentence of the user: twenty modules of 11 KB, each read, searched, edited, tested with a
 * long output, read again, with a way back to an earlier one.
 *
 * @typedef {import("../turns/hands.mjs").Hand} Hand
 * @typedef {import("../turns/hands.mjs").Work} Work
 * @typedef {(text: string) => boolean} Sees whether a text stands in the request that the model answers now
 * @typedef {{ rereads: number }} Notes
 */

export const longName = "200 turns: 20 modules, each read, searched, edited, tested, read again";
/** A bound for what goes on and on. */
export const mostSteps = 400;
const modules = Array.from({ length: 20 }, (_, at) => `m${at + 1}`);
const pathOf = (/** @type {string} */ module) => `src/${module}.ts`;

/** What stands in a line in no quotes, so that it stands so in any JSON. */
const word = (/** @type {string} */ module, /** @type {number} */ n) => `wireOf(${module}, ${n})`;
const wired = (/** @type {string} */ module, /** @type {number} */ n) => `poolOf(${module}, ${n})`;

/** @param {string} module */
function textOf(module) {
  const functions = Array.from({ length: 32 }, (_, n) =>
    [
      `/** Sends the request ${n} of ${module} and waits for its answer. */`,
      `export async function ${module}Send${n}(request: Request): Promise<Answer> {`,
      `  const deadline = Date.now() + ${n + 1}00;`,
      `  const connection = await ${word(module, n)};`,
      `  const answer = await connection.ask(request, { deadline, retries: ${n % 5} });`,
      "  connection.release();",
      "  return answer;",
      "}",
      "",
    ].join("\n"),
  );
  return functions.join("\n");
}

/** A program that says of a module what a test run would say: 6 KB, the first time with failures. */
const checker = [
  "const [module, round] = process.argv.slice(2);",
  "const wordOf = (n) => (n % 9 === 0 && round === '1' ? 'not ok' : 'ok');",
  "for (let n = 0; n < 110; n += 1)",
  "  console.log([wordOf(n), n, '-', module, 'sends request', n, 'and waits, in round', round].join(' '));",
  "",
].join("\n");

export const longFiles = {
  "tools/check.mjs": checker,
  ...Object.fromEntries(modules.map((module) => [pathOf(module), textOf(module)])),
};

const places = [2, 8, 14, 20];
const late = 26;

/** The files at the end, to the byte. @type {Readonly<Record<string, string>>} */
export const longAfter = Object.fromEntries(
  modules.map((module, at) => {
    const all = isLateOf(at) ? [...places, late] : places;
    return [
      pathOf(module),
      all.reduce((text, n) => text.replace(word(module, n), wired(module, n)), textOf(module)),
    ];
  }),
);

/** A module that a later one leads back to. @param {number} at */
function isLateOf(at) {
  return at + 5 < modules.length;
}

/**
 * @param {Hand} hand @param {Sees} sees @param {Notes} notes @returns {Work}
 */
export function* longWork(hand, sees, notes) {
  for (const [at, module] of modules.entries()) {
    const file = pathOf(module);
    yield* read(hand, file);
    yield hand.search(`${module}Send3`).calls;
    yield* change(hand, module, places[0] ?? 0, sees, notes);
    yield* change(hand, module, places[1] ?? 0, sees, notes);
    yield* check(hand, module, 1);
    yield* read(hand, file);
    yield* change(hand, module, places[2] ?? 0, sees, notes);
    yield* change(hand, module, places[3] ?? 0, sees, notes);
    yield* check(hand, module, 2);
    if (at >= 5 && isLateOf(at - 5)) yield* change(hand, modules[at - 5] ?? "", late, sees, notes);
  }
  for (const module of modules.slice(-5)) yield* check(hand, module, 3);
}

/** @param {Hand} hand @param {string} file @returns {Work} */
function* read(hand, file) {
  for (const answer of yield [hand.read(file)]) hand.learn(file, answer);
}

/** @param {Hand} hand @param {string} module @param {number} round @returns {Work} */
function* check(hand, module, round) {
  if (hand.shell === undefined) throw new Error("it has no shell");
  yield [hand.shell(`node tools/check.mjs ${module} ${round}`)];
}

/**
 * Nobody can change a line that is not before him: the file is read again where it is not, or where the tool demands it.
 *
 * @param {Hand} hand @param {string} module @param {number} n @param {Sees} sees @param {Notes} notes @returns {Work}
 */
function* change(hand, module, n, sees, notes) {
  const file = pathOf(module);
  const edit = { file, old: word(module, n), next: wired(module, n) };
  for (let tries = 0; tries < 3; tries += 1) {
    if (tries > 0 || !sees(edit.old)) {
      notes.rereads += 1;
      yield* read(hand, file);
    }
    const [answer = ""] = yield [hand.edit(edit)];
    hand.learn(file, answer);
    if (!hand.failed(answer)) return;
  }
}
