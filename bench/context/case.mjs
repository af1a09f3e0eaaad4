import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Runs a script of this folder in a fresh process that may collect its garbage, and reads the JSON it prints.
 *
 * @template Answer
 * @param {string} script
 * @param {readonly string[]} args
 * @returns {Promise<Answer>}
 */
export function runCase(script, args) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return new Promise((resolve, reject) => {
    const flags = ["--expose-gc", "--max-old-space-size=8192"];
    execFile(process.execPath, [...flags, path, ...args], (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout));
      else reject(error);
    });
  });
}
