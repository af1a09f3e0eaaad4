import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * One wish, said to each server in its own words. The texts and the lines that change are the same, so
 * after the same number of rounds the files are the same, to the byte.
 *
 * @typedef {import("./servers.mjs").OpenServer} OpenServer
 * @typedef {{ readonly name: string, readonly lines: number, readonly kind: "read" | "edit" | "append" }
 *   | { readonly name: string, readonly lines: number, readonly kind: "diff", readonly hunks: number }} Task
 * @typedef {(round: number) => Promise<void>} Once
 * @typedef {{ readonly once: Once, bytes(): Buffer }} Performer
 */

/** @type {readonly Task[]} */
export const tasks = [200, 2_000, 50_000].flatMap((lines) => [
  { name: lines > 2_000 ? "read of the first 2,000 lines" : "read", lines, kind: "read" },
  { name: "1-hunk edit", lines, kind: "diff", hunks: 1 },
  { name: "5-hunk edit", lines, kind: "diff", hunks: 5 },
  { name: "exact replacement", lines, kind: "edit" },
  { name: "append of a line", lines, kind: "append" },
]);

/** @param {OpenServer} server @param {Task} task @returns {Promise<Performer>} */
export async function prepare(server, task) {
  const path = join(server.folder, "file.ts");
  writeFileSync(path, textOf(task.lines));
  const bytes = () => readFileSync(path);
  const once =
    server.name === "server-filesystem" ? peerCalls(server, path, task) : await ownCalls(server, task);
  return { once, bytes };
}

/** @param {OpenServer} server @param {string} path @param {Task} task @returns {Once} */
function peerCalls(server, path, task) {
  const { lines } = task;
  switch (task.kind) {
    case "read":
      return async () => {
        const args = { path, ...(lines > 2_000 ? { head: 2_000 } : {}) };
        mustHold(await server.call("read_text_file", args), `line ${Math.min(lines, 2_000) - 1} `);
      };
    case "diff":
      return async (round) => {
        const edits = placesOf(lines, task.hunks).map((at) => ({
          oldText: [lineAt(at - 1), changedAt(at, round), lineAt(at + 1)].join("\n"),
          newText: [lineAt(at - 1), changedAt(at, round + 1), lineAt(at + 1)].join("\n"),
        }));
        mustHold(await server.call("edit_file", { path, edits }), `(${round + 1}, "in this round")`);
      };
    case "edit":
      return async (round) => {
        const [oldText, newText] = replacementOf(lines, round);
        mustHold(await server.call("edit_file", { path, edits: [{ oldText, newText }] }), newText);
      };
    case "append":
      // It has no such tool. The cheapest that its client can do: replace the last line, which it knows
      // from its own last call, by that line and the new one.
      return async (round) => {
        const [oldText, newText] = lastLineOf(lines, round);
        mustHold(await server.call("edit_file", { path, edits: [{ oldText, newText }] }), appendedAt(round));
      };
  }
}

/** @param {OpenServer} server @param {Task} task @returns {Promise<Once>} */
async function ownCalls(server, task) {
  const file_path = "file.ts";
  const { lines } = task;
  // The server has shown the file before it is asked to change it, as in any conversation.
  await server.call("read_file", { file_path, limit: 10 });
  switch (task.kind) {
    case "read":
      return async () => {
        // Without a limit it would answer with the first of several pages.
        const args = { file_path, limit: Math.min(lines, 2_000) };
        mustHold(await server.call("read_file", args), `line ${Math.min(lines, 2_000) - 1} `);
      };
    case "diff":
      return ownDiffs(server, file_path, task);
    case "edit":
      return async (round) => {
        const [old_string, new_string] = replacementOf(lines, round);
        const args = { file_path, edits: [{ old_string, new_string }] };
        mustHold(await server.call("edit_file", args), "OK (applied)");
      };
    case "append":
      return async (round) => {
        const args = { file_path, content: `${appendedAt(round)}\n` };
        mustHold(await server.call("append_to_file", args), "OK (applied)");
      };
  }
}

/**
 * @param {OpenServer} server
 * @param {string} file_path
 * @param {{ readonly lines: number, readonly hunks: number }} task
 * @returns {Once}
 */
function ownDiffs(server, file_path, { lines, hunks }) {
  let base = createHash("sha256").update(textOf(lines)).digest("hex");
  return async (round) => {
    const diff = placesOf(lines, hunks).map(
      (at) =>
        `@@ -${at},3 +${at},3 @@\n ${lineAt(at - 1)}\n-${changedAt(at, round)}\n+${changedAt(at, round + 1)}\n ${lineAt(at + 1)}\n`,
    );
    const args = { file_path, base_content_sha256: base, unified_diff: diff.join("") };
    const answer = await server.call("safe_patch", args);
    mustHold(answer, "OK (applied)");
    base = /sha256="([0-9a-f]{64})"/.exec(answer)?.[1] ?? "";
  };
}

/** The file before the first round. @param {number} lines */
export function textOf(lines) {
  const changing = new Set([...placesOf(lines, 1), ...placesOf(lines, 5)]);
  return Array.from(
    { length: lines },
    (_, at) => `${changing.has(at) ? changedAt(at, 0) : lineAt(at)}\n`,
  ).join("");
}

/** And after so many, as every server must have made it. @param {Task} task @param {number} rounds */
export function textAfter(task, rounds) {
  const before = textOf(task.lines);
  if (task.kind === "read") return before;
  if (task.kind === "append")
    return before + Array.from({ length: rounds }, (_, round) => `${appendedAt(round)}\n`).join("");
  const changed = new Set(placesOf(task.lines, task.kind === "diff" ? task.hunks : 1));
  const lines = before.split("\n");
  return lines.map((line, at) => (changed.has(at) ? changedAt(at, rounds) : line)).join("\n");
}

/** @param {number} at */
function lineAt(at) {
  return `  const line ${at} = compute(${at}, "a text of some length");`;
}

/** The line that changes, as it stands before a round. @param {number} at @param {number} round */
function changedAt(at, round) {
  return `  const line ${at} = compute(${round}, "in this round");`;
}

/**
 * The one line, unique in the file, that an exact replacement changes: as it stands, and as it will.
 *
 * @param {number} lines
 * @param {number} round
 * @returns {readonly [string, string]}
 */
export function replacementOf(lines, round) {
  const at = placesOf(lines, 1)[0] ?? 0;
  return [changedAt(at, round), changedAt(at, round + 1)];
}

/**
 * An append said as a replacement: the last line as it stands, and that line with the new one.
 *
 * @param {number} lines
 * @param {number} round
 * @returns {readonly [string, string]}
 */
export function lastLineOf(lines, round) {
  const last = round === 0 ? lineAt(lines - 1) : appendedAt(round - 1);
  return [last, `${last}\n${appendedAt(round)}`];
}

/** @param {number} round */
function appendedAt(round) {
  return `  const appended ${round} = compute(${round}, "at the end");`;
}

/** @param {number} lines @param {number} hunks */
function placesOf(lines, hunks) {
  const step = Math.floor(lines / (hunks + 1));
  return Array.from({ length: hunks }, (_, n) => (n + 1) * step + hunks);
}

/** @param {string} answer @param {string} part */
function mustHold(answer, part) {
  if (!answer.includes(part)) throw new Error(`not the answer that was expected: ${answer.slice(0, 400)}`);
}
