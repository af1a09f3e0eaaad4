import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { debugOutline, debugYaml } from "../../src/context/index.js";
import { call, file, model, result, Tree, task, taskSummary, user } from "./support.js";

const nasty = "a\u202eb\u0007 <b>\tc\r\nd\u2028\ud800 e: - #\n";

function busyTree(): Tree {
  return new Tree()
    .add("u1", user("Find the bug.\nIt is in the parser."))
    .add("m1", model("I will look.", { thought: "where?" }))
    .add("c1", call("A"))
    .add("r1", result("A", nasty))
    .add("t1", task("a try", { kind: "clear" }, { goal: "mend it" }))
    .add("x1", user("inside"), { label: "first" })
    .add("s1", taskSummary("t1", "x1"), {}, "r1")
    .add("f1", file("x\n"), { isHiddenFromLlm: true })
    .add("side", { kind: "note", text: "aside", audience: "person" }, {}, "m1")
    .move("f1")
    .apply({ type: "pruned", nodeId: "side" })
    .apply({ type: "staged", id: "st", timestamp: 1, payload: user("next") });
}

describe("the outline", () => {
  it("goes deeper for branches and tasks only, and marks what is special", () => {
    const state = busyTree().context;
    expect(debugOutline(state).split("\n")).toEqual([
      "session root, 10 nodes",
      'root session "session"',
      "u1 user: Find the bug. It is in the parser.",
      "m1 model: I will look. (with thought)",
      "  side note for the person: aside [pruned]",
      'c1 call A: read_file {"path":"a"}',
      "r1 result A: a\\u202eb\\u0007 ‹b› c d \\ud800 e: - #",
      '  t1 task "a try" (clear): mend it [paused]',
      '  x1 user: inside [label "first"]',
      's1 task summary "a task", 0 files: It is done.',
      "f1 file src/a.ts v1 aaaaaaaaaaaaaaaa lines 1-1 of 1 (whole) [hidden] <- head",
      "staged st user: next",
      "",
    ]);
  });

  it("shows people angle brackets as they are, and the session by its present title", () => {
    const { context } = busyTree().apply({ type: "renamed", title: "a <title>" });
    const person = debugOutline(context, { reader: "person" }).split("\n");
    expect(person[1]).toBe('root session "a <title>"');
    expect(person).toContain("r1 result A: a\\u202eb\\u0007 <b> c d \\ud800 e: - #");
    expect(debugOutline(context).split("\n")[1]).toBe('root session "a \\u003ctitle\\u003e"');
    expect(debugOutline(context).replace(" <- head", "")).not.toMatch(/[<>]/);
  });

  it("can leave nodes out, fold tasks and shorten texts", () => {
    const outline = debugOutline(busyTree().context, {
      filter: ({ payload }) => payload.kind === "user_message" || payload.kind === "task_boundary",
      fold: new Set(["t1"]),
      width: 9,
    });
    expect(outline.split("\n").slice(1)).toEqual([
      'root session "session"',
      "u1 user: Find the…",
      "(4 not shown)",
      '  t1 task "a try" (clear): mend it [paused] …',
      "(2 not shown)",
      "staged st user: next",
      "",
    ]);
  });
});

describe("the state as YAML", () => {
  it("reads back as the same values, whatever the texts hold", async () => {
    const { context } = busyTree();
    const text = await debugYaml(context);
    for (const char of ["\u202e", "\u0007", "\u2028", "\ud800", "\r"]) expect(text).not.toContain(char);
    const state = parse(text);
    expect(state).toMatchObject({ session: "root", head: "f1", pruned: ["side"] });
    const [, first] = state.nodes;
    expect(first).toEqual({
      id: "u1",
      parentId: "root",
      timestamp: 2_000,
      taskId: "root",
      depth: 1,
      payload: { kind: "user_message", text: "Find the bug.\nIt is in the parser." },
    });
    for (const { id, payload, metadata } of state.nodes) {
      const node = context.nodes.get(id);
      expect({ payload, metadata: metadata ?? {} }).toEqual({
        payload: node?.payload,
        metadata: node?.metadata,
      });
    }
    expect(state.staged).toEqual(context.stagingArea);
  });
});
