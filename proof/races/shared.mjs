import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { currentBase } from "@holdfast/core/files/values";
import { onGround, openAt, sha, startLines } from "./ground.mjs";

/** @typedef {import("../contract.mjs").Row} Row */

const script = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** R2: so many calls at once in one process, each changing its own line of one file. @param {number} count @returns {Promise<readonly Row[]>} */
export async function parallelCalls(count) {
  const lines = Array.from({ length: count }, (_, at) => `line ${at} old`);
  const edit = (/** @type {number} */ at) => ({
    oldString: `line ${at} old\n`,
    newString: `line ${at} new\n`,
  });
  const start = `${lines.join("\n")}\n`;
  const kept = (/** @type {string} */ text) => text.split("\n").filter((line) => line.endsWith("new")).length;
  const ours = await onGround(async (base, root) => {
    writeFileSync(join(root, "f"), start);
    const workspace = await openAt(base, { limits: { lockMs: 60_000 } });
    const call = (/** @type {number} */ at) =>
      workspace.applyChanges({
        changes: [{ path: "f", base: currentBase, content: { kind: "edits", edits: [edit(at)] } }],
      });
    const outcomes = await Promise.all(lines.map((_, at) => call(at)));
    await workspace.close();
    const said = outcomes.filter((outcome) => outcome.success).length;
    return { said, kept: kept(readFileSync(join(root, "f"), "utf8")) };
  });
  const naive = await onGround(async (_, root) => {
    const path = join(root, "f");
    writeFileSync(path, start);
    const call = async (/** @type {number} */ at) => {
      const text = await readFile(path, "utf8");
      await writeFile(path, text.replace(edit(at).oldString, edit(at).newString));
    };
    await Promise.all(lines.map((_, at) => call(at)));
    return kept(readFileSync(path, "utf8"));
  });
  const bad = { lost: count - ours.kept, "falsely called done": Math.max(0, ours.said - ours.kept) };
  const what = "parallel calls in one process, each edits its line";
  return [
    {
      figure: "R2",
      what,
      tried: count,
      bad,
      seen: `${ours.kept} kept`,
      baseline: `${naive} of ${count} kept`,
    },
  ];
}

/** R3: processes that count in one file. @param {number} each @returns {Promise<readonly Row[]>} */
export async function processes(each) {
  const run = (/** @type {string} */ how) =>
    onGround(async (base, root) => {
      writeFileSync(join(root, "count"), "0\n");
      const args = [script("counters.mjs"), how, base, String(each)];
      const children = [1, 2, 3, 4].map(() => spawn(process.execPath, args, { stdio: "inherit" }));
      await Promise.all(children.map((child) => once(child, "exit")));
      return Number(readFileSync(join(root, "count"), "utf8"));
    });
  const ours = await run("ours");
  const naive = await run("naive");
  const what = `4 processes × ${each} counted updates of one file`;
  const bad = { missing: Math.max(0, each * 4 - ours), "counted twice": Math.max(0, ours - each * 4) };
  return [
    { figure: "R3", what, tried: each * 4, bad, seen: `exactly ${ours}`, baseline: `renamed: ${naive}` },
  ];
}

/** What a write costs when its file was written so often before. @param {number} count @returns {Promise<readonly Row[]>} */
export function longHistory(count) {
  return onGround(async (base, root) => {
    writeFileSync(join(root, "f"), "0\n");
    const workspace = await openAt(base);
    /** @type {number[]} */
    const times = [];
    let refused = 0;
    for (let at = 1; at <= count; at++) {
      const begun = performance.now();
      const { code } = await workspace.write({ path: "f", content: `${at}\n`, base: sha(`${at - 1}\n`) });
      times.push(performance.now() - begun);
      if (code !== "applied") refused += 1;
    }
    await workspace.close();
    const part = Math.ceil(count / 10);
    const median = (/** @type {readonly number[]} */ some) =>
      some.toSorted((one, other) => one - other)[some.length >> 1]?.toFixed(2);
    const seen = `median of writes ${part + 1} to ${2 * part}: ${median(times.slice(part, 2 * part))} ms, of the last ${part}: ${median(times.slice(-part))} ms`;
    return [
      { figure: "R2", what: "writes on one file, one after the other", tried: count, bad: { refused }, seen },
    ];
  });
}

/** A holder that is stopped keeps its lock, one that is killed loses it at once. @param {number} count @returns {Promise<readonly Row[]>} */
export async function stoppedHolders(count) {
  let written = 0;
  let late = 0;
  for (let at = 0; at < count; at++) {
    await onGround(async (base, root) => {
      writeFileSync(join(root, "f"), "old\n");
      const holder = startLines(process.execPath, [script("stopped.mjs"), base]);
      if ((await holder.line()) !== "lock") throw new Error("the lock was not taken");
      const workspace = await openAt(base, { limits: { lockMs: 300 } });
      const write = () => workspace.write({ path: "f", content: "new\n", base: sha("old\n") });
      const while_ = await write();
      if (while_.code !== "busy" || readFileSync(join(root, "f"), "utf8") !== "old\n") written += 1;
      if (at % 2 === 0) holder.stop();
      else holder.child.kill("SIGCONT");
      if (at % 2 === 1 && (await holder.line()) !== "held") written += 1;
      await once(holder.child, "exit");
      if ((await write()).code !== "applied") late += 1;
      await workspace.close();
    });
  }
  const what = "a lock holder stopped by SIGSTOP, then let go on or killed";
  return [{ figure: "R3", what, tried: count, bad: { "written over": written, "never free again": late } }];
}
