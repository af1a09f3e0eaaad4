import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { lacking, smallDisk } from "../disks/images.mjs";
import { lengthOf, lifeUpTo, must, nth, storeAt } from "./life.mjs";

/** @type {readonly (readonly ["tmpfs" | "ext4", number])[]} */
const disks = [
  ["tmpfs", 2_048],
  ["tmpfs", 4_096],
  ["ext4", 4_096],
  ["ext4", 16_384],
];

/**
 * A disk of a few megabytes becomes full in the middle of a turn, and has room again for the next one.
 *
 * @param {{ quick: boolean }} options @returns {Promise<import("../contract.mjs").Row[]>}
 */
export async function fillStores({ quick }) {
  const rows = [];
  for (const [kind, sizeKiB] of quick ? disks.slice(0, 1) : disks) {
    const what = `${kind} of ${sizeKiB} KiB: full in the middle of a turn, with room again for the next`;
    const notHad = lacking(kind === "ext4" ? ["mkfs.ext4"] : []);
    if (notHad !== undefined) rows.push({ figure: "F6", what, tried: 0, bad: {}, notHad });
    else rows.push(await fillStore(kind, sizeKiB, what));
  }
  return rows;
}

/** @param {"tmpfs" | "ext4"} kind @param {number} sizeKiB @param {string} what @returns {Promise<import("../contract.mjs").Row>} */
async function fillStore(kind, sizeKiB, what) {
  const disk = smallDisk(kind, sizeKiB);
  const bad = { lost: 0, phantom: 0, "false success": 0, stuck: 0 };
  let [tried, refused] = [0, 0];
  try {
    const store = storeAt(join(disk.path, "state"));
    const filler = join(disk.path, "filler");
    for (let session = 0; session < 4; session++) {
      const id = `s${session}`;
      let length = 2;
      const opened = must(await store.create(id, lifeUpTo(id, length)));
      for (let turn = 0; turn < 25; turn++) {
        // Room for nothing, for a part, for all but a little, for all of the turn.
        fill(filler, [0, 4_096, 12_288, 20_480, 200_000][turn % 5] ?? 0);
        for (let at = 1; at <= 3; at++) opened.append(nth(id, length + at));
        if (turn % 2 === 1) await new Promise((resolve) => setTimeout(resolve, 2));
        const answer = await opened.flush();
        const there = lengthOf(must(await store.open(id, "read")));
        tried += 1;
        if (answer.kind === "refusal") refused += 1;
        const now = answer.kind === "refusal" ? length : length + 3;
        if (there < now) bad[answer.kind === "refusal" ? "lost" : "false success"] += 1;
        if (there > now) bad.phantom += 1;
        length = now;
        rmSync(filler);
        opened.append(nth(id, length + 1));
        if ((await opened.flush()).kind === "refusal") bad.stuck += 1;
        else length += 1;
      }
      await opened.close();
      await store.remove(id);
    }
    await store.close();
  } finally {
    disk.unmount();
  }
  return { figure: "F6", what, tried, bad, seen: `${tried - refused} acknowledged, ${refused} refused` };
}

/** Writes until nothing fits, then gives so much back. @param {string} filler @param {number} free */
function fill(filler, free) {
  const fd = openSync(filler, "w");
  const block = Buffer.alloc(4_096, "x");
  let size = 0;
  try {
    for (;;) size += writeSync(fd, block);
  } catch {
    // Full, as it was meant to be.
  }
  ftruncateSync(fd, Math.max(0, size - free));
  fsyncSync(fd);
  closeSync(fd);
}
