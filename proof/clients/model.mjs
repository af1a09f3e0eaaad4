import { applyPatch } from "diff";
import { toolAnswers } from "./scripted-gemini.mjs";

/**
 * What a model does with the protocol, as code: it takes the hash and the text out of what it is shown,
 * and makes its diff from that text. It knows nothing of the disk.
 *
 * @typedef {{ readonly sha256: string, readonly text: string | undefined }} Shown
 * @typedef {import("./scripted-gemini.mjs").ModelRequest} ModelRequest
 */

/** The state that an answer shows. @param {string} answer @returns {Shown} */
export function shownIn(answer) {
  const header = /<file [^\n]*?sha256="([0-9a-f]{64})"[^\n]*?>\n/.exec(answer);
  if (header?.[1] === undefined) throw new Error(`no state in the answer: ${answer}`);
  const end = /\bend="([^"]*)"/.exec(header[0])?.[1];
  const after = answer.slice(header.index + header[0].length);
  const to = end === undefined ? -1 : after.lastIndexOf(end);
  return { sha256: header[1], text: to < 0 ? undefined : after.slice(0, to) };
}

/**
 * The state that a refusal names: what the model knows of its base, with the change that the answer shows made to it.
 *
 * @param {string} answer @param {string} base @returns {Shown}
 */
export function changedIn(answer, base) {
  const { sha256 } = shownIn(answer);
  const change = /^What changed since your base:\n([\s\S]*?)^<file /m.exec(answer)?.[1];
  const text = change === undefined ? false : applyPatch(base, change);
  if (text === false) throw new Error(`no change of what is known in the answer: ${answer}`);
  return { sha256, text };
}

/** The one answer that came with this request. @param {ModelRequest} request */
export function onlyAnswer(request) {
  const [answer, ...more] = toolAnswers(request);
  if (answer === undefined || more.length > 0) throw new Error("one answer of a tool was expected");
  return answer;
}

/** A hunk without line numbers that replaces one line, with the line before it as it was shown. @param {string} text @param {string} line @param {string} next */
export function hunkFor(text, line, next) {
  const lines = text.split(/\r?\n/);
  const at = lines.indexOf(line);
  if (at < 0) throw new Error(`the line ${line} is not in the text that was shown`);
  const context = at === 0 ? "" : ` ${lines[at - 1]}\n`;
  return `@@\n${context}-${line}\n+${next}\n`;
}

/** @param {string} path @param {Shown} shown @param {string} line @param {string} next */
export function patchCall(path, shown, line, next) {
  const args = {
    file_path: path,
    base_content_sha256: shown.sha256,
    unified_diff: hunkFor(shown.text ?? "", line, next),
  };
  return { call: "mcp_holdfast_safe_patch", args };
}

/** @param {string} path */
export function readCall(path) {
  return { call: "mcp_holdfast_read_file", args: { file_path: path } };
}
