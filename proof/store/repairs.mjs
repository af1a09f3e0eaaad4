import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifySession } from "@holdfast/core/conversation";
import { repairSession, replay } from "@holdfast/core/conversation/journal";
import { callsOf, runTraced, striking, wasStruck } from "../faults/trace.mjs";
import { eachOf, freshFolder, remove, spread } from "../rooms.mjs";
import { damagedNodes, layDamaged } from "./damaged-session.mjs";
import { must, storeAt } from "./life.mjs";

/** @typedef {import("../faults/scenarios.mjs").Trial & { readonly before: Buffer }} Laid */

/**
 * A repair is killed at each of its system calls, and each of them fails: the session is then what it was, damaged or
 * mended, what it was before is kept, and the next repair succeeds.
 *
 * @param {string} child @param {{ points: number, print: (line: string) => void }} options `points` a row, at most
 * @returns {Promise<import("../contract.mjs").Row[]>}
 */
export async function sweepRepairs(child, { points, print }) {
  const trial = await lay();
  const calls = await callsOf([child], trial);
  remove(trial.top);
  const rows = [];
  for (const faults of [["signal=KILL"], ["error=EIO", "error=ENOSPC"]]) {
    const strikes = calls.flatMap((at) => faults.map((fault) => ({ at, fault })));
    const bad = { lost: 0, stuck: 0, "not kept": 0, "no answer": 0 };
    let tried = 0;
    await eachOf(spread(strikes, points), async ({ at, fault }) => {
      const laid = await lay();
      try {
        const run = await runTraced(striking(at, fault), [child], laid);
        const isKill = fault.startsWith("signal");
        if (isKill ? run.status === 0 : !wasStruck(run)) return;
        tried += 1;
        const breaches = await judge(laid);
        if (!isKill && !run.stdout.includes('"first"')) breaches.push("no answer");
        for (const breach of breaches) bad[breach] += 1;
        if (breaches.length > 0) print(`${breaches}: repair, ${fault} at ${at.name} ${at.count} (${at.text}`);
      } finally {
        remove(laid.top);
      }
    });
    const what = `a repair: ${faults.length === 1 ? "killed at each" : "EIO, ENOSPC at each"} system call`;
    rows.push({ figure: "F6", what, tried, bad });
  }
  return rows;
}

/** @returns {Promise<Laid>} */
async function lay() {
  const top = freshFolder();
  const [stateDir, warm] = [join(top, "state"), join(top, "warm")];
  for (const folder of [stateDir, warm, join(warm, "state")]) mkdirSync(folder, { mode: 0o700 });
  const request = join(top, "request");
  writeFileSync(request, "repair");
  const before = await layDamaged(stateDir);
  return { top, root: top, stateDir, request, warm, recorded: 0, before };
}

/** @param {Laid} laid @returns {Promise<("lost" | "stuck" | "not kept" | "no answer")[]>} */
async function judge({ stateDir, before }) {
  /** @type {("lost" | "stuck" | "not kept" | "no answer")[]} */
  const found = [];
  const store = storeAt(stateDir);
  const read = must(await store.open("s", "read"));
  const { context } = replay("s", read.records, read.lastSeq);
  if (context.nodes.size !== damagedNodes || context.currentNodeId !== `n${damagedNodes}`) found.push("lost");
  const again = await repairSession(store, "s", { apply: true });
  const verified = await verifySession(store, "s", () => []);
  if (again.kind === "refusal" || verified.kind === "refusal") found.push("stuck");
  else if (verified.problems.length + verified.losses.length > 0 || verified.nodes !== damagedNodes)
    found.push("lost");
  const room = join(stateDir, "conversations");
  const isKept = readdirSync(room).some(
    (name) => name.startsWith("s.damaged-") && readFileSync(join(room, name)).equals(before),
  );
  if (!isKept) found.push("not kept");
  await store.close();
  return found;
}
