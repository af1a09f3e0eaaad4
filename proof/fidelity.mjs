import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { edits } from "./fidelity/edits.mjs";
import { edited, kindNames, marker, randomFrom, sampleFile } from "./fidelity/files.mjs";
import { onGround, openAt } from "./races/ground.mjs";

/** @typedef {import("./contract.mjs").Part} Part */
/** @typedef {import("./contract.mjs").Row} Row */
/** @typedef {import("./fidelity/files.mjs").Sample} Sample */
/** @typedef {import("./races/ground.mjs").OpenedWorkspace} OpenedWorkspace */

/** So many files in one workspace: then another, so that no state folder grows large. */
const batch = 500;

/** B3: one line of a generated file is edited; every other byte stays, or nothing is written. @type {Part} */
export const part = {
  name: "fidelity",
  title: "Fidelity",
  async run({ quick, print }) {
    const random = randomFrom(20_261_122);
    const samples = Array.from({ length: quick ? 350 : 10_000 }, () => sampleFile(random));
    const ways = Object.keys(edits);
    const tallies = new Map([...ways, ...kindNames].map((name) => [name, newTally()]));
    for (let from = 0; from < samples.length; from += batch) {
      await onGround(async (base, root) => {
        const workspace = await openAt(base);
        for (const [at, sample] of samples.slice(from, from + batch).entries()) {
          const way = ways[(from + at) % ways.length] ?? "safe_patch";
          const fate = await tryOne(workspace, root, `f${at}`, sample, way);
          for (const name of [way, sample.kind]) count(tallies.get(name), fate);
        }
        await workspace.close();
      });
      print(`${Math.min(from + batch, samples.length)} of ${samples.length}`);
    }
    const baseline = naiveChanges(samples);
    return [...tallies].map(([what, tally]) =>
      rowOf(what, tally, ways.includes(what) ? undefined : baseline),
    );
  },
};

/** @typedef {"edited" | "refused" | "not asked" | "other bytes" | "false answer" | "not undone"} Fate */
/** @typedef {Record<Fate, number>} Tally */

/** @returns {Tally} */
function newTally() {
  return { edited: 0, refused: 0, "not asked": 0, "other bytes": 0, "false answer": 0, "not undone": 0 };
}

/** @param {Tally | undefined} tally @param {Fate} fate */
function count(tally, fate) {
  if (tally !== undefined) tally[fate] += 1;
}

/**
 * @param {OpenedWorkspace} workspace
 * @param {string} root
 * @param {string} path
 * @param {Sample} sample
 * @param {string} way
 * @returns {Promise<Fate>}
 */
async function tryOne(workspace, root, path, sample, way) {
  const full = join(root, path);
  writeFileSync(full, sample.bytes);
  const answer = await edits[way]?.(workspace, path, sample);
  const bytes = readFileSync(full);
  if (answer === undefined) return bytes.equals(sample.bytes) ? "not asked" : "other bytes";
  if (!answer.success) return bytes.equals(sample.bytes) ? "refused" : "other bytes";
  if (!bytes.equals(sample.expected)) return bytes.equals(sample.bytes) ? "false answer" : "other bytes";
  const undone = await workspace.undo({ path });
  return undone.success && readFileSync(full).equals(sample.bytes) ? "edited" : "not undone";
}

/** @param {string} what @param {Tally} tally @param {ReadonlyMap<string, string> | undefined} baseline @returns {Row} */
function rowOf(what, tally, baseline) {
  const { edited: done, refused, "not asked": unasked, ...bad } = tally;
  const tried = Object.values(tally).reduce((sum, one) => sum + one, 0);
  const unsafe = baseline?.get(what);
  const seen = `${done} edited and undone to the byte, ${refused} refused, ${unasked} cannot be read as text`;
  return { figure: "B3", what, tried, bad, seen, ...(unsafe === undefined ? {} : { baseline: unsafe }) };
}

/** What reading as UTF-8, replacing and writing does to the bytes that nobody edited. @param {readonly Sample[]} samples */
function naiveChanges(samples) {
  const changed = new Map(kindNames.map((name) => [name, { changed: 0, tried: 0 }]));
  for (const { kind, bytes, expected } of samples) {
    const tally = changed.get(kind);
    if (tally === undefined) continue;
    tally.tried += 1;
    if (!Buffer.from(bytes.toString("utf8").replace(marker, edited)).equals(expected)) tally.changed += 1;
  }
  return new Map(
    [...changed].map(([kind, one]) => [
      kind,
      `read and written as UTF-8: ${one.changed} of ${one.tried} damaged`,
    ]),
  );
}
