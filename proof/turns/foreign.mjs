import { appendFileSync, closeSync, openSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Appends a line to one file after the other, as an editor or a script would: knows of no lock. Every other line goes
 * through a descriptor that was opened a moment before. Says each line once it is written.
 */
const [root = "."] = process.argv.slice(2);
// It begins beside the agent: a stage file of ours that stood there for a moment is none of the files that are looked at in the end.
const files = readdirSync(root)
  .filter((name) => !name.startsWith("."))
  .sort();
for (let count = 1; process.connected; count += 1) {
  const name = files[(count * 7) % files.length] ?? "";
  const line = `// foreign ${count}`;
  if (count % 2 === 0) appendFileSync(join(root, name), `${line}\n`);
  else await appendLater(join(root, name), `${line}\n`);
  // With a callback an error is no event: the agent may hang up at this very moment, and a line not told is not looked for.
  process.send?.({ name, line }, undefined, undefined, () => undefined);
  await pause(3);
}

/** @param {string} path @param {string} text */
async function appendLater(path, text) {
  const descriptor = openSync(path, "a");
  await pause(2);
  writeSync(descriptor, text);
  closeSync(descriptor);
}
