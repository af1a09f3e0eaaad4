import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { linkSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../rooms.mjs";
import { onGround, startLines } from "./ground.mjs";

/** @typedef {import("../contract.mjs").Row} Row */

const fixtures = new URL("../../packages/core/test/node/fixtures/", import.meta.url);
const fixture = (/** @type {string} */ name) => fileURLToPath(new URL(name, fixtures));
/** Also the parts that the package does not export. */
const roomOfTests = () => bundle("../packages/core/test/node/fixtures/room.ts");

/** R8: three processes write in place under three names of one inode. @param {number} each @returns {Promise<readonly Row[]>} */
export async function namesOfOneFile(each) {
  return onGround(async (base, root) => {
    const room = roomOfTests();
    const names = ["f", "g", "h"];
    writeFileSync(join(root, "f"), "");
    for (const name of names.slice(1)) linkSync(join(root, "f"), join(root, name));
    const writers = names.map((name) => {
      const args = [fixture("two-names.mjs"), room, root, join(base, "state"), name, String(each)];
      return spawn(process.execPath, args, { stdio: "inherit" });
    });
    await Promise.all(writers.map((writer) => once(writer, "close")));
    const lines = readFileSync(join(root, "f"), "utf8").split("\n").slice(0, -1);
    const wanted = names.flatMap((name) => Array.from({ length: each }, (_, at) => `${name} ${at}`));
    const there = new Set(lines);
    return [
      {
        figure: "R8",
        what: "3 processes append in place, each under another name of one inode",
        tried: wanted.length,
        bad: {
          lost: wanted.filter((line) => !there.has(line)).length,
          "too many": Math.max(0, lines.length - wanted.length),
        },
        seen: `${lines.length} lines of ${wanted.length}`,
      },
    ];
  });
}

/**
 * R8: a lock is held by a living process; who asks for it has no descriptor left to find out with.
 *
 * @param {number} count @returns {Promise<readonly Row[]>}
 */
export async function locksWithoutDescriptors(count) {
  return onGround(async (base) => {
    const [room, state] = [roomOfTests(), join(base, "state")];
    const holder = startLines(process.execPath, [fixture("hold.mjs"), room, state, "/some/file"]);
    await holder.line();
    let taken = 0;
    for (let at = 0; at < count; at++) {
      const before = at % 2 === 0 ? "" : "/another/file";
      // So many that Node starts, and few enough that the rest is soon used up.
      const command = [process.execPath, fixture("few-descriptors.mjs"), room, state, "/some/file", before];
      const script = `ulimit -n ${48 + (at % 32)} && exec "$@"`;
      const { stdout } = spawnSync("bash", ["-c", script, "bash", ...command], { encoding: "utf8" });
      if (stdout !== "busy\n") taken += 1;
    }
    holder.stop();
    const what = "a held lock is asked for by a process that has no descriptor left";
    return [{ figure: "R8", what, tried: count, bad: { "not found busy": taken } }];
  });
}
