import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatMs, median, tableOf } from "../patch/table.mjs";
import { commandOf, costOf, peerVersion } from "./servers.mjs";

/**
 * From spawn to the first answer of a tool, over the bare pipe: the opening of the protocol and one read are
 * sent at once. The servers in turn.
 *
 * @param {{ short: boolean }} options
 */
export async function measureColdStart({ short }) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const both = /** @type {const} */ (["holdfast", "server-filesystem"]);
    const names = both.filter((name) => name === "holdfast" || peerVersion !== undefined);
    const runs = names.map((name, at) => ({
      name,
      place: join(folder, `w${at}`),
      /** @type {Start[]} */
      starts: [],
    }));
    for (const { place } of runs) {
      mkdirSync(place);
      writeFileSync(join(place, "file.ts"), "const a = 1;\n");
    }
    for (let round = 0; round < (short ? 1 : 15); round++) {
      for (const run of runs) run.starts.push(await startOnce(run.name, run.place));
    }
    const rows = runs.map(({ name, starts }) => [
      name,
      formatMs(median(starts.map(({ ms }) => ms))),
      formatMs(median(starts.map(({ cpuMs }) => cpuMs))),
      median(starts.map(({ rssMiB }) => rssMiB)).toFixed(0),
    ]);
    const head = ["server", "spawn to the first answer", "CPU", "RSS MiB"];
    return ["## Cold start\n", "Medians.\n", tableOf(head, rows)].join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @typedef {{ readonly ms: number, readonly cpuMs: number, readonly rssMiB: number }} Start */

/** @param {"holdfast" | "server-filesystem"} name @param {string} place @returns {Promise<Start>} */
function startOnce(name, place) {
  const { args } = commandOf(name, place);
  const begun = performance.now();
  const child = spawn(process.execPath, args, { cwd: place, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.write(opening(name, place));
  return new Promise((resolve, reject) => {
    let heard = "";
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`${name} ended before it answered: ${heard}`)));
    child.stdout.on("data", (part) => {
      heard += part;
      if (!heard.includes('"id":2') || !heard.endsWith("\n")) return;
      const { cpuMs, rssMiB } = costOf(child.pid ?? 0);
      child.removeAllListeners("exit");
      child.on("exit", () => resolve({ ms, cpuMs, rssMiB }));
      const ms = performance.now() - begun;
      child.stdin.end();
      child.kill();
    });
  });
}

/** @param {"holdfast" | "server-filesystem"} name @param {string} place */
function opening(name, place) {
  const call =
    name === "holdfast"
      ? { name: "read_file", arguments: { file_path: "file.ts" } }
      : { name: "read_text_file", arguments: { path: join(place, "file.ts") } };
  const clientInfo = { name: "bench", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: call },
  ];
  return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
}
