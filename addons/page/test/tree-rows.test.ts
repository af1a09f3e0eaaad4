import { applyEvent, ContextManager, startedContext, TreeShape } from "@holdfast/core/conversation";
import type { ConversationContext, TurnNode, TurnPayload } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { describe, expect, it } from "vitest";
import { chatterLines, foldsAbove, neighbourBranch, treeRows } from "../src/browser/tree-rows.js";

/** `a` and `b` in a row; below `b` the branches `c`-`d`, `e` and, with the head, `f`-`g`. */
function tree() {
  let count = 0;
  const ids = () => `n${String(count++)}`;
  const manager = new ContextManager({ ids, now: () => count, title: "root" });
  const nodes = new Map<string, string>();
  const add = (text: string, parent: string) => {
    const node = manager.addNode({ kind: "note", text, audience: "person" }, nodes.get(parent));
    if (isRefusal(node)) throw new Error(node.message);
    nodes.set(text, node.id);
  };
  nodes.set("root", manager.context.rootNode.id);
  for (const [text = "", parent = ""] of ["a root", "b a", "c b", "d c", "e b", "f b", "g f"].map((pair) =>
    pair.split(" "),
  ))
    add(text, parent);
  manager.rewind(nodes.get("g"));
  return { context: manager.context, id: (text: string) => nodes.get(text) ?? "" };
}

const opened: ReadonlySet<string> = new Set();
const shapeOf = (context: ConversationContext) => new TreeShape(context, { tasksAside: false });
const nameOf = ({ payload }: TurnNode) => (payload.kind === "note" ? payload.text : "root");

function drawn(folded: readonly string[] = [], shows?: (node: TurnNode) => boolean): readonly string[] {
  const { context, id } = tree();
  const view = { folded: new Set(folded.map(id)), opened, ...(shows === undefined ? {} : { shows }) };
  return treeRows(shapeOf(context), view).map((row) => {
    const mark = row.folded === undefined ? "" : row.folded === false ? " -" : ` +${row.folded}`;
    return `${"  ".repeat(row.indent)}${nameOf(row.node)}${mark}`;
  });
}

describe("the lines of the tree", () => {
  it("go straight down to the head; other branches are set in before what follows", () => {
    expect(drawn()).toEqual(["root", "a", "b -", "  c -", "  d", "  e", "f", "g"]);
  });

  it("fold at a fork, and at the beginning of a branch", () => {
    expect(drawn(["b"])).toEqual(["root", "a", "b +3", "f", "g"]);
    expect(drawn(["c"])).toEqual(["root", "a", "b -", "  c +1", "  e", "f", "g"]);
    expect(drawn(["a", "g"])).toEqual(drawn());
  });

  it("are only those asked for where the tree is filtered, folded or not", () => {
    expect(drawn(["b"], (node) => "dg".includes(nameOf(node)))).toEqual(["  d", "g"]);
  });

  it("tell which folds hide a node", () => {
    const { context, id } = tree();
    const folded = new Set([id("b"), id("c"), id("d"), id("f")]);
    expect(foldsAbove(context, folded, id("d"))).toEqual([id("b"), id("c")]);
  });

  it("lead from branch to branch at the nearest fork, round and round", () => {
    const { context, id } = tree();
    const next = (from: string, step: 1 | -1) => neighbourBranch(shapeOf(context), id(from), step);
    expect([next("g", -1), next("d", 1), next("f", 1), next("c", -1)]).toEqual([
      id("e"),
      id("e"),
      id("c"),
      id("f"),
    ]);
    expect(next("a", 1)).toBeUndefined();
  });

  it("have one for chatter, which can be opened, and which is no branch", () => {
    const { context, lines } = chatty();
    const shape = shapeOf(context);
    const rows = (open: readonly string[]) =>
      treeRows(shape, { folded: new Set(), opened: new Set(open) }).map(
        ({ node, chatter, folded, forks }) => `${node.id} ${chatter?.length ?? 1} ${String(folded)} ${forks}`,
      );
    expect(rows([])).toEqual([
      "s 1 undefined 0",
      "c 1 undefined 0",
      "p1 3 3 0",
      "r 1 undefined 0",
      "q 1 undefined 0",
      "m 1 undefined 0",
    ]);
    expect(rows(["p1"]).slice(2, 5)).toEqual(["p1 1 false 0", "p2 1 undefined 0", "p3 1 undefined 0"]);
    expect([...chatterLines(shape)]).toEqual(lines);
    expect(neighbourBranch(shape, "m", 1)).toBeUndefined();
  });
});

/** Chatter beside a call (`p1` to `p3`) and one line of it (`q`) on the way to the head. */
function chatty() {
  const event = {
    type: "session_started",
    sessionId: "s",
    root: {
      id: "s",
      parentId: null,
      timestamp: 0,
      payload: { kind: "task_boundary", name: "", transformation: { kind: "clear" } },
    },
  } as const;
  const chatter = { kind: "unknown", type: "progress", data: {} } as const;
  const call = { kind: "tool_call", callId: "A", name: "x", args: {} } as const;
  const nodes: [string, string, TurnPayload][] = [
    ["c", "s", call],
    ["p1", "c", chatter],
    ["p2", "p1", chatter],
    ["p3", "c", chatter],
    ["r", "c", { kind: "tool_result", callId: "A", name: "x", output: "no", isError: true }],
    ["q", "r", chatter],
    ["m", "q", { kind: "model_message", text: "done" }],
  ];
  let context = startedContext(event);
  for (const [id, parentId, payload] of nodes) {
    const next = applyEvent(context, {
      type: "nodes_added",
      nodes: [{ id, parentId, timestamp: 1, payload }],
      head: id,
    });
    if (isRefusal(next)) throw new Error(next.message);
    context = next;
  }
  const lines = [
    ["p1", "p1"],
    ["p2", "p1"],
    ["p3", "p1"],
    ["q", "q"],
  ];
  return { context, lines };
}
