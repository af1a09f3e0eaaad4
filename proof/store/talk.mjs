import { createConversation } from "@holdfast/core/conversation";
import { must } from "./life.mjs";

/**
 * A conversation of some turns with calls, tasks and branches.
 *
 * @param {import("./life.mjs").Store} store @param {number} turns @param {string} [name] what its ids begin with
 */
export async function conversationIn(store, turns, name = "talk") {
  let [count, line] = [0, 0];
  /** @type {Map<number, string[]>} by the line of the journal, 0-based */
  const nodes = new Map();
  const head = { id: "", line: 0 };
  const ids = () => {
    count += 1;
    return `${name}${String(count).padStart(6, "0")}`;
  };
  const { manager, close } = must(await createConversation(store, { ids, now: () => 1, title: "talk" }));
  const id = manager.context.sessionId;
  manager.subscribe((_, event) => {
    line += 1;
    if (event?.type === "nodes_added")
      nodes.set(
        line,
        event.nodes.map((node) => node.id),
      );
    if (event !== undefined && "head" in event) Object.assign(head, { id: event.head, line });
  });
  for (let turn = 0; turn < turns; turn++) playTurn(manager, turn);
  must(await close());
  return { id, nodes, head };
}

/** @param {import("@holdfast/core/conversation").ContextManager} manager @param {number} turn */
function playTurn(manager, turn) {
  must(manager.addToStagingArea({ kind: "note", text: `note ${turn}`, audience: "model" }));
  const asked = must(manager.commitStagedItems(`question ${turn}`));
  const callId = `c${turn}`;
  must(manager.addNode({ kind: "tool_call", callId, name: "look", args: { turn } }));
  must(manager.addNode({ kind: "tool_result", callId, name: "look", output: `found ${turn}` }));
  must(manager.startTask({ name: `task ${turn}` }));
  must(manager.addNode({ kind: "model_message", text: "inside" }));
  must(manager.completeTask({ summary: "done" }));
  if (turn % 3 === 0) must(manager.rewind(asked.id));
  must(manager.addNode({ kind: "model_message", text: `answer ${turn}` }));
}
