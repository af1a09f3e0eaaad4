/**
 * Runs every example as a newcomer would: installs what its lockfile says, checks its types against the
 * real framework, runs it, and its tests where it has any. Fails where one fails.
 *
 *     npm run examples [-- NAME…]
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const all = readdirSync(here).filter((name) => existsSync(join(here, name, "package.json")));
const named = process.argv.slice(2);
const unknown = named.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no example ${unknown.join(", ")}; there are ${all.join(", ")}.`);
  process.exit(2);
}

const failed = (named.length > 0 ? named : all).filter((name) => !passes(name));
if (failed.length > 0) console.error(`\nFailed: ${failed.join(", ")}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** @param {string} name */
function passes(name) {
  const folder = join(here, name);
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const steps = [["ci"], ["run", "types"], ["start"], ...(scripts.test === undefined ? [] : [["test"]])];
  return steps.every((step) => {
    const began = Date.now();
    console.log(`\n-- ${name}: npm ${step.join(" ")}`);
    const { status } = spawnSync("npm", [...step, "--silent"], { cwd: folder, stdio: "inherit" });
    console.log(`   ${((Date.now() - began) / 1000).toFixed(1)} s`);
    return status === 0;
  });
}
