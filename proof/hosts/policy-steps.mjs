import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeInto } from "../clients/any-client.mjs";

/** Steps of which the policies are made: what a person sets, and how a client is started. */
/** @typedef {import("../clients/any-client.mjs").Ground} Ground */

export const all = { write: [""] };
export const readable = { read: ["a.txt"] };
export const folders = {
  denied: { read: ["private/plan.txt"], write: ["locked/"] },
  free: { read: ["a.txt"], write: ["src/"] },
};

/** @param {string} file @param {unknown} settings @returns {(ground: Ground) => void} */
export const inProject =
  (file, settings) =>
  ({ project }) =>
    writeInto(project, file, textOf(settings));
/** Beside what is there. @param {string} file @param {unknown} settings @returns {(ground: Ground) => void} */
export const atHome =
  (file, settings) =>
  ({ home }) => {
    const text = textOf(settings).replaceAll("HOME", home);
    if (typeof settings === "string") return writeInto(home, file, text);
    writeInto(home, file, JSON.stringify({ ...JSON.parse(existing(join(home, file))), ...JSON.parse(text) }));
  };
const textOf = (/** @type {unknown} */ settings) =>
  typeof settings === "string" ? settings : JSON.stringify(settings);

/** @param {string} path */
function existing(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "{}";
  }
}

/** @param {...((ground: Ground) => void)} steps @returns {(ground: Ground) => void} */
export const both =
  (...steps) =>
  (ground) => {
    for (const step of steps) step(ground);
  };
/** @param {readonly string[]} added */
export const plus =
  (...added) =>
  (/** @type {readonly string[]} */ args) => [...args, ...added];
/** @param {string} from @param {string} to */
export const swapped = (from, to) => (/** @type {readonly string[]} */ args) =>
  args.map((arg) => (arg === from ? to : arg));
/** @param {...string} names */
export const without =
  (...names) =>
  (/** @type {readonly string[]} */ args) =>
    args.filter((arg) => !names.some((name) => arg.startsWith(name)));
/** @param {string} decision @param {readonly string[]} tools */
export const policy = (decision, ...tools) =>
  tools.map((tool) => `[[rule]]\ntoolName = "${tool}"\ndecision = "${decision}"\npriority = 500\n`).join("");
