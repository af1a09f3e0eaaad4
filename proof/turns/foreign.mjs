import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Appends a line to one file after the other, as an editor or a script would: knows of no lock. Says each line once it is written. */
const [root = "."] = process.argv.slice(2);
const files = readdirSync(root).sort();
for (let count = 1; process.connected; count += 1) {
  const name = files[(count * 7) % files.length] ?? "";
  const line = `// foreign ${count}`;
  appendFileSync(join(root, name), `${line}\n`);
  process.send?.({ name, line });
  await pause(3);
}
