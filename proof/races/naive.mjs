import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { sha } from "./ground.mjs";

/**
 * What most tools do: read, hash, compare, then write; in place after 1 ms of work, or beside it, synced, and
 * renamed over it.
 *
 * @param {"in place" | "renamed"} how
 * @param {string} path
 * @param {string} base
 * @param {string} text
 * @returns {boolean} whether it says that it wrote
 */
export function naiveWrite(how, path, base, text) {
  if (sha(readFileSync(path)) !== base) return false;
  if (how === "in place") {
    // What a tool does with the text takes its time, too; staging takes more than that.
    const until = performance.now() + 1;
    while (performance.now() < until);
    writeFileSync(path, text, { flush: true });
    return true;
  }
  const stage = `${path}.naive`;
  const fd = openSync(stage, "w");
  writeSync(fd, text);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(stage, path);
  return true;
}
