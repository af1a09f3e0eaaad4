import { parentPort } from "node:worker_threads";
import { applyPatch } from "diff";

parentPort?.on("message", ({ base, diff, fuzz }) => parentPort?.postMessage(apply(base, diff, fuzz)));

/** The text, or `false`; a diff that it cannot parse makes it throw. @param {string} base @param {string} diff @param {number} fuzz */
function apply(base, diff, fuzz) {
  try {
    return applyPatch(base, diff, { fuzzFactor: fuzz });
  } catch {
    return false;
  }
}
