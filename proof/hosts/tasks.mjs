import { dirname } from "node:path";
import { ourTools } from "../clients/stories.mjs";
import { image } from "./probe-server.mjs";

/**
 * What a model does in a host on a common day, with our tools and with the host's own; and what it does when it is told
 * to call something. What it calls follows from what it was sent, never from the disk; the disk says what became of it.
 *
 * @typedef {import("../clients/day.mjs").Desk} Desk
 * @typedef {import("../clients/day.mjs").Call} Call
 * @typedef {import("../clients/day.mjs").Stretch} Stretch
 * @typedef {ReturnType<typeof ours>} Hand one set of tools, and what its user knows
 */

const lines = (/** @type {number} */ count, /** @type {(n: number) => string} */ line) =>
  Array.from({ length: count }, (_, n) => `${line(n + 1)}\n`).join("");
const call = (/** @type {number} */ n, times = "") =>
  `  return request(url, { id: ${n}, timeout: ${times}timeoutMs, retries: retryLimit });`;
const net = `// Network functions.\nimport { sleep } from "./time";\n\nexport const retryLimit = 3;\nexport const timeoutMs = 2000;\n${lines(
  48,
  (n) => `\nexport function call${n}(url: string) {\n${call(n)}\n}`,
)}`;
const row = (/** @type {number} */ n, name = "row") =>
  `export const row${n} = { id: ${n}, name: "${name} ${n}", tags: ["a", "b"] };`;
const rowCount = 1_500;
const middle = lines(1_000, (n) => `line ${n} of some text that is long enough to be a line`);
const readme = "# Demo\n\nA demo project.\n\n## Usage\n\nRun it.\n";
const backoff = "export const backoff = (n: number) => 100 * 2 ** n;\n";
const old = "// No longer used.\nexport const legacy = true;\n";

const bigFile = "src/big.ts";

/** What the project holds before. */
export const taskFiles = {
  "src/net.ts": net,
  "src/formatted.ts": net,
  "src/old.ts": old,
  [bigFile]: lines(rowCount, row),
  "README.md": readme,
  "notes.md": readme,
  "middle.txt": middle,
  "docs/notes.md": "# Notes\n\nretryLimit is three because of the gateway.\n",
  "logo.png": Buffer.from(image, "base64"),
};

const changes = {
  limit: ["export const retryLimit = 3;", "export const retryLimit = 5;"],
  call: [call(40), call(40, "2 * ")],
  timeout: ["export const timeoutMs = 2000;", "export const timeoutMs = 2500;"],
  big: [row(1_400), row(1_400, "ROW")],
};

/** Our tools: each call names the last state that was shown. @param {Desk} desk */
export function ours({ offered, own, label, breach }) {
  const schema = offered.find(({ name, text }) => /edit_file$/.test(name) && text.includes("base_content"));
  const isFlat = schema !== undefined && !schema.text.includes('"edits"');
  /** @type {Map<string, Readonly<Record<string, string>>>} */
  const known = new Map();
  const base = (/** @type {string} */ file) => known.get(file) ?? {};
  /**
   * The first calls. Where the tools are not in front of the model, the same script looks for their schemas: their names are
   * in the server's first line, which is all that the model is shown of it.
   *
   * @param {readonly Call[]} calls @returns {Stretch}
   */
  function* begin(calls) {
    const isFound = own.search === undefined || offered.some(({ name }) => name.includes("holdfast"));
    if (isFound || own.search === undefined) yield calls;
    else {
      label("offer");
      const [found = ""] = yield [{ own: own.search }, ...calls];
      if (!found.includes("edit_file")) breach("tools not there at the first call", found);
    }
  }
  return {
    /** It reads again before it makes a refused edit again. */
    looksAgain: false,
    begin,
    /** @type {(pattern: string) => Call} */
    find: (pattern) => ({ tool: "search_files", args: { pattern } }),
    /** @param {string} file */
    read: (file) => onFile("read_file", file),
    /**
     * Who wants all of a file gives a `limit`, as its schema says; then, in one turn, the calls that the answer names.
     *
     * @param {string} file @param {number | undefined} from @param {string} answer the last one
     */
    readOn: (file, from, answer) => {
      if (from === undefined) return [onFile("read_file", file, { limit: 2_000 })];
      const named = [...answer.matchAll(/\boffset (\d+) and limit (\d+)(?=; offset| for the rest)/g)];
      const windows = named.map(([, offset, limit]) => ({ offset: Number(offset), limit: Number(limit) }));
      if (windows.length === 0) windows.push({ offset: from, limit: rowCount + 1 - from });
      return windows.map((window) => onFile("read_file", file, window));
    },
    edit: (/** @type {string} */ file, /** @type {readonly string[]} */ [old_string, new_string]) => {
      const edit = { old_string, new_string };
      return onFile("edit_file", file, { ...base(file), ...(isFlat ? edit : { edits: [edit] }) });
    },
    write: (/** @type {string} */ file, /** @type {string} */ content) =>
      onFile("write_file", file, { content, ...base(file) }),
    move: (/** @type {string} */ file, /** @type {string} */ to) =>
      onFile("move_file", file, { to, ...base(file) }),
    remove: (/** @type {string} */ file) => onFile("delete_file", file, base(file)),
    restore: (/** @type {string} */ file) => onFile("undo_edit", file),
    image: (/** @type {string} */ file) => onFile("read_file", file),
    /** What an answer says of a file. @param {string} file @param {string} answer */
    learn: (file, answer) => {
      const sha256 = [...answer.matchAll(/\bsha256\W{1,5}([0-9a-f]{64})/g)].at(-1)?.[1];
      if (sha256 !== undefined) known.set(file, { base_content_sha256: sha256 });
    },
  };
}

/** @param {string} tool @param {string} file_path @param {Readonly<Record<string, unknown>>} [args] @returns {Call} */
function onFile(tool, file_path, args = {}) {
  return { tool, args: { file_path, ...args } };
}

/** The host's own tools. @param {Desk} desk @returns {Hand} */
export function theirs({ own: { shell, read, edit, write, image = read, search } }) {
  return {
    looksAgain: true,
    *begin(calls) {
      yield calls;
    },
    find: (pattern) => ({ own: shell(`grep -rn ${pattern} .`) }),
    read: (file) => ({ own: read(file) }),
    // The rest side by side, too, in pages that each host lets through; of one script all that it prints is cut as a whole.
    readOn: (file, from) => {
      if (from === undefined) return [{ own: read(file) }];
      const begins = Array.from({ length: search === undefined ? 4 : 1 }, (_, at) => from + at * 400);
      const pages = begins.filter((first) => first <= rowCount);
      return pages.map((first) => {
        const to = Math.min(rowCount, first + 399);
        return { own: read(file, { from: first, to, count: to - first + 1 }) };
      });
    },
    edit: (file, [before = "", after = ""]) => ({ own: edit(file, before, after) }),
    write: (file, content) => ({ own: write(file, content) }),
    move: (file, to) => ({ own: shell(`mkdir -p ${dirname(to)} && mv ${file} ${to}`) }),
    remove: (file) => ({ own: shell(`rm ${file}`) }),
    // In a sandbox that keeps `.git` as it is, `git checkout` fails.
    restore: (file) => ({ own: shell(`git show HEAD:${file} > ${file}`) }),
    image: (file) => ({ own: image(file) }),
    learn: () => {},
  };
}

/** What is told with one set of tools, beside the other. @param {(desk: Desk) => Hand} hand */
export const figuresWith = (hand) => [
  {
    figure: "H3",
    what: "a day: find, read, parallel edits, a formatter, create, move, delete, undo, a big file, a stale write, an image",
    work: (/** @type {Desk} */ desk) => day(desk, hand(desk)),
  },
  {
    figure: "H4",
    what: "five edits; a formatter touches another line after each",
    work: (/** @type {Desk} */ desk) => formatted(desk, hand(desk)),
  },
];

/** A common day. @param {Desk} desk @param {Hand} hand @returns {Stretch} */
function* day(desk, hand) {
  const [file, legacy, page] = ["src/net.ts", "src/old.ts", "README.md"];
  yield* hand.begin([hand.find("retryLimit")]);
  yield* told(hand, file, [hand.read(file)]);
  const parallel = [changes.limit, changes.call];
  yield* told(hand, file, [hand.edit(file, changes.limit), hand.edit(file, changes.call)]);
  for (const change of parallel) if (!isMade(desk, file, change)) yield* landing(desk, hand, file, change);
  desk.foreign(file, (text) => text.replace('"./time"', "'./time'"));
  yield* landing(desk, hand, file, changes.timeout);
  yield* told(hand, "src/backoff.ts", [hand.write("src/backoff.ts", backoff)]);
  yield [hand.move("src/backoff.ts", "src/lib/backoff.ts")];
  yield* told(hand, legacy, [hand.read(legacy)]);
  yield [hand.remove(legacy)];
  yield [hand.restore(legacy)];
  yield* wholeOf(desk, hand, bigFile);
  yield* landing(desk, hand, bigFile, changes.big);
  yield* told(hand, page, [hand.read(page)]);
  desk.foreign(page, (text) => `${text}\nA human line.\n`);
  yield [hand.write(page, "# Demo\n\nRewritten.\n")];
  yield [hand.image("logo.png")];
  const made = [...parallel, changes.timeout].filter((change) => isMade(desk, file, change)).length;
  const isMoved = desk.disk("src/lib/backoff.ts") === backoff && desk.disk("src/backoff.ts") === undefined;
  if (made < 3 || !isMade(desk, bigFile, changes.big) || !isMoved || desk.disk(legacy) !== old)
    desk.breach("edits not made", file);
  if (desk.disk(file)?.includes("'./time'") !== true) desk.breach("lost lines", "the formatter's");
  if (desk.disk(page)?.includes("A human line.") !== true) desk.breach("lost lines", "a person's");
}

/** Five edits; after each a formatter touches another line. @param {Desk} desk @param {Hand} hand @returns {Stretch} */
function* formatted(desk, hand) {
  const file = "src/formatted.ts";
  yield* told(hand, file, [hand.read(file)]);
  const edits = [5, 10, 15, 20, 25].map((n) => [call(n), call(n, "2 * ")]);
  for (const [at, change] of edits.entries()) {
    yield* landing(desk, hand, file, change);
    desk.foreign(file, (text) => `${text}// formatter ${at}\n`);
  }
  if (!edits.every((change) => isMade(desk, file, change))) desk.breach("edits not made", file);
  if (desk.disk(file)?.match(/^\/\/ formatter/gm)?.length !== 5) desk.breach("lost lines", "the formatter's");
}

/** @param {Desk} desk @param {string} file @param {readonly string[]} change */
function isMade(desk, file, [, after = ""]) {
  return desk.disk(file)?.includes(after) === true;
}

/** Calls about one file, and what the answers say of it. @param {Hand} hand @param {string} file @param {readonly Call[]} calls @returns {Generator<readonly Call[], string, readonly string[]>} */
function* told(hand, file, calls) {
  const said = (yield calls).join("\n");
  hand.learn(file, said);
  return said;
}

/** An edit, made again where it is refused. @param {Desk} desk @param {Hand} hand @param {string} file @param {readonly string[]} change @returns {Stretch} */
function* landing(desk, hand, file, change) {
  yield* told(hand, file, [hand.edit(file, change)]);
  if (isMade(desk, file, change)) return;
  desk.see("refused");
  if (hand.looksAgain) yield [hand.read(file)];
  yield* told(hand, file, [hand.edit(file, change)]);
}

/** Reads on from the first row that was not shown, until all were. @param {Desk} desk @param {Hand} hand @param {string} file @returns {Stretch} */
function* wholeOf(desk, hand, file) {
  /** @type {Set<number>} */
  const shown = new Set();
  /** @type {number | undefined} */
  let from;
  let answer = "";
  for (let idle = 0; (from ?? 1) <= rowCount && idle < 2; ) {
    desk.label("big");
    const before = shown.size;
    answer = yield* told(hand, file, hand.readOn(file, from, answer));
    for (const [, n] of answer.matchAll(/export const row(\d+) = .*;/g)) shown.add(Number(n));
    idle = shown.size === before ? idle + 1 : 0;
    from ??= 1;
    while (shown.has(from)) from += 1;
  }
  if (shown.size < rowCount) desk.breach("big file not shown", `${shown.size} of ${rowCount} rows`);
}

const spelled = new RegExp(`(?<![\\w.-])[\\w.-]*?(${ourTools.join("|")})\\b`, "g");

/**
 * Every name of ours in descriptions and answers is the one that this host shows; and who does what an answer says
 * gets on.
 *
 * @param {(server: string, tool: string) => string} toolName @returns {(desk: Desk) => Stretch}
 */
export const names = (toolName) =>
  function* (desk) {
    const hand = ours(desk);
    let count = 0;
    /** @param {string} where @param {string} text */
    const look = (where, text) => {
      const named = [...text.matchAll(spelled)];
      count += named.length;
      const wrong = named.filter(
        ([all, tool = ""]) => all.replace(/^tools\./, "") !== toolName("holdfast", tool),
      );
      if (wrong.length > 0) desk.breach(`names of others ${where}`, wrong.map(([all]) => all).join());
    };
    const mine = new Set(ourTools.map((tool) => toolName("holdfast", tool)));
    for (const { name, text } of desk.offered) if (mine.has(name)) look("in descriptions", text);
    if (desk.own.search !== undefined) look("in descriptions", (yield [{ own: desk.own.search }]).join());
    const [file, change] = ["notes.md", ["Run it.", "Run it now."]];
    let [answer = ""] = yield [hand.edit(file, change)];
    for (let turn = 0; turn < 3 && !isMade(desk, file, change); turn += 1) {
      look("in refusals", answer);
      // Where the words say that the hash is enough, no read is made.
      if (/sha256|hash/.test(answer.replaceAll(/<file [^>]*>/g, ""))) hand.learn(file, answer);
      else yield* obey(answer, { file_path: file });
      [answer = ""] = yield [hand.edit(file, change)];
    }
    if (!isMade(desk, file, change)) desk.breach("loops", answer);
    const [page = ""] = yield [hand.read(bigFile)];
    const hint = page.replaceAll(/^export const row.*$/gm, "");
    look("in hints to read on", hint);
    const from = Number(/from line (\d+)/.exec(hint)?.[1] ?? 0);
    if (from > 0) {
      const [next = ""] = yield* obey(hint, { file_path: bigFile, offset: from, limit: 10 });
      const first = Number(/export const row(\d+)/.exec(next)?.[1]);
      if (first !== from) desk.breach("another page than the hint says", `line ${first}, not ${from}`);
    }
    const refusals = yield [
      hand.edit(file, ["Walk it.", "Run it."]),
      hand.write("docs/notes.md", "mine\n"),
      hand.read("missing.md"),
      hand.edit("missing.md", change),
      hand.remove("docs/notes.md"),
    ];
    for (const refusal of refusals) look("in refusals", refusal);
    desk.see(`${count} names in descriptions and answers`);
  };

/** Calls the reading tool that the words name, as they name it. @param {string} words @param {Readonly<Record<string, unknown>>} args @returns {Generator<readonly Call[], readonly string[], readonly string[]>} */
function* obey(words, args) {
  const name = /(?<![\w.-])[\w.-]*read_file\b/.exec(words)?.[0].replace(/^tools\./, "");
  return name === undefined ? [] : yield [{ own: { call: name, args } }];
}

/**
 * A file is read once and written whole, then read in pages of one turn and written whole: that is refused unless all of
 * its lines were sent. @param {Desk} desk @returns {Stretch}
 */
export function* blind(desk) {
  const [hand, file, sent] = [ours(desk), "middle.txt", new Set()];
  const pages = [1, 201, 401, 601, 801].map((offset) => onFile("read_file", file, { offset, limit: 200 }));
  for (const calls of [[hand.read(file)], pages]) {
    const page = yield* told(hand, file, calls);
    for (const line of page.match(/^line \d+ of some text that is long enough to be a line$/gm) ?? [])
      sent.add(line);
    const [answer = ""] = yield [hand.write(file, "short\n")];
    const isWritten = desk.disk(file) === "short\n";
    desk.see(`${sent.size} of 1,000 lines sent, the whole write ${isWritten ? "made" : "refused"}`);
    if (isWritten && sent.size < 1_000) desk.breach("counted as shown without having been sent", answer);
    if (!isWritten && sent.size === 1_000) desk.breach("refused although all was sent", answer);
    if (isWritten) return;
  }
}
