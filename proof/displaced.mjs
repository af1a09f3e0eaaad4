import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {{ readonly hash: string, readonly text: string }} DisplacedText */

/**
 * The states of files that the operation log calls displaced, from the disk.
 *
 * @param {string} stateDir
 * @param {readonly string[]} paths absolute
 * @returns {readonly DisplacedText[]}
 */
export function displacedTexts(stateDir, paths) {
  /** @type {DisplacedText[]} */
  const texts = [];
  const log = join(stateDir, "operations");
  for (const name of existsSync(log) ? readdirSync(log) : [])
    for (const line of readFileSync(join(log, name), "utf8").split("\n"))
      for (const file of line === "" ? [] : JSON.parse(line)[2].files) {
        if (file.displaced !== true || !paths.includes(file.realPath)) continue;
        const blob = join(stateDir, "blobs", file.after.slice(0, 2), file.after);
        if (existsSync(blob)) texts.push({ hash: String(file.after), text: readFileSync(blob, "utf8") });
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
