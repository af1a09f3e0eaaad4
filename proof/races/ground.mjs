import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { built, cacheFolder, hasProgram } from "../machine.mjs";

/** @typedef {import("@holdfast/core/node").OpenedWorkspace} OpenedWorkspace */

/** A folder with a root and a state folder, gone when the work is done. @template T @param {(base: string, root: string) => Promise<T>} work */
export async function onGround(work) {
  const base = mkdtempSync(join(tmpdir(), "holdfast-proof-"));
  const root = join(base, "root");
  mkdirSync(root);
  try {
    return await work(base, root);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/**
 * @param {string} base
 * @param {{ exchanges?: boolean, limits?: object }} [options] `exchanges: false` is what machines without the extension have
 * @returns {Promise<OpenedWorkspace>}
 */
export async function openAt(base, { exchanges = true, limits = {} } = {}) {
  const { openWorkspace } = await import(built.node);
  const opened = await openWorkspace({
    guards: { wholeReplacement: "hash" },
    roots: [join(base, "root")],
    stateDir: join(base, "state"),
    disk: { exchanges },
    limits,
  });
  if (opened.kind === "refusal") throw new Error(opened.message);
  return opened;
}

/** @param {string | Uint8Array} content */
export function sha(content) {
  return createHash("sha256").update(content).digest("hex");
}

/** The compiled helper, or undefined where there is no C compiler. @returns {string | undefined} */
export function foreignProgram() {
  if (!hasProgram("cc")) return undefined;
  const program = join(cacheFolder("races"), "foreign");
  const source = fileURLToPath(new URL("foreign.c", import.meta.url));
  const run = spawnSync("cc", ["-O2", "-o", program, source], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
  return program;
}

/** A child whose answers are awaited line by line. @param {string} program @param {readonly string[]} args */
export function startLines(program, args) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    /** @returns {Promise<string>} */
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} ended`);
      return value;
    },
    /** @param {string} text */
    say: (text) => void child.stdin.write(`${text}\n`),
    stop: () => void child.kill("SIGKILL"),
  };
}

/** One after the other, each child running: @param {number} count @param {(at: number) => Promise<void>} work */
export async function times(count, work) {
  for (let at = 0; at < count; at++) await work(at);
}
