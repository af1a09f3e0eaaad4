/**
 * Compiles the house and the add-ons that are there, and bundles the command; with `--compile`, leaves the bundle as it
 * is; with `--types`, checks the types of all else instead: tests, bench, proof, fuzz, examples.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const house = fileURLToPath(new URL("..", import.meta.url));
process.chdir(house);
const tsc = "node_modules/typescript/bin/tsc";
const there = (paths) => paths.filter((path) => existsSync(path));
const addons = there(["addons"]).flatMap((folder) => readdirSync(folder).map((name) => `addons/${name}`));

run(tsc, "-b", "tsconfig.json", ...there(addons.map((folder) => `${folder}/tsconfig.json`)));
if (process.argv.includes("--types")) {
  const beside = ["bench", "proof", "golden", "fuzz", "examples"].map((name) => `${name}/tsconfig.json`);
  const browser = addons.map((folder) => `${folder}/tsconfig.browser.json`);
  for (const project of there(["tsconfig.test.json", ...browser, ...beside])) run(tsc, "-p", project);
} else if (!process.argv.includes("--compile")) {
  run("scripts/bundle.mjs");
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
