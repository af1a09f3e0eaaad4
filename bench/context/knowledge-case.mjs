import { createHash } from "node:crypto";
import { conversation, must } from "./engine.mjs";
import { newManager } from "./turns.mjs";

/**
 * What a path knows of files (docs/knowledge.md), in a process of its own: `knowledge.mjs` starts it with
 * `--expose-gc`. Arguments: nodes, files. Prints JSON.
 *
 * @typedef {{ readonly cold: number, readonly warm: number, readonly perNode: number, readonly back: number,
 *   readonly heapMiB: number }} KnowledgeCost in milliseconds, the medians of what was asked often
 */
const [nodes = 0, files = 1] = process.argv.slice(2).map(Number);
const lines = 200;
const manager = newManager();
/** The newest state of each file, and how often it was changed. */
const states = Array.from({ length: files }, (_, at) => ({ path: `src/hot-${at}.ts`, edits: 0 }));
/** @type {string[]} */
const callNodes = [];
let turns = 0;

while (manager.context.nodes.size < nodes) turn();
const before = heapMiB();
const knowledge = new conversation.PathKnowledge(manager);
const cold = costOf(() => ask());
const heap = heapMiB() - before;
const warm = median(200, () => ask());
const perNode = median(200, () => {
  const size = manager.context.nodes.size;
  turn();
  const cost = costOf(() => ask());
  return cost / (manager.context.nodes.size - size);
});
const back = median(20, (at) => costOf(() => ask(callNodes.at(-250 - at))));
/** @type {KnowledgeCost} */
const measured = { cold, warm, perNode, back, heapMiB: heap };
console.log(JSON.stringify(measured));

/** What a guard asks: the newest state of a file, from a call of the model. @param {string} [callNode] */
function ask(callNode = callNodes.at(-1) ?? "") {
  const file = states[turns % files] ?? { path: "", edits: 0 };
  const call = knowledge.forCall(callNode);
  const state = call.latest({ path: file.path, realPath: file.path });
  if (state === undefined || state.lines.length === 0) throw new Error("not what was shown");
  call.end([]);
}

/** Four nodes: words, words, a call, its result; in turn a read of 40 lines and an edit of one. */
function turn() {
  const state = states[turns % files];
  if (state === undefined) throw new Error("no files");
  const isRead = Math.floor(turns / files) % 2 === 0;
  const callId = `call ${turns}`;
  must(manager.commitStagedItems(`Turn ${turns}.`));
  must(manager.addNode({ kind: "model_message", text: "Next.", step: callId }));
  const name = isRead ? "read_file" : "edit_file";
  const node = must(
    manager.addNode({ kind: "tool_call", callId, name, args: { file_path: state.path }, step: callId }),
  );
  callNodes.push(node.id);
  must(
    manager.addNode({
      kind: "tool_result",
      callId,
      name,
      output: "",
      ...(isRead ? read(state) : edit(state)),
    }),
  );
  turns += 1;
}

/** @param {{ readonly path: string, readonly edits: number }} state */
function read({ path, edits }) {
  const sha256 = hashOf(path, edits);
  const from = 1 + ((turns * 7) % (lines - 40));
  const seen = /** @type {const} */ ({ path, after: sha256, by: "seen", lines, version: turns });
  return { files: [seen], shows: [{ path, sha256, from, to: from + 39, start: 0, end: 0 }] };
}

/** @param {{ readonly path: string, edits: number }} state */
function edit(state) {
  const { path, edits } = state;
  state.edits += 1;
  const at = 1 + ((turns * 13) % lines);
  const change = { before: hashOf(path, edits), after: hashOf(path, state.edits) };
  const written = /** @type {const} */ ({
    path,
    ...change,
    by: "tool",
    changes: [{ at, removed: 1, added: 1 }],
    authored: [{ from: at, to: at }],
    derived: true,
    lines,
    version: turns,
  });
  return { files: [written] };
}

/** @param {string} path @param {number} edits */
function hashOf(path, edits) {
  return createHash("sha256").update(`${path} ${edits}`).digest("hex");
}

/** @param {() => void} work */
function costOf(work) {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** @param {number} times @param {(at: number) => number | void} work what it gives back counts, else its time */
function median(times, work) {
  const costs = Array.from({ length: times }, (_, at) => {
    const begun = performance.now();
    return work(at) ?? performance.now() - begun;
  });
  return costs.sort((one, other) => one - other)[Math.floor(times / 2)] ?? 0;
}

function heapMiB() {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
