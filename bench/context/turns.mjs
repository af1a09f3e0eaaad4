import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { conversation, must } from "./engine.mjs";

/**
 * The turns of all tables: a message of the user, one of the model, a call, and a result of 1,000 characters
 * of real text (our own sources, from one end to the other and over again). About 1.2 KB of text.
 *
 * @typedef {{ readonly question: string, readonly answer: string, readonly callId: string,
 *   readonly path: string, readonly result: string }} Turn
 * @typedef {"linear" | "branchy"} Shape
 * @typedef {import("./engine.mjs").ContextManager} ContextManager
 */

/** @param {number} at @returns {Turn} */
export function turnAt(at) {
  const from = (at * 1_000) % (sources.length - 1_000);
  return {
    question: `Turn ${at}: look at the next part of the sources and tell me whether anything in it is wrong.`,
    answer: `I read part ${at}. The part before it holds what its comment says, so I go on with this one.`,
    callId: `call_${at}`,
    path: `packages/core/src/part-${at % 97}.ts`,
    // A string of its own: a slice would share the memory of all sources.
    result: Buffer.from(sources.slice(from, from + 1_000)).toString(),
  };
}

/** Adds one turn below the head: four events. @param {ContextManager} manager @param {Turn} turn */
export function addTurn(manager, { question, answer, callId, path, result }) {
  const step = callId;
  must(manager.commitStagedItems(question));
  must(manager.addNode({ kind: "model_message", text: answer, step }));
  must(
    manager.addNode({
      kind: "tool_call",
      callId,
      name: "read_file",
      args: { file_path: path, limit: 25 },
      step,
    }),
  );
  return must(manager.addNode({ kind: "tool_result", callId, name: "read_file", output: result }));
}

/**
 * Adds turn after turn. In a branchy conversation every tenth turn begins five turns back, and every 25th is
 * a task of its own that is completed by a summary.
 *
 * @param {ContextManager} manager
 * @param {Shape} shape
 */
export function player(manager, shape) {
  const heads = [manager.getCurrentNode().id];
  let at = 0;
  return {
    play() {
      const turn = turnAt(at);
      at += 1;
      if (shape === "branchy" && at % 10 === 0 && heads.length > 5) must(manager.rewind(heads.splice(-5)[0]));
      if (shape === "branchy" && at % 25 === 0) addTask(manager, turn, at);
      else addTurn(manager, turn);
      heads.push(manager.getCurrentNode().id);
    },
  };
}

/** @param {ContextManager} manager @param {Turn} turn @param {number} at */
function addTask(manager, turn, at) {
  must(manager.startTask({ name: `part ${at}`, goal: "Look at one part alone." }));
  addTurn(manager, turn);
  must(manager.completeTask({ summary: `Part ${at} holds what its comment says; nothing was changed.` }));
}

export const sourcesOfIds = {
  ids: conversation.timeSortedIds(Date.now, (bytes) => randomBytes(bytes)),
  now: Date.now,
};

/** A conversation in memory. */
export function newManager() {
  return new conversation.ContextManager({ ...sourcesOfIds, title: "bench" });
}

const sources = readSources(fileURLToPath(new URL("../../packages/core/src", import.meta.url)));

/** @param {string} folder @returns {string} */
function readSources(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => readFileSync(join(folder, path), "utf8"))
    .join("");
}
