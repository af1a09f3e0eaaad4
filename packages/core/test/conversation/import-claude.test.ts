import { describe, expect, it } from "vitest";
import { answered, folded, imported, line, outline, result, said, use } from "./import-support.js";

describe("a transcript of Claude Code", () => {
  it("has the results of parallel calls put behind the last call", () => {
    const session = imported([
      { type: "summary", summary: "Reading", leafUuid: "e" },
      said("a", null, "read both"),
      answered("b", "a", "m1", { type: "thinking", thinking: "both", signature: "sig" }),
      answered("c", "b", "m1", use("t1")),
      answered("d", "c", "m1", use("t2")),
      said("r1", "c", result("t1", "one"), { toolUseResult: { numLines: 1 } }),
      said("r2", "d", result("t2", "two")),
      answered("e", "r2", "m2", { type: "text", text: "Read." }),
    ]);
    expect(outline(session)).toEqual([
      "task Reading",
      "note for person: Not in the tree: 1 line that is no turn (summary 1).",
      "user read both",
      "model (both) ",
      "call t1 Read",
      "call t2 Read",
      "result t1 Read one",
      "result t2 Read two",
      "model Read. <",
    ]);
    expect(session.title).toBe("Reading");
    const node = [...folded(session).context.nodes.values()].find(
      ({ payload }) => payload.kind === "tool_result",
    );
    expect(node?.metadata.custom).toEqual({ "claude:details": { numLines: 1 } });
  });

  it("has results that came between the calls of one answer put behind the last call", () => {
    const session = imported([
      said("a", null, "read both"),
      answered("b", "a", "m1", use("t1")),
      said("r1", "b", result("t1", "one")),
      { ...line("p", "r1", "progress", {}), type: "progress" },
      answered("c", "p", "m1", use("t2")),
      said("r2", "c", result("t2", "two")),
      answered("d", "r2", "m1", use("t3")),
      said("r3", "d", result("t3", "three")),
      answered("e", "r3", "m2", { type: "text", text: "Read." }),
    ]);
    expect(session.problems).toEqual([]);
    expect(outline(session).join(", ")).toBe(
      "task read both, note for person: Not in the tree: 1 line that is no turn (progress 1)., " +
        "user read both, call t1 Read, call t2 Read, call t3 Read, " +
        "result t1 Read one, result t2 Read two, result t3 Read three, model Read. <",
    );
  });

  it("has a subagent as a complete task, a compaction as a summary, and what is no turn counted", () => {
    const session = imported([
      { type: "queue-operation", operation: "enqueue" },
      said("a", null, "look into it"),
      answered("b", "a", "m1", use("t1", "Task")),
      said("s1", null, "you look", { isSidechain: true, agentId: "7" }),
      answered("s2", "s1", "m9", { type: "text", text: "Seen." }, { isSidechain: true }),
      said("c", "b", result("t1", "Seen.")),
      {
        ...line("k", null, "system", {}),
        logicalParentUuid: "c",
        subtype: "compact_boundary",
        content: "Compacted",
      },
      said("l", "k", "what was", { isCompactSummary: true }),
      said("m", "l", "a caveat", { isMeta: true }),
      answered("n", "m", "m2", { type: "text", text: "On." }),
    ]);
    expect(outline(session)).toEqual([
      "task look into it",
      "note for person: Not in the tree: 1 line that is no turn (queue-operation 1).",
      "user look into it",
      "call t1 Task",
      "  task subagent 7",
      "  user you look",
      "  model Seen.",
      "  result t1 Task Seen.",
      "  note for person: Compacted",
      "  summary of compaction: what was",
      "  note for model: a caveat",
      "  model On. <",
    ]);
    const tasks = [...folded(session).context.tasks.values()].map(({ outcome }) => outcome);
    expect(tasks.toSorted()).toEqual(["complete", "open"]);
  });
});
