import { ContextManager, isRefusal, type TurnNode } from "@holdfast/core";
import { describe, expect, it } from "vitest";
import { foldsAbove, neighbourBranch, treeRows } from "../../src/page/tree-rows.js";

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

const nameOf = ({ payload }: TurnNode) => (payload.kind === "note" ? payload.text : "root");

function drawn(folded: readonly string[] = [], shows?: (node: TurnNode) => boolean): readonly string[] {
  const { context, id } = tree();
  const view = { folded: new Set(folded.map(id)), ...(shows === undefined ? {} : { shows }) };
  return treeRows(context, view).map((row) => {
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
    const next = (from: string, step: 1 | -1) => neighbourBranch(context, id(from), step);
    expect([next("g", -1), next("d", 1), next("f", 1), next("c", -1)]).toEqual([
      id("e"),
      id("e"),
      id("c"),
      id("f"),
    ]);
    expect(next("a", 1)).toBeUndefined();
  });
});
