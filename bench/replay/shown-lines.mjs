import { createHash } from "node:crypto";

/**
 * @typedef {import("../../packages/core/dist/conversation/values/index.js").ShownText} ShownText
 * @typedef {import("../../packages/core/dist/conversation/values/index.js").FileEffect} FileEffect
 */

/**
 * Which lines of which file a recorded result shows, and what it says of the file: what our own tools record by
 * themselves. The state of a file of another program is named by the hash of the lines that it showed.
 *
 * @param {import("./session.mjs").Block} block
 * @returns {{ readonly shows?: readonly ShownText[], readonly files?: readonly FileEffect[] }}
 */
export function resultFacts({ text, use, isError, payload }) {
  if (payload?.kind === "tool_result" && (payload.shows ?? payload.files) !== undefined) {
    const { shows, files } = payload;
    return { ...(shows === undefined ? {} : { shows }), ...(files === undefined ? {} : { files }) };
  }
  if (use === undefined || isError === true) return {};
  const lines = numbered(text) ?? (use.kind === "read" ? plain(text, use.range) : []);
  const [first, last] = [lines[0], lines.at(-1)];
  const { path } = use;
  if (first === undefined || last === undefined) {
    const after = digestOf([path, use.kind, text]);
    return use.kind === "read" ? {} : { files: [{ path, after, by: "tool" }] };
  }
  const sha256 = digestOf([path, ...lines.map(({ start, end }) => text.slice(start, end))]);
  const total = use.kind === "read" && use.range === "" && first.from === 1 ? { lines: last.to } : {};
  return {
    shows: lines.map((line) => ({ path, sha256, ...line })),
    files: [{ path, after: sha256, by: use.kind === "read" ? "seen" : "tool", ...total }],
  };
}

/**
 * Lines behind their numbers, as `cat -n` writes them; undefined where there are none. What stands before and behind
 * them is no line.
 *
 * @param {string} text
 */
function numbered(text) {
  /** @type {{ from: number, to: number, start: number, end: number }[]} */
  const lines = [];
  const pattern = /^ *(\d+)[\t→]([^\n]*\n?)/gm;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const number = Number(match[1]);
    const end = match.index + match[0].length;
    const last = lines.at(-1);
    // A line that only looks numbered, or another listing.
    if (last !== undefined && number !== last.from + 1) break;
    lines.push({ from: number, to: number, start: end - (match[2] ?? "").length, end });
  }
  return lines.length < 2 ? undefined : lines;
}

/** A text that is a file's, from the first line that was asked for. @param {string} text @param {string} range */
function plain(text, range) {
  if (text === "") return [];
  const from = Number(/(?:offset|start_line|from)=(\d+)/.exec(range)?.[1] ?? 1) || 1;
  const count = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return [{ from, to: from + count - 1, start: 0, end: text.length }];
}

/** @param {readonly string[]} texts */
function digestOf(texts) {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("hex");
}
