import { large, moduleOf, renamed } from "./texts.mjs";

/**
 * Ten everyday tasks. A task says what the model wishes, in order, and what must stand on the disk then; the
 * policy is the same for every contender.
 *
 * @typedef {import("./hands.mjs").Hand} Hand
 * @typedef {import("./hands.mjs").Edit} Edit
 * @typedef {import("./hands.mjs").Work} Work
 * @typedef {{ foreign(file: string, change: (text: string) => string): void, shown(): string }} World
 * @typedef {object} Task
 * @property {string} name
 * @property {Readonly<Record<string, string>>} files
 * @property {readonly string[]} [setup] the same task once more, for ours alone, with these flags of `holdfast setup`
 * @property {(hand: Hand, world: World) => Work | undefined} work undefined where the contender cannot
 * @property {(text: (file: string) => string | undefined, world: World) => Readonly<Record<string, boolean>>} good what must be true at the end
 */

const net = moduleOf("line");
const line = (/** @type {number} */ n) => `const connection = await pool.take("line-${n}");`;
const wired = (/** @type {number} */ n) => `const connection = await pool.take("wire-${n}");`;
/** @param {number} n @returns {Edit} */
const wish = (n) => ({ file: "src/net.ts", old: line(n), next: wired(n) });
/** Six of its functions. */
const made = `${moduleOf("pool").split("\n\n").slice(0, 6).join("\n\n")}\n`;
const five = [2, 6, 10, 14, 18];
const withAll = (/** @type {readonly number[]} */ ns, text = net) =>
  ns.reduce((sum, n) => sum.replace(line(n), wired(n)), text);

/** @type {readonly Task[]} */
export const tasks = [
  {
    name: "read a large file (90 KB)",
    files: { "src/large.ts": large },
    work: (hand) => readLarge(hand),
    good: (_, world) => {
      const sent = world.shown();
      return { "all of it was sent": large.split("\n").every((one) => sent.includes(one)) };
    },
  },
  {
    name: "five edits one by one",
    files: { "src/net.ts": net },
    work: function* (hand) {
      yield* look(hand, "src/net.ts");
      for (const n of five) yield* edit(hand, [wish(n)]);
    },
    good: (text) => ({ "the right bytes": text("src/net.ts") === withAll(five) }),
  },
  {
    name: "five edits in parallel",
    files: { "src/net.ts": net },
    work: function* (hand) {
      yield* look(hand, "src/net.ts");
      yield* edit(hand, five.map(wish));
    },
    good: (text) => ({ "the right bytes": text("src/net.ts") === withAll(five) }),
  },
  {
    name: "rename across three files",
    files: renamed,
    work: renameEverywhere,
    good: (text) => ({
      "the right bytes": Object.entries(renamed).every(
        ([file, before]) => text(file) === before.replaceAll("waitMs", "pauseMs"),
      ),
    }),
  },
  {
    name: "stale edit",
    files: { "src/net.ts": net },
    work: staleEdit,
    good: (text) => ({
      "the right bytes": text("src/net.ts") === withAll([6]).replace("+ 700;", "+ 900;"),
      "the foreign write kept": text("src/net.ts")?.includes("deadline6 = Date.now() + 900;") === true,
    }),
  },
  formatterTask("a formatter in between"),
  {
    ...formatterTask("the same, `setup --on-mismatch rebase`"),
    setup: ["--on-mismatch", "rebase"],
  },
  {
    name: "create a file in a new folder",
    files: { "src/net.ts": net },
    work: function* (hand) {
      for (const turn of hand.create("src/lines/pool.ts", made)) yield turn;
    },
    good: (text) => ({ "the right bytes": text("src/lines/pool.ts") === made }),
  },
  {
    name: "look at a file, delete it",
    files: { "src/net.ts": net, "src/old.ts": renamed["src/client.ts"] },
    work: (hand) => {
      const { remove } = hand;
      if (remove === undefined) return undefined;
      return (function* () {
        yield* look(hand, "src/old.ts");
        yield [remove("src/old.ts")];
      })();
    },
    good: (text) => ({ "the right bytes": text("src/old.ts") === undefined && text("src/net.ts") === net }),
  },
  {
    name: "an edit, taken back",
    files: { "src/net.ts": net },
    work: function* (hand) {
      yield* look(hand, "src/net.ts");
      yield* edit(hand, [wish(6)]);
      yield [hand.undo(wish(6))];
    },
    good: (text) => ({ "the right bytes": text("src/net.ts") === net }),
  },
  {
    name: "search, then edit",
    files: { "src/net.ts": net, "src/other.ts": moduleOf("row"), ...renamed },
    work: function* (hand) {
      const { calls, shows } = hand.search("line-6");
      yield calls;
      if (shows === "names")
        yield* lookAt(hand, hand.readAll(["src/net.ts", "src/other.ts", ...Object.keys(renamed)]));
      // The line is known; what the tool demands to be read is read around it.
      else if (hand.readsFirst) yield* lookAt(hand, [hand.read("src/net.ts", { from: 49, count: 20 })]);
      yield* edit(hand, [wish(6)]);
    },
    good: (text) => ({ "the right bytes": text("src/net.ts") === withAll([6]) }),
  },
];

/** @param {string} name @returns {Task} */
function formatterTask(name) {
  return {
    name,
    files: { "src/net.ts": net },
    work: function* (hand, world) {
      yield* look(hand, "src/net.ts");
      yield* edit(hand, [wish(6)]);
      world.foreign("src/net.ts", format);
      yield* edit(hand, [wish(10)]);
    },
    good: (text) => ({
      "the right bytes": text("src/net.ts") === format(withAll([6, 10])),
      "the foreign write kept": text("src/net.ts")?.includes("retries: 3, }") === true,
    }),
  };
}

/** What a formatter does: other lines than those that the model changes, and not where they stand. @param {string} text */
function format(text) {
  return text.replaceAll(/retries: (\d) }/g, "retries: $1, }");
}

/** @param {Hand} hand @returns {Work} */
function* readLarge(hand) {
  const [first = ""] = yield [hand.read("src/large.ts")];
  const rest = hand.rest(first, 2_250);
  if (rest.length > 0) yield rest;
}

/** @param {Hand} hand @param {string} file @returns {Work} */
export function* look(hand, file) {
  yield* lookAt(hand, [hand.read(file)]);
}

/** @param {Hand} hand @param {readonly import("./hands.mjs").Part[]} calls @returns {Work} */
function* lookAt(hand, calls) {
  for (const answer of yield calls) hand.learn("", answer);
}

/**
 * Edits in one turn. What is refused is made again: from the answer where it shows the state, else after
 * another read.
 *
 * @param {Hand} hand @param {readonly Edit[]} wanted @returns {Work}
 */
export function* edit(hand, wanted) {
  let open = wanted;
  for (let turn = 0; turn < 4 && open.length > 0; turn++) {
    const answers = yield open.map(hand.edit);
    const refused = open.flatMap((one, at) => {
      const answer = answers[at] ?? "";
      hand.learn(one.file, answer);
      return hand.failed(answer) ? [{ one, answer }] : [];
    });
    const unknown = refused.filter(({ answer }) => !hand.showsState(answer)).map(({ one }) => one.file);
    if (unknown.length > 0)
      yield* lookAt(
        hand,
        [...new Set(unknown)].map((file) => hand.read(file)),
      );
    open = refused.map(({ one }) => ({ ...one, ...one.anew }));
  }
}

/** @param {Hand} hand @returns {Work} */
function* renameEverywhere(hand) {
  const { calls, shows } = hand.search("waitMs");
  yield calls;
  const users = ["src/settings.ts", "src/client.ts", "src/server.ts"];
  if (shows === "names") yield* lookAt(hand, hand.readAll(Object.keys(renamed)));
  else if (hand.readsFirst) yield* lookAt(hand, hand.readAll(users));
  yield* edit(
    hand,
    Object.entries(renamed)
      .filter(([file]) => users.includes(file))
      .map(([file, text]) => {
        const lines = text.split("\n").filter((one) => one.includes("waitMs"));
        return { file, old: "waitMs", next: "pauseMs", all: true, lines };
      }),
  );
}

/**
 * The model quotes two lines; meanwhile somebody has changed the one that it only quotes.
 *
 * @param {Hand} hand @param {World} world @returns {Work}
 */
function* staleEdit(hand, world) {
  yield* look(hand, "src/net.ts");
  world.foreign("src/net.ts", (text) =>
    text.replace("deadline6 = Date.now() + 700;", "deadline6 = Date.now() + 900;"),
  );
  const quote = (/** @type {string} */ wait, /** @type {string} */ last) =>
    `  const deadline6 = Date.now() + ${wait};\n  ${last}`;
  yield* edit(hand, [
    {
      file: "src/net.ts",
      old: quote("700", line(6)),
      next: quote("700", wired(6)),
      anew: { old: quote("900", line(6)), next: quote("900", wired(6)) },
    },
  ]);
}
