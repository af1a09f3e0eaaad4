import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Kept in the repository: hand-made inputs by their names, found ones by their hashes. */
export const corpusFolder = fileURLToPath(new URL("corpus/", import.meta.url));

/** @param {string} folder @returns {readonly { readonly name: string, readonly input: string }[]} */
export function readInputs(folder) {
  return namesIn(folder).map((name) => ({ name, input: decode(readFileSync(join(folder, name), "utf8")) }));
}

/** @param {string} folder @param {string} input @returns {string} its path */
export function writeInput(folder, input) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, nameOf(input));
  writeFileSync(path, encode(input));
  return path;
}

/** @param {string} path */
export function readInput(path) {
  return decode(readFileSync(path, "utf8"));
}

/** Puts found inputs in the place of those that were found before. @param {string} folder @param {readonly string[]} inputs */
export function replaceFound(folder, inputs) {
  for (const name of namesIn(folder)) if (isFound(name)) rmSync(join(folder, name));
  for (const input of inputs) writeInput(folder, input);
}

/** Whether a file bears the hash of an input that was found, and no name that a person gave. @param {string} name */
export function isFound(name) {
  return /^[0-9a-f]{16}$/.test(name);
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** @param {string} input */
function nameOf(input) {
  return createHash("sha256").update(encode(input)).digest("hex").slice(0, 16);
}

/** Half surrogate pairs have no UTF-8. @param {string} input */
function encode(input) {
  return input
    .replaceAll("%u", "%u0025u")
    .replace(/[\ud800-\udfff]/gu, (half) => `%u${half.charCodeAt(0).toString(16)}`);
}

/** @param {string} text */
function decode(text) {
  return text.replace(/%u([0-9a-f]{4})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
