import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { holdfast } from "@holdfast/adapters/genkit";
import { genkit } from "genkit";

/** @typedef {{ name: string, input: unknown, ref: string }} Call */
/** @typedef {readonly (Call | (() => Call | void))[]} Turn calls that the model makes at once, or things that happen before */

const folders = /** @type {string[]} */ ([]);
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A fresh project folder and a state folder beside it. */
export function makeRoom() {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-genkit-"));
  folders.push(folder);
  const root = join(folder, "project");
  mkdirSync(root);
  return { root, stateDir: join(folder, "state"), path: (/** @type {string} */ name) => join(root, name) };
}

let calls = 0;

/**
 * @param {string} name
 * @param {object} input
 * @returns {Call}
 */
export function call(name, input) {
  calls += 1;
  return { name, input, ref: `call-${calls}` };
}

export const read = (/** @type {string} */ filePath, window = {}) =>
  call("read_file", { filePath, ...window });
export const write = (/** @type {string} */ filePath, /** @type {string} */ content) =>
  call("write_file", { filePath, content });
export const edit = (/** @type {string} */ filePath, /** @type {object[]} */ ...edits) =>
  call("edit_file", { filePath, edits });
export const swap = (/** @type {string} */ oldString, /** @type {string} */ newString, more = {}) => ({
  oldString,
  newString,
  ...more,
});

/**
 * Runs one `ai.generate` with a scripted model and the middleware.
 *
 * @param {{ root: string, stateDir: string }} room
 * @param {readonly Turn[]} turns
 * @param {{ options?: object, request?: object, use?: readonly any[] }} [more]
 */
export async function play(room, turns, more = {}) {
  const ai = genkit({});
  const sent = /** @type {import("genkit").MessageData[][]} */ ([]);
  const offered = /** @type {string[][]} */ ([]);
  const script = [...turns];
  const model = ai.defineModel({ name: "scripted" }, async (request) => {
    sent.push(structuredClone(request.messages));
    offered.push((request.tools ?? []).map(({ name }) => name));
    const parts = (script.shift() ?? []).flatMap((step) => {
      const made = typeof step === "function" ? step() : step;
      return made === undefined ? [] : [{ toolRequest: made }];
    });
    const content = parts.length > 0 ? parts : [{ text: "done" }];
    return { message: { role: "model", content }, finishReason: "stop" };
  });
  const use = [...(more.use ?? []), holdfast({ root: room.root, stateDir: room.stateDir, ...more.options })];
  const request = { prompt: "work", ...more.request, model, use, maxTurns: 50 };
  const response = await ai.generate(/** @type {any} */ (request));
  return {
    response,
    sent,
    offered: offered[0] ?? [],
    outputs: outputsOf(response.messages),
    seen: outputsOf(sent.at(-1) ?? []),
  };
}

/**
 * What the tools answered, in the order of the calls.
 *
 * @param {readonly import("genkit").MessageData[]} messages
 * @returns {any[]}
 */
export function outputsOf(messages) {
  const parts = messages.flatMap(({ content }) => content);
  const answers = new Map(
    parts.flatMap(({ toolResponse }) => (toolResponse ? [[toolResponse.ref, toolResponse.output]] : [])),
  );
  return parts.flatMap(({ toolRequest }) =>
    toolRequest && answers.has(toolRequest.ref) ? [answers.get(toolRequest.ref)] : [],
  );
}
