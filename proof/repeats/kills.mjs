import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha } from "../races/ground.mjs";
import { freshFolder, remove } from "../rooms.mjs";

/** @typedef {{ number: number, base: string }} Call */

/** So many kills one file takes, so that it stays short. */
const killsPerFile = 50;

/**
 * A process that appends with the hash of what it appends to is killed at any moment; the next one begins with the
 * call that was not answered. Every line must then stand in the file once.
 *
 * @param {string} child
 * @param {{ kills: number, print: (line: string) => void }} options
 * @returns {Promise<import("../contract.mjs").Row>}
 */
export async function repeatsAfterKills(child, { kills, print }) {
  const seen = { lines: 0, again: 0, lost: 0, twice: 0, refused: 0 };
  for (let done = 0; done < kills; done += killsPerFile) {
    const top = freshFolder();
    try {
      await killInOneFile(child, top, Math.min(killsPerFile, kills - done), seen);
    } finally {
      remove(top);
    }
    print(`${Math.min(kills, done + killsPerFile)} kills: ${JSON.stringify(seen)}`);
  }
  return {
    figure: "R6",
    what: "a process that appends with its base is killed at random; the next one sends the unanswered call again",
    tried: kills,
    bad: { "lines lost": seen.lost, "lines twice": seen.twice, "repeats refused": seen.refused },
    seen: `${seen.lines} lines; ${seen.again} repeats were \`already_applied\``,
  };
}

/**
 * @param {string} child @param {string} top @param {number} kills
 * @param {{ lines: number, again: number, lost: number, twice: number, refused: number }} seen
 */
async function killInOneFile(child, top, kills, seen) {
  const root = join(top, "root");
  mkdirSync(root);
  writeFileSync(join(root, "log"), "");
  /** @type {Call} */
  let next = { number: 0, base: sha("") };
  for (let kill = 0; kill < kills; kill++) {
    const told = await runAndKill([child, root, join(top, "state"), String(next.number), next.base]);
    if (told.first === "already_applied") seen.again += 1;
    if (told.refused) seen.refused += 1;
    next = told.next ?? next;
  }
  const told = await runAndKill([child, root, join(top, "state"), String(next.number), next.base], 1);
  const lines = readFileSync(join(root, "log"), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const last = told.next?.number ?? next.number;
  seen.lines += lines.length;
  seen.twice += lines.length - new Set(lines).size;
  // What was asked last may stand or not; all before it was answered.
  for (let number = 0; number < last; number++) if (!lines.includes(`line ${number}`)) seen.lost += 1;
}

/**
 * @param {readonly string[]} args
 * @param {number} [answers] so many before the kill; at a random moment after the first question unless given
 * @returns {Promise<{ first: string | undefined, refused: boolean, next: Call | undefined }>}
 */
async function runAndKill(args, answers) {
  const process_ = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  // Half of the kills fall on the call that is sent again, the others on what follows it.
  const isEarly = answers === undefined && Math.random() < 0.5;
  const closed = new Promise((resolve) => process_.on("close", resolve));
  const begun = new Promise((resolve) => {
    process_.stdout.setEncoding("utf8").on("data", (chunk) => {
      printed += chunk;
      const enough = isEarly ? /asked/ : /answered/;
      if (enough.test(printed)) resolve(undefined);
    });
  });
  await Promise.race([begun, closed]);
  if (answers === undefined) await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
  process_.kill("SIGKILL");
  await closed;
  // What was said and not taken yet was never delivered: a line that is cut off says nothing.
  const lines = printed.split("\n").slice(0, -1);
  const asked = lines.findLast((line) => line.startsWith("asked"))?.split(" ");
  const codes = lines.filter((line) => line.startsWith("answered")).map((line) => line.split(" ")[2]);
  const good = ["applied", "already_applied"];
  return {
    first: codes[0],
    refused: codes.some((code) => !good.includes(code ?? "")),
    next: asked === undefined ? undefined : { number: Number(asked[1]), base: asked[2] ?? "" },
  };
}
