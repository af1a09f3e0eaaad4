import { describe, expect, it } from "vitest";
import { debugOutline, type HistoryFilter, historyFilter } from "../../src/context/index.js";
import { TreeShape } from "../../src/conversation/index.js";
import type { ConversationContext, TurnPayload } from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { call, model, result, Tree, task, taskSummary, user } from "./support.js";

const progress = (at: number): TurnPayload => ({ kind: "unknown", type: "claude:progress", data: { at } });
const queue: TurnPayload = { kind: "unknown", type: "claude:queue", data: {} };

/** As an import of another agent's transcript may be: chatter beside the line, and on it. */
function chatty(): Tree {
  return new Tree()
    .add("u", user("Look."))
    .add("c", call("A"))
    .add("p1", progress(1))
    .add("p2", progress(2))
    .add("p3", progress(3), {}, "c")
    .add("r", result("A"), {}, "c")
    .add("q", queue)
    .add("p4", progress(4))
    .add("m", model("Seen."));
}

function busy(): Tree {
  return new Tree()
    .add("u1", user("Find the bug."))
    .add("t1", task("a try"))
    .add("x1", user("inside"), { label: "Here" })
    .add("t2", task("deeper"))
    .add("x2", model("nothing there"))
    .add("s2", taskSummary("t2", "x2"), {}, "x1")
    .apply({ type: "head_moved", head: "s2", reason: "navigate", task: { id: "t2", outcome: "complete" } })
    .add("s1", taskSummary("t1", "s2"), {}, "u1")
    .apply({ type: "head_moved", head: "s1", reason: "navigate", task: { id: "t1", outcome: "complete" } })
    .add("side", user("another way"), {}, "u1")
    .move("s1");
}

function shown(context: ConversationContext, filter: HistoryFilter): readonly string[] {
  const options = historyFilter(context, filter);
  if (isRefusal(options)) return [options.code];
  const lines = debugOutline(context, options).trimEnd().split("\n").slice(1);
  return lines.map((line) => line.replace(/^( *\S+).*$/, line.includes("(") ? line.trim() : "$1"));
}

describe("chatter", () => {
  it("is one line where it stands, and no branch", () => {
    const { context } = chatty();
    expect(debugOutline(context).split("\n").slice(1, -1)).toEqual([
      'root session "session"',
      "u user: Look.",
      'c call A: read_file {"path":"a"}',
      "(3 lines of chatter: claude:progress 3)",
      "r result A: output of A",
      "(2 lines of chatter: claude:progress 1, claude:queue 1)",
      "m model: Seen. <- head",
    ]);
    const shape = new TreeShape(context, { tasksAside: true });
    expect([shape.branches(), shape.ends().map(({ id }) => id)]).toEqual([1, ["m"]]);
  });

  it("is shown node by node to those who ask for it", () => {
    const { context } = chatty();
    const all = historyFilter(context, { chatter: true });
    expect(debugOutline(context, isRefusal(all) ? {} : all)).toContain("  p2 unknown kind claude:progress");
    expect(shown(context, { kinds: ["unknown"] }).filter((line) => line.includes("p"))).toHaveLength(4);
  });

  it("has a line of its own where something branches, where the head is, and where a person labelled it", () => {
    const forked = chatty().add("other", user("No."), {}, "q").move("m");
    expect(debugOutline(forked.context)).toMatch(/^q unknown kind/m);
    expect(debugOutline(chatty().move("q").context)).toMatch(/^q unknown kind .*<- head$/m);
    const labelled = chatty().apply({ type: "metadata_set", nodeId: "q", metadata: { label: "odd" } });
    expect(debugOutline(labelled.context)).toContain('[label "odd"]');
  });
});

describe("a history", () => {
  it.each<[HistoryFilter, readonly string[]]>([
    [
      { kinds: ["user_message"] },
      ["(1 not shown)", "u1", "(1 not shown)", "    x1", "(3 not shown)", "  side", "(1 not shown)"],
    ],
    [{ text: "NOTHING" }, ["(5 not shown)", "      x2", "(3 not shown)"]],
    [{ text: "here" }, ["(3 not shown)", "    x1", "(1 not shown)", "      x2", "(3 not shown)"]],
    [{ branch: "side" }, ["root", "u1", "(5 not shown)", "  side", "(1 not shown)"]],
    [{ branch: "sid" }, ["root", "u1", "(5 not shown)", "  side", "(1 not shown)"]],
    [{ branch: "x" }, ["invalid_arguments"]],
    [{ branch: "nope" }, ["unknown_node"]],
  ])("shows what %j asks for", (filter, lines) => {
    const found = shown(busy().context, filter);
    expect(found.map((line) => line.trim())).toEqual(lines.map((line) => line.trim()));
  });

  it("folds tasks, and what lies deeper than is asked for", () => {
    const { context } = busy();
    const lines = (filter: HistoryFilter) => {
      const options = historyFilter(context, filter);
      return debugOutline(context, isRefusal(options) ? {} : options);
    };
    expect(lines({ foldTasks: true })).toContain('t1 task "a try" (clone) [complete] …');
    expect(lines({ foldTasks: true })).not.toContain("inside");
    expect(lines({ depth: 0 })).not.toMatch(/^ /m);
    expect(lines({ depth: 1 })).toContain('t1 task "a try"');
    expect(lines({ depth: 1 })).not.toContain("deeper");
  });

  it("counts a task that was merged with the branch that it was merged into", () => {
    const shape = new TreeShape(busy().context, { tasksAside: true });
    expect(shape.ends().map(({ id }) => id)).toHaveLength(4);
    expect(shape.branches()).toBe(2);
  });
});
