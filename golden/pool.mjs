import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { loadPool, regenerate } from "../bench/generator/index.mjs";

/**
 * The texts of the generator's cases: those that `bench/generator` makes itself, and some of this repository's history
 * that are kept in `texts.json`. So the cases depend on no clone's depth and on no package of `node_modules`.
 *
 * `node golden/pool.mjs judge/CLASS/12/0` prints a case, by its seed as `expected/generator.txt` has it.
 *
 * @returns {import("../bench/generator/index.mjs").Pool}
 */
export function goldenPool() {
  const { forms, repetitive } = loadPool();
  const { history, packages } = JSON.parse(readFileSync(new URL("texts.json", import.meta.url), "utf8"));
  return { history, packages, forms, repetitive, fingerprint: "golden" };
}

if (argv[1] === fileURLToPath(import.meta.url))
  console.log(JSON.stringify(regenerate(argv[2] ?? "", goldenPool()), null, 2));
