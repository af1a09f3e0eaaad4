import { lutimesSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { treeOf } from "../rooms.mjs";
import { startAgain } from "../writers/next-start.mjs";
import { Witness } from "../writers/witness.mjs";
import { lacking, makeExt4, mount, must, snapshotPool } from "./images.mjs";

/**
 * @typedef {import("../contract.mjs").Row} Row
 * @typedef {import("../writers/next-start.mjs").Breach} Breach
 * @typedef {{ cuts: number, acks: number, stages: number, unrecorded: number, bad: Record<Breach, number> }} Total
 * @typedef {{ cuts: number, lost: number, torn: number }} Plain
 */

const what =
  "the power is cut while files are replaced, created, changed together and undone; then the next start";
const baseline = "temporary file, fsync, rename, no fsync of the folder, in the same run";

/**
 * F5: an ext4 on an image that is copied at an instant: what had not been flushed is not in the copy.
 *
 * @param {{ writer: string, plainWriter: string }} children
 * @param {{ cuts: number, print: (line: string) => void }} options
 * @returns {Promise<Row[]>}
 */
export async function cutPower(children, { cuts, print }) {
  const notHad = lacking(["mkfs.btrfs", "mkfs.ext4"]);
  if (notHad !== undefined) return [{ figure: "F5", what, tried: 0, bad: {}, notHad }];
  /** @type {Total} */
  const total = {
    cuts: 0,
    acks: 0,
    stages: 0,
    unrecorded: 0,
    bad: { lost: 0, torn: 0, "half sets": 0, strays: 0 },
  };
  /** @type {Plain} */
  const plain = { cuts: 0, lost: 0, torn: 0 };
  while (total.cuts < cuts) {
    // A fresh disk now and then, so that none fills up and the start of a disk's life is met, too.
    await withPool(async (pool) => {
      await cutOurs(pool, children.writer, Math.min(cutsPerDisk, cuts - total.cuts), total);
      const wanted = Math.max(1, Math.round(total.cuts * plainShare) - plain.cuts);
      await cutPlain(pool, children.plainWriter, wanted, plain);
    });
    print(`${total.cuts} cuts: ${JSON.stringify(total)}; plain: ${JSON.stringify(plain)}`);
  }
  return [
    {
      figure: "F5",
      what,
      tried: total.cuts,
      bad: total.bad,
      seen: `${total.acks} writes acknowledged; ${total.stages} stage files found and removed; the newest write missing from the undo history in ${total.unrecorded}`,
      baseline: `${plain.lost} of ${plain.cuts} lost the newest write, ${plain.torn} torn (${baseline})`,
    },
  ];
}

export const cutsPerDisk = 20;
/** How many cuts of the baseline for each of ours: one is like the other. */
const plainShare = 0.15;

/** @param {(pool: string) => Promise<void>} work */
export async function withPool(work) {
  const pool = snapshotPool(1024);
  try {
    await work(pool.path);
  } finally {
    pool.unmount();
  }
}

/** @param {string} pool @param {string} writer @param {number} cuts @param {Total} total */
async function cutOurs(pool, writer, cuts, total) {
  const disk = { image: join(pool, "image"), at: join(pool, "mounted") };
  const pause = total.cuts % (2 * cutsPerDisk) < cutsPerDisk ? "60" : "4";
  const command = [writer, join(disk.at, "root"), join(disk.at, "state"), pause, "replace,create,set,undo"];
  await withWriter(disk, 256, command, async (witness) => {
    for (let cut = 0; cut < cuts; cut++) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
      await withCopy(disk, witness, async (judge) => {
        passTime(join(disk.at, "state"));
        const found = await startAgain(disk.at, judge);
        total.cuts += 1;
        for (const name of found.bad) total.bad[name] += 1;
        total.stages += found.stages;
        total.unrecorded += found.unrecorded ? 1 : 0;
      });
    }
    total.acks += witness.acks;
  });
}

/** @param {string} pool @param {string} writer @param {number} cuts @param {Plain} plain */
async function cutPlain(pool, writer, cuts, plain) {
  const disk = { image: join(pool, "plain-image"), at: join(pool, "plain-mounted") };
  await withWriter(disk, 64, [writer, join(disk.at, "root"), "60", "safe"], async (witness) => {
    for (let cut = 0; cut < cuts; cut++) {
      await witness.until(1);
      await withCopy(disk, witness, async (judge) => {
        const { lost, torn } = judge(treeOf(join(disk.at, "root")));
        plain.cuts += 1;
        plain.lost += Math.min(lost, 1);
        plain.torn += torn;
      });
    }
  });
}

/** @typedef {{ readonly image: string, readonly at: string }} Disk */

/** @param {Disk} disk @param {number} sizeMiB @param {readonly string[]} command @param {(witness: Witness) => Promise<void>} work */
export async function withWriter(disk, sizeMiB, command, work) {
  makeExt4(disk.image, sizeMiB * 1024);
  mkdirSync(disk.at, { recursive: true });
  const witness = new Witness(command, disk);
  try {
    await witness.until(4);
    await work(witness);
  } finally {
    await witness.kill();
  }
}

/** Copies the disk at this instant and puts the copy where the writer sees its own. @param {Disk} disk @param {Witness} witness @param {(judge: ReturnType<Witness["mark"]>) => Promise<void>} work */
export async function withCopy({ image, at }, witness, work) {
  const judge = witness.mark();
  must("cp", "--reflink=always", image, `${image}-copy`);
  // What was begun before the copy was made is told by now.
  await new Promise((resolve) => setTimeout(resolve, 30));
  const copy = mount(at, "-o", "loop", `${image}-copy`);
  try {
    await work(judge);
  } finally {
    copy.unmount();
    rmSync(`${image}-copy`);
  }
}

/** The machine was off for two minutes: the locks of before are silent for so long. @param {string} stateDir */
export function passTime(stateDir) {
  const locks = join(stateDir, "locks");
  mkdirSync(locks, { recursive: true });
  const then = Date.now() / 1_000 - 120;
  for (const name of readdirSync(locks)) lutimesSync(join(locks, name), then, then);
}
