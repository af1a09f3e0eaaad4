import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The project of a scene, as somebody beside the program sees it. @param {import("./run.mjs").Ground} ground */
export function openProject({ folder }, name = "project") {
  const root = join(folder, name);
  mkdirSync(root, { recursive: true });
  const at = (/** @type {string} */ path) => join(root, path);
  return {
    root,
    at,
    /** @param {string} path @param {string | Uint8Array} content */
    put(path, content) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    text: (/** @type {string} */ path) => readFileSync(at(path), "utf8"),
    hash: (/** @type {string} */ path) => sha256(readFileSync(at(path))),
  };
}

/** @param {string | Uint8Array} content */
export function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

/** @param {number} count @param {(n: number) => string} line */
export function lines(count, line) {
  return Array.from({ length: count }, (_, at) => `${line(at + 1)}\n`).join("");
}
