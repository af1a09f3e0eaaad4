import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../packages/cli/bin/holdfast.js", import.meta.url));
/** How long a program may take, and how long after SIGTERM: far above both, so that only what hangs is counted. */
const [waitMs, endMs] = [60_000, 20_000];

/** @typedef {{ folder: string, home: string, env: NodeJS.ProcessEnv, put(name: string, text: string): string }} Ground */

/**
 * A project of a stranger, and a home in which nothing is trusted. @template Result
 * @param {(ground: Ground) => Promise<Result>} work @returns {Promise<Result>}
 */
export async function onGround(work) {
  const top = mkdtempSync(join(tmpdir(), "holdfast-walls-"));
  const [folder, home] = [join(top, "project"), join(top, "home")];
  for (const place of [folder, home]) mkdirSync(place);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    HOLDFAST_HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    HOLDFAST_SANDBOX: "off",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  /** @param {string} name @param {string} text */
  const put = (name, text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  try {
    return await work({ folder, home, env, put });
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/**
 * Runs the program there; its input stays open, as a host's does. @param {Ground} ground @param {readonly string[]} args
 * @param {{ until?: string, input?: string }} [more] what it is to say before it is ended by SIGTERM, and what it is told
 */
export async function ranIn({ folder, env }, args, { until, input = "" } = {}) {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env });
  let said = "";
  /** @type {() => void} */
  let heard = () => {};
  const isHeard = new Promise((done) => {
    heard = () => done(true);
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      said += data;
      if (until !== undefined && said.includes(until)) heard();
    });
  child.stdin.on("error", () => {});
  child.stdin.write(input);
  const gone = new Promise((done) => child.once("close", () => done(true)));
  const within = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms, false).unref());
  const isDone = await Promise.race([gone, isHeard, within(waitMs)]);
  const asked = performance.now();
  child.kill("SIGTERM");
  const isEnded = await Promise.race([gone, within(endMs)]);
  const endedMs = performance.now() - asked;
  child.kill("SIGKILL");
  await gone;
  return { code: child.exitCode, said, isFrozen: isDone !== true, isUnended: isEnded !== true, endedMs };
}
