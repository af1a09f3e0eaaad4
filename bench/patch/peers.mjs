import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { codexBinary } from "./machine.mjs";
import { toEnvelope } from "./to-envelope.mjs";

/**
 * Everybody else who applies diffs, each behind one question: what becomes of this text? `none` where the
 * case cannot be put to this peer.
 *
 * @typedef {{ readonly kind: "text", readonly text: string } | { readonly kind: "refused" }
 *   | { readonly kind: "none" }} Answer
 * @typedef {{ readonly name: string, readonly isProcess: boolean,
 *   apply(made: import("../generator/contract.mjs").Case): Promise<Answer> }} Peer
 */

/** @returns {{ readonly list: readonly Peer[], close(): void }} */
export function openPeers() {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const jsdiff = openJsdiff();
  /** @type {Peer[]} */
  const list = [];
  if (jsdiff !== undefined) {
    for (const fuzz of [0, 1, 2, 3]) {
      list.push({ name: `jsdiff f${fuzz}`, isProcess: false, apply: (made) => jsdiff.apply(made, fuzz) });
    }
  }
  if (has("patch")) list.push(inFolder("patch", folder, patchCommand));
  if (has("git")) {
    list.push(inFolder("git", folder, gitCommand([])));
    list.push(inFolder("git rc", folder, gitCommand(["--recount"])));
    list.push(inFolder("git rc C1", folder, gitCommand(["--recount", "-C1"])));
  }
  const codex = codexBinary();
  if (codex !== undefined) list.push(inFolder("codex", folder, codexCommand(codex, folder)));
  return {
    list,
    close: () => {
      jsdiff?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * @typedef {{ readonly program: string, readonly args: readonly string[], readonly input: string }} Command
 * @param {string} name @param {string} folder
 * @param {(made: import("../generator/contract.mjs").Case, path: string) => Command | undefined} build
 * @returns {Peer}
 */
function inFolder(name, folder, build) {
  return {
    name,
    isProcess: true,
    apply: async (made) => {
      const path = /^\+\+\+ b\/([\w./-]+)/m.exec(made.diff)?.[1] ?? "src/file.txt";
      const command = build(made, path);
      if (command === undefined) return { kind: "none" };
      const place = mkdtempSync(join(folder, "case-"));
      try {
        const file = join(place, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, made.base);
        const status = await runIn(place, command);
        // Whoever reports a failure is taken at its word: the caller puts the old bytes back.
        return status === 0 ? { kind: "text", text: readFileSync(file, "utf8") } : { kind: "refused" };
      } catch {
        return { kind: "refused" };
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    },
  };
}

/** The file is named, so that a wrong path in the header does not count against it. `--forward`: it shall not turn a patch round. @type {Parameters<typeof inFolder>[2]} */
function patchCommand({ diff }, path) {
  const args = ["--batch", "--forward", "--silent", "--no-backup-if-mismatch", "--reject-file=-", path];
  return { program: "patch", args, input: diff };
}

/** @param {readonly string[]} flags @returns {Parameters<typeof inFolder>[2]} */
function gitCommand(flags) {
  return ({ diff }) => ({
    program: "git",
    args: ["apply", "--whitespace=nowarn", ...flags, "-"],
    input: diff,
  });
}

/** @param {string} script @param {string} folder @returns {Parameters<typeof inFolder>[2]} */
function codexCommand(script, folder) {
  mkdirSync(join(folder, "codex-home"), { recursive: true });
  return (made, path) => {
    const envelope = toEnvelope(made, path);
    if (envelope === undefined) return undefined;
    return { program: process.execPath, args: [script, "--codex-run-as-apply-patch", envelope], input: "" };
  };
}

/** @param {string} cwd @param {Command} command @returns {Promise<number | null>} */
function runIn(cwd, { program, args, input }) {
  return new Promise((resolve) => {
    const env = {
      ...process.env,
      GIT_CEILING_DIRECTORIES: dirname(cwd),
      CODEX_HOME: join(dirname(cwd), "codex-home"),
      LC_ALL: "C.UTF-8",
    };
    const child = spawn(program, args, { cwd, env, stdio: ["pipe", "ignore", "ignore"], timeout: 20_000 });
    child.on("error", () => resolve(1));
    child.on("close", resolve);
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/** jsdiff in a thread of its own, so that a case on which it hangs can be ended. */
function openJsdiff() {
  const start = () => new Worker(new URL("jsdiff-worker.mjs", import.meta.url));
  let worker = start();
  /** @param {import("../generator/contract.mjs").Case} made @param {number} fuzz @returns {Promise<Answer>} */
  const apply = ({ base, diff }, fuzz) =>
    new Promise((resolve) => {
      const late = setTimeout(() => {
        worker.removeAllListeners();
        void worker.terminate();
        worker = start();
        resolve({ kind: "refused" });
      }, 10_000);
      worker.once("message", (text) => {
        clearTimeout(late);
        resolve(text === false ? { kind: "refused" } : { kind: "text", text });
      });
      worker.postMessage({ base, diff, fuzz });
    });
  return { apply, close: () => void worker.terminate() };
}

/** @param {string} program */
function has(program) {
  return spawnSync(program, ["--version"]).status === 0;
}
