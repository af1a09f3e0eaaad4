// One of several processes that count in one file: `node counters.mjs HOW BASE COUNT`. HOW is `ours`, or `naive`.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAt, sha } from "./ground.mjs";

const [, , how, base = "", count = "0"] = process.argv;
const path = join(base, "root", "count");

/** @param {import("./ground.mjs").OpenedWorkspace} workspace */
async function countOne(workspace) {
  for (;;) {
    const text = readFileSync(path, "utf8");
    const outcome = await workspace.write({
      path: "count",
      content: `${Number(text) + 1}\n`,
      base: sha(text),
    });
    // `already_applied` is another process that counted to the same number.
    if (outcome.code === "applied") return;
    if (outcome.success) continue;
    if (outcome.code !== "state_mismatch" && outcome.code !== "unknown_base")
      throw new Error(outcome.message);
  }
}

function countNaively() {
  const next = Number(readFileSync(path, "utf8")) + 1;
  writeFileSync(`${path}.${process.pid}`, `${next}\n`, { flush: true });
  renameSync(`${path}.${process.pid}`, path);
}

if (how === "naive") for (let at = 0; at < Number(count); at++) countNaively();
else {
  const workspace = await openAt(base);
  for (let at = 0; at < Number(count); at++) await countOne(workspace);
  await workspace.close();
}
