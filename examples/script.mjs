/** The model of those examples whose tools are those of the catalogue. */
import assert from "node:assert/strict";
import { say } from "./scene.mjs";

/**
 * What the model calls, whatever form the framework gives it: given the text of the last
 * answer; nothing once it is done. The hashes that it gives are those that it reads, as a real model would.
 *
 * @param {ReturnType<import("./scene.mjs").openScene>} scene
 * @returns {(told: string) => { name: string, args: Record<string, unknown> } | undefined}
 */
export function scriptOf(scene) {
  const steps = [
    () => ({ name: "read_file", args: { file_path: "net.ts" } }),
    (/** @type {string} */ told) => edit(told, "const tries = 3;", "const tries = 5;"),
    (/** @type {string} */ told) => {
      scene.saveBehindTheModel();
      return edit(told, "const wait = 2000;", "const wait = 2500;");
    },
    (/** @type {string} */ told) => edit(told, "const wait = 3000;", "const wait = 2500;"),
  ];
  return (told) => {
    if (told !== "") scene.hear(told);
    const call = steps.shift()?.(told);
    say("the model", call === undefined ? done : `${call.name} ${JSON.stringify(call.args)}`);
    return call;
  };
}

/** What the model says when it has no more to call. */
export const done = "Five tries, 2500 ms apart.";

/**
 * @param {string} told
 * @param {string} old_string
 * @param {string} new_string
 */
function edit(told, old_string, new_string) {
  const base_content_sha256 = /sha256="([0-9a-f]{64})"/.exec(told)?.[1];
  assert.ok(base_content_sha256, "the last answer names the hash of the file");
  return {
    name: "edit_file",
    args: { file_path: "net.ts", base_content_sha256, edits: [{ old_string, new_string }] },
  };
}
