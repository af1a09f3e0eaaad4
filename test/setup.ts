import fc from "fast-check";
import { afterAll, afterEach } from "vitest";
import { clearFile, clearTest } from "./cleanups.js";

afterEach(clearTest);
afterAll(clearFile);

/**
 * The seed of every property test, so that a change is judged on the same cases each time and a red run can be run
 * again. `HOLDFAST_SEED=7` takes other cases. A long run (`HOLDFAST_RUNS`) and `HOLDFAST_SEED=random` take new ones
 * each time: they are there to find what nobody has seen yet, and fast-check names the seed of what it found.
 * On the same cases each time, more of them find nothing new.
 */
const { HOLDFAST_SEED: wanted, HOLDFAST_RUNS: runs } = process.env;
const isRandom = wanted === "random" || (wanted === undefined && runs !== undefined);
if (!isRandom)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted ?? 20_261_122) | 0, numRuns: 50 });
