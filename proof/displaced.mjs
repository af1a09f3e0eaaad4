import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {{ readonly hash: string, readonly text: string }} DisplacedText */

/**
 * The states that the histories of files call displaced, from the disk.
 *
 * @param {string} stateDir
 * @param {readonly string[]} paths absolute
 * @returns {readonly DisplacedText[]}
 */
export function displacedTexts(stateDir, paths) {
  /** @type {DisplacedText[]} */
  const texts = [];
  for (const path of paths) {
    const name = createHash("sha256").update(path).digest("hex").slice(0, 40);
    const history = join(stateDir, "history", `${name}.jsonl`);
    if (!existsSync(history)) continue;
    for (const line of readFileSync(history, "utf8").split("\n")) {
      const entry = line === "" ? undefined : JSON.parse(line)[1];
      if (entry?.displaced !== true) continue;
      const blob = join(stateDir, "blobs", entry.after.slice(0, 2), entry.after);
      if (existsSync(blob)) texts.push({ hash: String(entry.after), text: readFileSync(blob, "utf8") });
    }
  }
  return texts;
}

/**
 * What is no more in its file must be in a displaced state, and an answer must have named that state.
 *
 * @param {readonly string[]} gone lines without their terminators
 * @param {readonly DisplacedText[]} displaced
 * @param {string} said all that was answered
 */
export function displacedAmong(gone, displaced, said) {
  const told = new Set([...said.matchAll(/is kept as state ([0-9a-f]{12})/g)].map(([, prefix]) => prefix));
  let lost = 0;
  let untold = 0;
  for (const line of gone) {
    const states = displaced.filter(({ text }) => text.includes(`${line}\n`));
    if (states.length === 0) lost += 1;
    else if (!states.some(({ hash }) => told.has(hash.slice(0, 12)))) untold += 1;
  }
  return { lost, untold, kept: gone.length - lost };
}
