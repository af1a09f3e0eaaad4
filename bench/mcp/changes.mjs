import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * One wish, said to each server in its own words. The texts and the lines that change are the same, so
 * after the same number of rounds the files are the same, to the byte.
 *
 * @typedef {import("./servers.mjs").OpenServer} OpenServer
 * @typedef {{ readonly name: string, readonly lines: number, readonly hunks: number }} Task
 *   no hunks: a read
 * @typedef {{ once(round: number): Promise<void>, bytes(): Buffer }} Performer
 */

/** @type {readonly Task[]} */
export const tasks = [200, 2_000, 50_000].flatMap((lines) => [
  { name: lines > 2_000 ? "read of the first 2,000 lines" : "read", lines, hunks: 0 },
  { name: "1-hunk edit", lines, hunks: 1 },
  { name: "5-hunk edit", lines, hunks: 5 },
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

/** @param {OpenServer} server @param {string} path @param {Task} task */
function peerCalls(server, path, { lines, hunks }) {
  return async (/** @type {number} */ round) => {
    if (hunks === 0) {
      const text = await server.call("read_text_file", { path, ...(lines > 2_000 ? { head: 2_000 } : {}) });
      return mustHold(text, `line ${Math.min(lines, 2_000) - 1} `);
    }
    const edits = placesOf(lines, hunks).map((at) => ({
      oldText: [lineAt(at - 1), changedAt(at, round), lineAt(at + 1)].join("\n"),
      newText: [lineAt(at - 1), changedAt(at, round + 1), lineAt(at + 1)].join("\n"),
    }));
    mustHold(await server.call("edit_file", { path, edits }), `(${round + 1}, "in this round")`);
  };
}

/** @param {OpenServer} server @param {Task} task */
async function ownCalls(server, { lines, hunks }) {
  const file_path = "file.ts";
  let base = createHash("sha256").update(textOf(lines)).digest("hex");
  // The server has shown the file before it is asked to change it, as in any conversation.
  await server.call("read_file", { file_path, limit: 10 });
  return async (/** @type {number} */ round) => {
    if (hunks === 0) {
      const text = await server.call("read_file", { file_path, ...(lines > 2_000 ? { limit: 2_000 } : {}) });
      return mustHold(text, `line ${Math.min(lines, 2_000) - 1} `);
    }
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

/** @param {number} lines */
function textOf(lines) {
  const changing = new Set([...placesOf(lines, 1), ...placesOf(lines, 5)]);
  return Array.from(
    { length: lines },
    (_, at) => `${changing.has(at) ? changedAt(at, 0) : lineAt(at)}\n`,
  ).join("");
}

/** @param {number} at */
function lineAt(at) {
  return `  const line ${at} = compute(${at}, "a text of some length");`;
}

/** The line that changes, as it stands before a round. @param {number} at @param {number} round */
function changedAt(at, round) {
  return `  const line ${at} = compute(${round}, "in this round");`;
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
