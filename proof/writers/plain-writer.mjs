/**
 * The usual careful way, as a baseline: temporary file, fsync, rename, and no fsync of the folder. The same
 * words on stdout as writer.mjs. Arguments: folder, pause in milliseconds, `safe` or `in-place`.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { textOf } from "./versions.mjs";

const [root = "", pause = "0", way = "safe"] = process.argv.slice(2);
mkdirSync(root, { recursive: true });

/** @param {string} path @param {string} text */
function replace(path, text) {
  if (way === "in-place") return writeFileSync(path, text);
  const fd = openSync(`${path}.tmp`, "w");
  writeSync(fd, text);
  fsyncSync(fd);
  closeSync(fd);
  return renameSync(`${path}.tmp`, path);
}

for (let n = 1; ; n++) {
  const files = { replaced: n };
  process.stdout.write(`${JSON.stringify({ event: "begin", files })}\n`);
  replace(`${root}/replaced`, textOf(n));
  process.stdout.write(`${JSON.stringify({ event: "ack", files })}\n`);
  if (Number(pause) > 0) await new Promise((resolve) => setTimeout(resolve, Number(pause)));
}
