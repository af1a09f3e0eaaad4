import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filesMade, type Manifest, Manifests } from "../../src/conversation/index.js";
import {
  type ConversationContext,
  namesFrom,
  type TurnPayload,
} from "../../src/conversation/values/index.js";
import { boundary, freshConversation, said, saw, withNode, withPath, wrote } from "./files-support.js";

describe("the manifest of a node", () => {
  it("is the fold of what the nodes on its path say, and of no other branch", () => {
    let tree = withPath(freshConversation(), "a", "root", [
      saw("x", "1"),
      wrote("x", "1", "2"),
      wrote("y", null, "9"),
    ]);
    tree = withPath(tree, "b", "a1", [wrote("x", "1", "3"), wrote("x", "3", null)]);
    const file = {
      kind: "file_content",
      path: "z",
      version: 1,
      sha256: "7",
      lines: { from: 1, to: 0, total: 0 },
      text: "",
      form: "whole",
    } as const;
    tree = withNode(tree, "b3", "b2", file);
    const manifests = new Manifests();
    expect(entries(manifests.at(tree, "a3"))).toEqual({ x: "2", y: "9" });
    expect(entries(manifests.at(tree, "b3"))).toEqual({ x: null, z: "7" });
    expect(entries(manifests.at(tree, "root"))).toEqual({});
  });

  it("takes what a task changed over to the branch of its summary, and what a restore did", () => {
    let tree = withPath(freshConversation(), "a", "root", [wrote("x", null, "1")]);
    tree = withPath(tree, "t", "a1", [boundary("task"), wrote("x", "1", "2"), wrote("y", null, "5")]);
    expect(entries(new Manifests().at(tree, "a1"))).toEqual({ x: "1" });
    const files = filesMade(tree, "t1", "t3");
    expect(files).toEqual([
      { path: "x", from: "1", to: "2" },
      { path: "y", from: null, to: "5" },
    ]);
    tree = withNode(tree, "a2", "a1", {
      kind: "task_summary",
      taskId: "t1",
      name: "task",
      summary: "done",
      files,
      tipId: "t3",
    });
    expect(entries(new Manifests().at(tree, "a2"))).toEqual({ x: "2", y: "5" });
    tree = withNode(tree, "r", "a1", {
      kind: "restore",
      restoreId: "r0",
      fromId: "a2",
      toId: "a1",
      files: [
        { path: "x", from: "2", to: "1" },
        { path: "y", from: "5", to: null },
      ],
    });
    expect(entries(new Manifests().at(tree, "r"))).toEqual({ x: "1", y: null });
  });

  it("knows a file under one name, whether it was called by the relative or the absolute one", () => {
    const naming = namesFrom("/home/me/project", "/mnt/project/");
    const named = ["a/b", "./a//b", "/home/me/project/a/b", "/mnt/project/a/c/../b", "a/x/../b"].map(naming);
    expect(new Set(named)).toEqual(new Set(["a/b"]));
    expect(naming("/home/me/project2/a")).toBe("/home/me/project2/a");
    const tree = withPath(freshConversation(), "a", "root", [
      wrote("/home/me/project/x", null, "1"),
      wrote("./x", "1", "2"),
    ]);
    expect(entries(new Manifests(naming).at(tree, "a2"))).toEqual({ x: "2" });
    expect(filesMade(tree, "root", "a2", new Manifests(naming))).toEqual([
      { path: "x", from: null, to: "2" },
    ]);
  });

  it("is the same from scratch as step by step, on random trees", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), step), { maxLength: 60 }), fc.nat(5), (steps, apart) => {
        const stepwise = new Manifests(undefined, apart + 1);
        let tree = freshConversation();
        const ids = ["root"];
        for (const [parent, payload] of steps) {
          const id = `n${ids.length}`;
          tree = withNode(tree, id, ids[parent % ids.length] ?? "root", payload);
          ids.push(id);
          stepwise.at(tree, id);
        }
        for (const id of ids) {
          const expected = scratch(tree, id);
          expect(entries(stepwise.at(tree, id))).toEqual(expected);
          expect(entries(new Manifests().at(tree, id))).toEqual(expected);
        }
      }),
    );
  });

  it("of a new node looks at no more of a long path than is new", () => {
    const tree = withPath(
      freshConversation(),
      "a",
      "root",
      Array.from({ length: 3_000 }, (_, at) => wrote(`f${at}`, null, "1")),
    );
    const manifests = new Manifests();
    manifests.at(tree, "a3000");
    const grown = withNode(tree, "b", "a3000", wrote("f1", "1", "2"));
    let looks = 0;
    const counting: ConversationContext = {
      ...grown,
      nodes: new Proxy(grown.nodes, {
        get: (nodes, key) => {
          if (key === "get") looks += 1;
          const value: unknown = Reflect.get(nodes, key, nodes);
          return typeof value === "function" ? value.bind(nodes) : value;
        },
      }),
    };
    expect(manifests.at(counting, "b").size).toBe(3_000);
    expect(looks).toBe(1);
    // An old one: no further than to the next checkpoint above it.
    expect(manifests.at(counting, "a1400").size).toBe(1_400);
    expect(looks).toBeLessThan(260);
  });
});

describe("what tools changed between two nodes", () => {
  const cases: readonly (readonly [string, readonly TurnPayload[], readonly unknown[]])[] = [
    ["of a file that was only read is nothing", [saw("x", "1"), saw("x", "1")], []],
    ["is told net", [wrote("x", "1", "2"), wrote("x", "2", "3")], [{ path: "x", from: "1", to: "3" }]],
    ["and nothing of what was taken back", [wrote("x", "1", "2"), wrote("x", "2", "1")], []],
    ["leaves out what only others did", [saw("x", "1"), saw("x", "2")], []],
    [
      "leaves out what nobody knows the beginning of",
      [
        {
          kind: "tool_result",
          callId: "c",
          name: "t",
          output: "",
          files: [{ path: "x", after: "2", by: "tool" }],
        },
      ],
      [],
    ],
  ];
  for (const [name, payloads, expected] of cases) {
    it(name, () => {
      const tree = withPath(freshConversation(), "a", "root", [boundary("task"), ...payloads]);
      expect(filesMade(tree, "a1", tree.currentNodeId)).toEqual(expected);
    });
  }
});

const state = fc.constantFrom("1", "2", "3", null);
const step = fc
  .tuple(fc.constantFrom("x", "y", "z"), state, state)
  .map(([path, before, after]) => (after === "3" ? said : wrote(path, before, after)));

function entries(manifest: Manifest): Record<string, string | null> {
  return Object.fromEntries(manifest);
}

function scratch(tree: ConversationContext, id: string): Record<string, string | null> {
  const node = tree.nodes.get(id);
  const above = node?.parentId == null ? {} : scratch(tree, node.parentId);
  if (node?.payload.kind !== "tool_result") return above;
  return {
    ...above,
    ...Object.fromEntries((node.payload.files ?? []).map(({ path, after }) => [path, after])),
  };
}
