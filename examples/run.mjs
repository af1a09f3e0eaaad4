/**
 * Runs examples as a newcomer would: installs what the lockfile says, checks the types against the real
 * framework, runs it, and its tests where it has any. Fails where one fails. An example that needs a newer
 * Node than this one is left out, and named.
 *
 *     npm run examples [-- all | newer | NAME…]
 *
 * `newer` are those that the oldest Node we support leaves out.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const oldest = [20, 19];
const running = process.versions.node.split(".").map(Number);

const all = readdirSync(here).filter((name) => existsSync(join(here, name, "package.json")));
const given = process.argv.slice(2);
const named = given.filter((name) => name !== "all" && name !== "newer");
const unknown = named.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no example ${unknown.join(", ")}; there are ${all.join(", ")}.`);
  process.exit(2);
}

const failed = [];
const leftOut = [];
const times = [];
for (const name of chosen()) {
  if (!runsOn(running, name)) {
    leftOut.push(`${name} (Node ${neededBy(name).join(".")})`);
    continue;
  }
  const began = Date.now();
  if (!passes(name)) failed.push(name);
  times.push(`${name} ${secondsSince(began)}`);
}
const lacking = leftOut.length > 0 ? `; left out for want of a newer Node: ${leftOut.join(", ")}` : "";
console.log(`\n## ${times.join(", ")}${lacking}`);
if (failed.length > 0) console.error(`\nFailed: ${failed.join(", ")}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** @returns {readonly string[]} */
function chosen() {
  if (named.length > 0) return named;
  return given.includes("newer") ? all.filter((name) => !runsOn(oldest, name)) : all;
}

/** @param {string} name */
function passes(name) {
  const { scripts } = manifestOf(name);
  const steps = [["ci"], ["run", "types"], ["start"], ...(scripts.test === undefined ? [] : [["test"]])];
  return steps.every((step) => {
    const began = Date.now();
    console.log(`\n-- ${name}: npm ${step.join(" ")}`);
    const { status } = spawnSync("npm", [...step, "--silent"], { cwd: join(here, name), stdio: "inherit" });
    console.log(`   ${secondsSince(began)}`);
    return status === 0;
  });
}

/**
 * @param {readonly number[]} node
 * @param {string} name
 */
function runsOn([major = 0, minor = 0], name) {
  const [neededMajor = 0, neededMinor = 0] = neededBy(name);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

/**
 * The oldest Node of an example: `engines` of its package.json, which is `>=MAJOR.MINOR`.
 *
 * @param {string} name
 */
function neededBy(name) {
  const { engines } = manifestOf(name);
  return engines === undefined ? oldest : engines.node.replace(">=", "").split(".").map(Number);
}

/**
 * @param {string} name
 * @returns {{ scripts: Record<string, string>, engines?: { node: string } }}
 */
function manifestOf(name) {
  return JSON.parse(readFileSync(join(here, name, "package.json"), "utf8"));
}

/** @param {number} began in milliseconds */
function secondsSince(began) {
  return `${((Date.now() - began) / 1000).toFixed(1)} s`;
}
