import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { conversation, must, openNode, rendering } from "./engine.mjs";
import { journalFile } from "./journals.mjs";
import { sourcesOfIds, turnAt } from "./turns.mjs";

/**
 * One case of `size.mjs` in a process of its own. Prints JSON.
 *
 * @typedef {{ readonly steps: readonly (readonly [what: string, ms: number])[], readonly rssMiB: number, readonly heapMiB: number }} Sized
 */
const [name = "", count = "0", stateDir = ""] = process.argv.slice(2);

/** @type {(readonly [string, number])[]} */
const steps = [];
/** @template Answer @param {string} what @param {() => Answer} work @returns {Answer} */
function timed(what, work) {
  const begun = performance.now();
  const answer = work();
  steps.push([what, performance.now() - begun]);
  return answer;
}

const cases = { nested, wide, write, open };
// A cast: `size.mjs` names one of them.
const kept = await cases[/** @type {keyof typeof cases} */ (name)](Number(count));
globalThis.gc?.();
/** @type {Sized} */
const sized = {
  steps,
  rssMiB: process.resourceUsage().maxRSS / 1024,
  heapMiB: process.memoryUsage().heapUsed / 2 ** 20,
};
console.log(JSON.stringify(sized));
if (kept === undefined) throw new Error("what was measured has to be there at the end");

/** Tasks in one another, completed from the innermost outwards, all expanded. @param {number} depth */
function nested(depth) {
  const manager = new conversation.ContextManager({ ...sourcesOfIds, title: "bench" });
  must(manager.commitStagedItems("go"));
  timed("begin", () => {
    for (let at = 0; at < depth; at += 1) {
      must(manager.startTask({ name: `task ${at}` }));
      must(manager.addNode({ kind: "note", audience: "model", text: `inside ${at}` }));
    }
  });
  const expand = new Set(
    timed("complete", () =>
      Array.from({ length: depth }, (_, at) => {
        const { payload } = must(manager.completeTask({ summary: `done ${at}` }));
        return payload.kind === "task_summary" ? payload.taskId : "";
      }),
    ),
  );
  const { contents } = timed("render", () => rendering.renderContext(manager.context, { expand }));
  timed("outline", () => rendering.debugOutline(manager.context));
  return contents.length > 0 ? manager : undefined;
}

/** Children of one node. @param {number} children */
function wide(children) {
  const manager = new conversation.ContextManager({ ...sourcesOfIds, title: "bench" });
  const { id } = manager.context.rootNode;
  timed("add", () => {
    for (let at = 0; at < children; at += 1)
      must(manager.addNode({ kind: "note", audience: "model", text: `child ${at}` }, id));
  });
  return manager.context.rootNode.childIds.length === children ? manager : undefined;
}

/** A journal of so many nodes, one a record, written without a conversation. @param {number} nodes */
function write(nodes) {
  const id = "million";
  mkdirSync(`${stateDir}/conversations`, { recursive: true });
  const fd = openSync(journalFile(`${stateDir}`, id), "w");
  const kept = () => "";
  const payload = /** @type {const} */ ({
    kind: "task_boundary",
    name: "",
    transformation: { kind: "clear" },
  });
  const root = { id, parentId: null, timestamp: 1, payload };
  const begun = /** @type {const} */ ({ type: "session_started", sessionId: id, root });
  writeSync(fd, conversation.encodeRecord({ seq: 1, ts: 1, event: begun }, kept));
  let parentId = id;
  /** @type {Uint8Array[]} */
  let lines = [];
  timed("write", () => {
    for (let at = 0; at < nodes; at += 1) {
      const timestamp = 1_700_000_000_000 + at;
      const node = { id: sourcesOfIds.ids(), parentId, timestamp, payload: payloadAt(at) };
      parentId = node.id;
      const event = /** @type {const} */ ({ type: "nodes_added", nodes: [node], head: node.id });
      lines.push(conversation.encodeRecord({ seq: at + 2, ts: timestamp, event }, kept));
      if (lines.length < 1_000 && at < nodes - 1) continue;
      writeSync(fd, Buffer.concat(lines));
      lines = [];
    }
  });
  closeSync(fd);
  return id;
}

/** The four nodes of a turn, in their order. @param {number} at */
function payloadAt(at) {
  const { question, answer, callId, path, result } = turnAt(at >> 2);
  const call = { callId, name: "read_file" };
  switch (at % 4) {
    case 0:
      return /** @type {const} */ ({ kind: "user_message", text: question });
    case 1:
      return /** @type {const} */ ({ kind: "model_message", text: answer, step: callId });
    case 2:
      return /** @type {const} */ ({ kind: "tool_call", ...call, args: { file_path: path }, step: callId });
    default:
      return /** @type {const} */ ({ kind: "tool_result", ...call, output: result });
  }
}

/** Opens that journal as a host does that goes on with it. @param {number} nodes */
async function open(nodes) {
  const { openJournalStore } = await openNode();
  const store = must(openJournalStore({ stateDir }));
  const begun = performance.now();
  const opened = must(await conversation.openConversation(store, "million", "write", sourcesOfIds));
  steps.push(["open", performance.now() - begun]);
  timed("a turn more", () => must(opened.manager.commitStagedItems("go on")));
  const { size } = opened.manager.context.nodes;
  must(await opened.close());
  return size >= nodes ? opened : undefined;
}
