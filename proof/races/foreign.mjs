import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { displacedAmong, displacedTexts } from "../displaced.mjs";
import { onGround, openAt, sha, startLines } from "./ground.mjs";
import { naiveWrite } from "./naive.mjs";

/** @typedef {import("../contract.mjs").Row} Row */
/** @typedef {{ lost: number, kept: number, untold: number, refused: number, tried: number }} Tally */
/** @typedef {"replace" | "delete" | "move"} SetStep */
/** @typedef {(path: string, base: string, text: string) => Promise<{ readonly wrote: boolean, readonly said: string }>} Write */

const refusals = ["state_mismatch", "unknown_base"];
const kinds = ["truncate", "slow", "append", "held", "rename"];
const words = {
  truncate: "truncate and write",
  slow: "truncate, 300 µs, write",
  append: "append",
  held: "open, 300 µs, append",
  rename: "stage and rename",
};
/** So many files in turn, so that no history grows long. */
const files = 50;

/**
 * R1: for each trial another process writes at a random moment of one write of ours. Its token must then be
 * in the file, or be kept, in the history and told in an answer.
 *
 * @param {string} program
 * @param {number} count of trials with each kind of writer
 * @returns {Promise<readonly Row[]>}
 */
export async function foreignRaces(program, count) {
  const baseline = Math.max(100, Math.round(count / 5));
  const unsafe = {
    "in place": await naiveTallies(program, baseline, "in place"),
    renamed: await naiveTallies(program, baseline, "renamed"),
  };
  const rows = [];
  for (const exchanges of [true, false]) {
    const tallies = [];
    for (const kind of kinds) tallies.push(await ourTally(program, kind, count, { exchanges }));
    rows.push(...rowsOf(tallies, exchanges, unsafe));
  }
  return rows;
}

/**
 * R1 under change sets that replace the file beside another, delete it, or move it.
 *
 * @param {string} program
 * @param {number} count of trials with each
 * @returns {Promise<readonly Row[]>}
 */
export async function foreignUnderSets(program, count) {
  const rows = [];
  for (const { step, kind } of underSets) {
    const tally = await ourTally(program, kind, count, { exchanges: true, step });
    rows.push({
      figure: "R1",
      what: `a change set that ${stepWords[step]}; a foreign writer: ${words[kind]}`,
      tried: tally.tried,
      bad: { lost: tally.lost, untold: tally.untold },
      seen: `${tally.lost} lost, ${tally.kept} displaced and recoverable, ${tally.refused} refused with the fresh state`,
    });
  }
  return rows;
}

/** @type {readonly { readonly step: SetStep, readonly kind: "rename" | "append" }[]} */
const underSets = [
  { step: "replace", kind: "rename" },
  { step: "replace", kind: "append" },
  { step: "delete", kind: "rename" },
  { step: "move", kind: "rename" },
];
const stepWords = { replace: "replaces two files", delete: "deletes it", move: "moves it" };

/**
 * @param {readonly Tally[]} tallies
 * @param {boolean} exchanges
 * @param {Readonly<Record<"in place" | "renamed", readonly Tally[]>>} unsafe
 * @returns {readonly Row[]}
 */
function rowsOf(tallies, exchanges, unsafe) {
  const held = kinds.indexOf("held");
  const tried = tallies.reduce((sum, tally) => sum + tally.tried, 0);
  const lost = tallies.reduce((sum, tally, at) => sum + (at === held ? 0 : tally.lost), 0);
  // The figures to hold: 5 of 20,000 with the exchange, 1 % without it.
  const allowed = Math.ceil(exchanges ? tried / 4_000 : tried / 100);
  const way = exchanges ? "exchange" : "rename alone";
  const rows = tallies.map((tally, at) => {
    const kind = /** @type {keyof typeof words} */ (kinds[at] ?? "held");
    const rate = (/** @type {Tally | undefined} */ one) =>
      one === undefined ? "" : `${one.lost} of ${one.tried}`;
    return {
      figure: "R1",
      what: `${way}; a foreign writer: ${words[kind]}`,
      tried: tally.tried,
      bad: at === held ? { lost: tally.lost, untold: tally.untold } : { untold: tally.untold },
      seen: `${tally.lost} lost, ${tally.kept} displaced and recoverable, ${tally.refused} refused with the fresh state`,
      baseline: `lost: in place ${rate(unsafe["in place"][at])}, renamed ${rate(unsafe.renamed[at])}`,
    };
  });
  const sum = {
    figure: "R1",
    what: `${way}; all five, but for held descriptors at most ${allowed} lost`,
    tried,
    bad: { "lost beyond that": Math.max(0, lost - allowed) },
    seen: `${lost} lost`,
  };
  return [...rows, sum];
}

/**
 * @param {string} program
 * @param {string} kind
 * @param {number} count
 * @param {{ exchanges: boolean, step?: SetStep }} how a change set of such a step; one write without it
 * @returns {Promise<Tally>}
 */
function ourTally(program, kind, count, { exchanges, step }) {
  return onGround(async (base, root) => {
    const workspace = await openAt(base, { exchanges });
    for (let at = 0; at < files; at++) writeFileSync(join(root, `beside-f${at}`), "");
    let said = "";
    const tally = await race(program, kind, count, root, async (path, hash, text) => {
      const outcome =
        step === undefined
          ? await workspace.write({ path, content: text, base: hash })
          : await workspace.applyChanges({ changes: changesOf(root, step, path, hash, text) });
      if (!outcome.success && !refusals.includes(outcome.code)) throw new Error(outcome.message);
      said += messagesOf(outcome);
      return { wrote: outcome.success, said: outcome.message };
    });
    // Whatever was written last is found by the next look.
    await new Promise((go) => setTimeout(go, 100));
    const last = await workspace.read({ path: "f0" });
    if (last.kind === "read") said += last.notice ?? "";
    await workspace.close();
    return accountFor(base, tally, said);
  });
}

/**
 * @param {string} root
 * @param {SetStep} step
 * @param {string} path
 * @param {string} base
 * @param {string} text
 * @returns {import("@holdfast/core/files/values").FileChange[]}
 */
function changesOf(root, step, path, base, text) {
  if (step === "delete") return [{ path, base, content: { kind: "delete" } }];
  if (step === "move") {
    rmSync(join(root, `moved-${path}`), { force: true });
    return [{ path, base, renameTo: `moved-${path}`, content: { kind: "same" } }];
  }
  const beside = `beside-${path}`;
  return [
    { path: beside, base: sha(readFileSync(join(root, beside))), content: { kind: "text", text } },
    { path, base, content: { kind: "text", text } },
  ];
}

/** With those of the files of a set. @param {{ message: string, files?: readonly { outcome: { message: string } }[] }} outcome */
function messagesOf({ message, files = [] }) {
  return [message, ...files.map(({ outcome }) => outcome.message)].join("\n");
}

/**
 * What is no more in its file must be in a state that an answer named.
 *
 * @param {string} base
 * @param {{ tried: number, refused: number, gone: readonly string[] }} tally
 * @param {string} said
 * @returns {Tally}
 */
function accountFor(base, { tried, refused, gone }, said) {
  const paths = Array.from({ length: files }, (_, at) => join(base, "root", `f${at}`));
  const found = displacedAmong(gone, displacedTexts(join(base, "state"), paths), said);
  return { tried, refused, ...found };
}

/** @param {string} program @param {number} count @param {"in place" | "renamed"} how @returns {Promise<readonly Tally[]>} */
async function naiveTallies(program, count, how) {
  const tallies = [];
  for (const kind of kinds) {
    tallies.push(
      await onGround(async (_, root) => {
        const write = async (
          /** @type {string} */ path,
          /** @type {string} */ hash,
          /** @type {string} */ text,
        ) => ({
          wrote: naiveWrite(how, join(root, path), hash, text),
          said: "",
        });
        const { tried, refused, gone } = await race(program, kind, count, root, write);
        return { tried, refused, lost: gone.length, kept: 0, untold: 0 };
      }),
    );
  }
  return tallies;
}

/**
 * @param {string} program
 * @param {string} kind
 * @param {number} count
 * @param {string} root
 * @param {Write} write
 */
async function race(program, kind, count, root, write) {
  const foreign = startLines(program, ["write"]);
  for (let at = 0; at < files; at++) writeFileSync(join(root, `f${at}`), "begin\n");
  let refused = 0;
  /** @type {string[]} */
  const gone = [];
  /** How long our write takes, in µs, lately: the other one comes within that time. */
  let usual = 1_000;
  for (let trial = 0; trial < count; trial++) {
    const name = `f${trial % files}`;
    const path = join(root, name);
    // A set may have deleted or moved it.
    if (!existsSync(path)) writeFileSync(path, "again\n");
    const base = sha(readFileSync(path));
    const token = `token-${trial}-`;
    foreign.say(`${kind} ${Math.round(Math.random() * usual)} ${path} ${token}`);
    // What the pipe takes: the other one must not come after us every time.
    await new Promise((go) => setImmediate(go));
    const begun = performance.now();
    const { wrote } = await write(name, base, `ours ${trial}\n`);
    usual = usual * 0.95 + (performance.now() - begun) * 1_000 * 0.05;
    if (!wrote) refused += 1;
    const answer = await foreign.line();
    if (answer !== "ok") throw new Error(`the foreign writer failed: ${answer}`);
    const names = [path, join(root, `moved-${name}`)].filter((each) => existsSync(each));
    if (!names.some((each) => readFileSync(each, "utf8").includes(`${token}\n`))) gone.push(token);
  }
  foreign.stop();
  return { tried: count, refused, gone };
}
