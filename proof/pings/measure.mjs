import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { built } from "../machine.mjs";
import { freshFolder, makeFolder, remove } from "../rooms.mjs";

/**
 * A call that takes long, and the folder that it works on. `hashed`: it names the state of `f.md`. `first`: a call that
 * is made before, and not measured.
 *
 * @typedef {{ readonly what: string, readonly tool: string, readonly args: object,
 *   readonly hashed?: true, readonly first?: { readonly tool: string, readonly args: object },
 *   prepare(root: string): void }} Heavy
 */

/**
 * Sends pings one after the other, from before the heavy call until its answer.
 *
 * @param {Heavy} heavy
 * @returns {Promise<import("../contract.mjs").Row>}
 */
export async function measure(heavy) {
  const top = freshFolder();
  const root = makeFolder(`${top}/root`);
  heavy.prepare(root);
  const server = startServer(root, `${top}/state`);
  try {
    await server.ask("initialize", hello);
    server.send({ method: "notifications/initialized" });
    // The parts that are loaded on their first use, so that not they are measured.
    await server.ask("tools/call", { name: heavy.tool, arguments: { ...heavy.args, ...elsewhere } });
    const { first } = heavy;
    if (first !== undefined) await server.ask("tools/call", { name: first.tool, arguments: first.args });
    const base = heavy.hashed ? { base_content_sha256: sha256(readFileSync(`${root}/f.md`)) } : {};
    return await pingDuring(server, { ...heavy, args: { ...heavy.args, ...base } });
  } finally {
    server.stop();
    remove(top);
  }
}

const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "proof", version: "1" },
};
const elsewhere = { path: "none", file_path: "none", paths: ["none"] };

/** @param {ReturnType<typeof startServer>} server @param {Heavy} heavy @returns {Promise<import("../contract.mjs").Row>} */
async function pingDuring(server, { what, tool, args }) {
  /** @type {number[]} */
  const waits = [];
  let code = "";
  const begun = performance.now();
  const work = server.ask("tools/call", { name: tool, arguments: args }).then((text) => {
    code = codeOf(text);
  });
  let [workMs, done] = [0, false];
  void work.then(() => {
    [workMs, done] = [performance.now() - begun, true];
  });
  do {
    const sent = performance.now();
    await server.ask("ping");
    waits.push(performance.now() - sent);
    if (!done) await pause(2);
  } while (!done);
  waits.sort((one, other) => one - other);
  const longest = waits.at(-1) ?? 0;
  const p99 = waits[Math.floor((waits.length - 1) * 0.99)] ?? 0;
  const seen = `${code} after ${(workMs / 1_000).toFixed(1)} s; longest ping ${longest.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; ${server.peakMegabytes()} MB`;
  return { figure: "L1", what, tried: waits.length, bad: { "no answer": code === "" ? 1 : 0 }, seen };
}

/** @param {Uint8Array} bytes */
function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What the answer says came of it; empty where the call was not even understood. @param {string} answer */
function codeOf(answer) {
  if ("error" in JSON.parse(answer)) return "";
  return /(?:OK|FAILED) \((\w+)\)/.exec(answer)?.[1] ?? (/more|cut|time/.test(answer) ? "cut" : "ok");
}

/** @param {string} root @param {string} stateDir */
function startServer(root, stateDir) {
  const args = [built.cli, "mcp", "--tools", "all", "--root", root, "--state-dir", stateDir];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  /** @type {Map<number, (text: string) => void>} */
  const waiting = new Map();
  let last = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    /** @type {{ readonly id?: number }} */
    const { id } = JSON.parse(line);
    if (id !== undefined) waiting.get(id)?.(line);
  });
  const send = (/** @type {object} */ message) =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    send,
    /** @param {string} method @param {object} [params] @returns {Promise<string>} */
    ask(method, params) {
      const id = ++last;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        send({ id, method, ...(params === undefined ? {} : { params }) });
      });
    },
    peakMegabytes: () => peakMegabytes(child.pid),
    stop: () => void child.kill("SIGKILL"),
  };
}

/** The most memory that a process ever had, where the system tells. @param {number | undefined} pid */
function peakMegabytes(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
  } catch {
    return "?";
  }
}
