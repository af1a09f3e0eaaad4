import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onGround, openAt, sha, startLines } from "./ground.mjs";

/** @typedef {import("../contract.mjs").Row} Row */

const size = 4_096;
const version = (/** @type {number} */ at) => String.fromCharCode(97 + (at % 26)).repeat(size);

/**
 * R5: two processes read a file without a pause while it is written over and over.
 *
 * @param {string} program
 * @param {{ reads: number, commits: number }} counts
 * @returns {Promise<readonly Row[]>}
 */
export async function readersDuringCommits(program, { reads, commits }) {
  const ours = [];
  for (const exchanges of [true, false]) {
    ours.push(
      await onGround(async (base, root) => {
        const workspace = await openAt(base, { exchanges });
        const seen = await readWhile(program, join(root, "f"), { reads, commits }, async (at) => {
          const { code } = await workspace.write({
            path: "f",
            content: version(at),
            base: sha(version(at - 1)),
          });
          if (code !== "applied") throw new Error(code);
        });
        await workspace.close();
        return { ...seen, way: exchanges ? "exchange" : "rename alone" };
      }),
    );
  }
  const naive = await onGround((_, root) => {
    const path = join(root, "f");
    const few = { reads: Math.round(reads / 10), commits: Math.round(commits / 10) };
    return readWhile(program, path, few, async (at) => writeFileSync(path, version(at)));
  });
  return ours.map((seen) => ({
    figure: "R5",
    what: `${seen.way}: reads during ${seen.commits} commits`,
    tried: seen.reads,
    bad: { missing: seen.missing, torn: seen.torn },
    baseline: `in place: ${naive.torn} of ${naive.reads} torn`,
  }));
}

/**
 * @param {string} program
 * @param {string} path
 * @param {{ reads: number, commits: number }} counts
 * @param {(at: number) => Promise<void>} write
 */
async function readWhile(program, path, { reads, commits }, write) {
  writeFileSync(path, version(0));
  const readers = [1, 2].map(() =>
    startLines(program, ["read", path, String(size), String(Math.round(reads / 2))]),
  );
  for (const reader of readers) await reader.line();
  let running = readers.length;
  const totals = { reads: 0, missing: 0, torn: 0 };
  const ends = readers.map(async (reader) => {
    const [count = 0, missing = 0, torn = 0] = (await reader.line()).split(" ").map(Number);
    totals.reads += count;
    totals.missing += missing;
    totals.torn += torn;
    running -= 1;
  });
  let at = 0;
  while (running > 0 || at < commits) {
    at += 1;
    await write(at);
    // The readers' last words come by the loop, which a write in place never lets turn.
    if (at % 16 === 0) await new Promise((go) => setImmediate(go));
  }
  await Promise.all(ends);
  return { ...totals, commits: at };
}
