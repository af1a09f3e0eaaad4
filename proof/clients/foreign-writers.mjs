import { spawnSync } from "node:child_process";

/**
 * How other programs change a file: one command of the shell each, all of the same change, run in the
 * project's folder between two turns of the model.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const foreignWriters = {
  "sed -i": "sed -i 's/2000/3000/' net.ts",
  "written into": "sed 's/2000/3000/' net.ts > .next && cat .next > net.ts && rm .next",
  "renamed onto it, same size and time":
    "sed 's/2000/3000/' net.ts > .next && touch -r net.ts .next && mv .next net.ts",
  "one byte in place, same size and time":
    "touch -r net.ts .time && printf 3 | dd of=net.ts bs=1 seek=13 conv=notrunc 2>/dev/null && touch -r .time net.ts && rm .time",
  "removed and made again":
    "sed 's/2000/3000/' net.ts > .next && rm net.ts && cat .next > net.ts && rm .next",
};

/** @param {string} command @param {string} cwd */
export function runForeign(command, cwd) {
  const run = spawnSync("sh", ["-c", command], { cwd, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`the foreign writer failed: ${run.stderr}`);
}
