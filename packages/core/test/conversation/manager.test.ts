import { describe, expect, it } from "vitest";
import { ContextManager, isPruned, listTasks, trackedFiles } from "../../src/conversation/index.js";
import {
  defineMetadataKey,
  isJson,
  type JsonValue,
  type TurnPayload,
} from "../../src/conversation/values/index.js";
import { call, codeOf, countedIds, must, newManager, reply, result, say, steadyClock } from "./support.js";

describe("a new conversation", () => {
  it("gives out values that later changes leave as they are", () => {
    const manager = newManager();
    const before = manager.context;
    say(manager, "hello");
    expect(before.currentNodeId).toBe(before.rootNode.id);
    expect(before.rootNode.childIds).toEqual([]);
    expect(manager.context.rootNode.childIds).toEqual([manager.context.currentNodeId]);
  });
});

describe("a call that was interrupted", () => {
  it("can be gone back to, since no result of it stands below; one that was answered later cannot", () => {
    const manager = newManager();
    say(manager, "look");
    const cut = call(manager, "1");
    say(manager, "what became of it?");
    expect(must(manager.rewind()).id).toBe(cut.id);
    say(manager, "again");
    expect(must(manager.rewind(cut.id)).id).toBe(cut.id);
    must(manager.addNode({ kind: "note", text: "between", audience: "model" }));
    must(manager.addNode(result("1")));
    expect(codeOf(manager.rewind(cut.id))).toBe("open_calls");
  });
});

describe("who listens", () => {
  it("is told in order, and nobody's answer is another's, also where a listener changes the conversation", () => {
    const manager = newManager();
    const told: unknown[] = [];
    let answered = false;
    manager.subscribe(() => {
      if (answered) return;
      answered = true;
      must(manager.addNode({ kind: "note", text: "seen", audience: "person" }));
    });
    manager.subscribe(({ nodes }, event) => told.push([event?.type, nodes.size]));
    expect(say(manager, "hello").payload).toMatchObject({ kind: "user_message" });
    expect(told).toEqual([
      ["nodes_added", 2],
      ["nodes_added", 3],
    ]);
  });
});

describe("staging", () => {
  it("becomes nodes above the message, in order, in one event", () => {
    const manager = newManager();
    const events: string[] = [];
    manager.subscribe((_, event) => events.push(event?.type ?? "rolled back"));
    must(manager.addToStagingArea({ kind: "note", text: "one", audience: "model" }));
    must(manager.addToStagingArea({ kind: "note", text: "two", audience: "model" }));
    const node = say(manager, "go");
    const second = manager.context.nodes.get(node.parentId ?? "");
    const first = manager.context.nodes.get(second?.parentId ?? "");
    expect([first?.payload, second?.payload]).toMatchObject([{ text: "one" }, { text: "two" }]);
    expect(manager.context.stagingArea).toEqual([]);
    expect(events).toEqual(["staged", "staged", "nodes_added"]);
  });

  it("is checked where it will stand: what cannot stand there is named, and nothing is taken", () => {
    const manager = newManager();
    const base = say(manager, "go");
    const above = reply(manager, "a long answer");
    must(manager.addToStagingArea({ kind: "note", text: "fine", audience: "model" }));
    const form = { form: "hidden" } as const;
    const item = must(
      manager.addToStagingArea({ kind: "context_management", action: "overlay", targetId: above.id, form }),
    );
    must(manager.rewind(base.id));
    const before = manager.context;
    const answer = manager.commitStagedItems("go on");
    expect(answer).toMatchObject({ code: "unknown_node", message: expect.stringContaining(item.id) });
    expect(manager.context).toBe(before);
    must(manager.discardStaging([item.id]));
    say(manager, "go on");
  });

  it("takes only what can stand above a message of the user", () => {
    const manager = newManager();
    say(manager, "go");
    const cases: readonly TurnPayload[] = [
      result("1"),
      { kind: "unknown", type: "later", data: {} },
      { kind: "task_summary", taskId: "t", name: "", summary: "s", files: [], tipId: "t" },
      { kind: "task_boundary", name: "t", transformation: { kind: "clone" } },
    ];
    for (const payload of cases) expect(codeOf(manager.addToStagingArea(payload))).toBe("invalid_payload");
    expect(manager.context.stagingArea).toEqual([]);
  });

  it("takes items out again, one or all", () => {
    const manager = newManager();
    const one = must(manager.addToStagingArea({ kind: "note", text: "one", audience: "model" }));
    must(manager.addToStagingArea({ kind: "note", text: "two", audience: "model" }));
    must(manager.discardStaging([one.id]));
    expect(manager.context.stagingArea).toMatchObject([{ payload: { text: "two" } }]);
    expect(codeOf(manager.discardStaging([one.id]))).toBe("not_staged");
    must(manager.discardStaging());
    expect(manager.context.stagingArea).toEqual([]);
  });
});

describe("tasks", () => {
  it("fork the tree, and merge into the parent branch by a summary with the files they changed", () => {
    const manager = newManager();
    say(manager, "fix the parser");
    const before = reply(manager, "I look into it.");
    const boundary = must(manager.startTask({ name: "parser", goal: "find the bug" }));
    expect(boundary.parentId).toBe(before.id);
    call(manager, "c1", "safe_patch");
    must(
      manager.addNode({
        kind: "tool_result",
        callId: "c1",
        name: "safe_patch",
        output: "applied",
        files: [{ path: "a.ts", before: "a".repeat(64), after: "b".repeat(64), by: "tool" }],
      }),
    );
    const tip = reply(manager, "Found it.");
    const summary = must(manager.completeTask({ summary: "An off-by-one." }));
    expect(summary.parentId).toBe(before.id);
    expect(summary.payload).toMatchObject({
      kind: "task_summary",
      taskId: boundary.id,
      tipId: tip.id,
      files: [{ path: "a.ts", from: "a".repeat(64), to: "b".repeat(64) }],
    });
    expect(manager.context.nodes.has(tip.id)).toBe(true);
    expect(listTasks(manager.context).tasks).toMatchObject([{ name: "parser", state: "complete" }]);
  });

  it("can be popped and resumed, and a nested one ends in the task around it", () => {
    const manager = newManager();
    say(manager, "go");
    const outer = must(manager.startTask({ name: "outer" }));
    const inner = must(manager.startTask({ name: "inner" }));
    const inside = reply(manager, "inside");
    must(manager.popTask());
    expect(manager.context.currentNodeId).toBe(outer.id);
    must(manager.popTask());
    expect(listTasks(manager.context).tasks).toMatchObject([
      { name: "outer", state: "paused", tasks: [{ name: "inner", state: "paused" }] },
    ]);
    must(manager.resumeTask(inner.id));
    expect(manager.context.currentNodeId).toBe(inside.id);
    const summary = must(manager.completeTask({ summary: "done" }));
    expect(summary.parentId).toBe(outer.id);
    expect(summary.taskId).toBe(outer.id);
  });

  it("that are cancelled are pruned, kept, and can be restored", () => {
    const manager = newManager();
    const base = say(manager, "go");
    const boundary = must(manager.startTask({ name: "try" }));
    const inside = reply(manager, "inside");
    must(manager.cancelTask());
    expect(manager.context.currentNodeId).toBe(base.id);
    expect(isPruned(manager.context, inside.id)).toBe(true);
    expect(codeOf(manager.rewind(inside.id))).toBe("pruned_node");
    must(manager.resumeTask(boundary.id));
    expect(isPruned(manager.context, inside.id)).toBe(false);
    expect(manager.context.currentNodeId).toBe(inside.id);
  });

  it("are not stranded where the end of their branch, or of the one around them, is pruned", () => {
    const manager = newManager();
    const base = say(manager, "go");
    const answer = reply(manager, "an answer");
    must(manager.startTask({ name: "task" }));
    must(manager.popTask());
    const aside = reply(manager, "aside");
    const task = must(manager.resumeTask(listTasks(manager.context).tasks[0]?.id ?? ""));
    must(manager.prune(aside.id));
    const summary = must(manager.completeTask({ summary: "done" }));
    expect(summary.parentId).toBe(answer.id);
    expect(codeOf(manager.expandTask(task.id))).toBe("done");
    must(manager.prune(task.id));
    expect(codeOf(manager.expandTask(task.id))).toBe("pruned_node");
    expect(base.id).toBe("n2");
  });

  it.each([
    ["complete", (manager: ContextManager) => manager.completeTask({ summary: "x" }), "no_task"],
    ["cancel", (manager: ContextManager) => manager.cancelTask(), "no_task"],
    ["pop", (manager: ContextManager) => manager.popTask(), "no_task"],
    ["restart", (manager: ContextManager) => manager.restartTask(), "no_task"],
    ["resume", (manager: ContextManager) => manager.resumeTask("nope"), "unknown_task"],
    ["expand", (manager: ContextManager) => manager.expandTask("nope"), "unknown_task"],
    [
      "start from no summary",
      (manager: ContextManager) => manager.startTask({ transformation: { kind: "compress", summary: " " } }),
      "no_summary",
    ],
  ])("refuse to %s where there is nothing to do it to", (_, act, code) => {
    const manager = newManager();
    const before = manager.context;
    expect(codeOf(act(manager))).toBe(code);
    expect(manager.context).toBe(before);
  });
});

describe("moving the head", () => {
  it("goes back before the last message, and the other path stays", () => {
    const manager = newManager();
    say(manager, "one");
    const answer = reply(manager, "1");
    must(manager.addToStagingArea({ kind: "note", text: "aside", audience: "model" }));
    const second = say(manager, "two");
    reply(manager, "2");
    expect(manager.context.nodes.get(must(manager.rewind()).id)?.id).toBe(answer.id);
    const other = say(manager, "other");
    expect(other.parentId).toBe(answer.id);
    expect(manager.context.nodes.has(second.id)).toBe(true);
  });

  it("does not stop inside a batch of calls", () => {
    const manager = newManager();
    say(manager, "go");
    const first = call(manager, "c1");
    call(manager, "c2");
    const answered = must(manager.addNode(result("c1")));
    must(manager.addNode(result("c2")));
    expect(codeOf(manager.rewind(first.id))).toBe("open_calls");
    expect(codeOf(manager.rewind(answered.id))).toBe("open_calls");
    expect(codeOf(manager.rewind("nope"))).toBe("unknown_node");
  });
});

describe("nodes", () => {
  it("that answer a call stand where the call waits, once", () => {
    const manager = newManager();
    say(manager, "go");
    expect(codeOf(manager.addNode(result("c1")))).toBe("unmatched_result");
    call(manager, "c1");
    expect(codeOf(manager.addNode({ kind: "tool_call", callId: "c1", name: "x", args: {} }))).toBe(
      "duplicate_id",
    );
    expect(codeOf(manager.addNode(result("c1", "ok", "other")))).toBe("unmatched_result");
    must(manager.addNode(result("c1")));
    expect(codeOf(manager.addNode(result("c1")))).toBe("unmatched_result");
  });

  it("are refused where they could not be kept or do not belong", () => {
    const manager = newManager();
    const base = say(manager, "go");
    const here = reply(manager, "here");
    must(manager.rewind(base.id));
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const cases = [
      [manager.addNode({ kind: "note", text: "x", audience: "model" }, "nope"), "unknown_node"],
      [manager.overlay(here.id, { form: "hidden" }), "unknown_node"],
      [manager.addNode({ kind: "unknown", type: "later", data: {} }), "invalid_payload"],
      [manager.setMetadata(base.id, { custom: { "a/b": circle } }), "invalid_metadata"],
      [manager.setMetadata(base.id, { custom: { "a/b": () => 1 } }), "invalid_metadata"],
      // @ts-expect-error: it cannot be written, only forced.
      [manager.setMetadata(base.id, { isHiddenFromLlm: true }), "invalid_metadata"],
      // @ts-expect-error: as above.
      [manager.setMetadata(base.id, { provenance: { source: "x" } }), "invalid_metadata"],
      [manager.setLabel("nope", "x"), "unknown_node"],
      [manager.prune(manager.context.rootNode.id), "invalid_arguments"],
      [manager.prune(base.id), "pruned_node"],
      [manager.dropRestore("nope"), "invalid_arguments"],
      [manager.beginRestore({ restoreId: "r", fromId: base.id, toId: "nope", files: [] }), "unknown_node"],
      [manager.unprune(base.id), "unknown_node"],
    ] as const;
    expect(cases.map(([answer]) => codeOf(answer))).toEqual(cases.map(([, code]) => code));
  });

  it("carry labels and an extension's own data, which others leave alone", () => {
    const manager = newManager();
    const node = say(manager, "go");
    const isNumber = (value: JsonValue): value is number => typeof value === "number";
    const score = defineMetadataKey("judge/score", isNumber);
    must(manager.setLabel(node.id, "start"));
    must(manager.setCustom(node.id, score, 7));
    const other = defineMetadataKey("other/thing", isJson);
    must(manager.setCustom(node.id, other, { deep: [1] }));
    const { metadata } = manager.getCurrentNode();
    expect(metadata).toEqual({ label: "start", custom: { "judge/score": 7, "other/thing": { deep: [1] } } });
    expect(score.read(metadata)).toBe(7);
    must(manager.setCustom(node.id, score, null));
    must(manager.setLabel(node.id, ""));
    expect(manager.getCurrentNode().metadata).toEqual({ custom: { "other/thing": { deep: [1] } } });
  });
});

describe("data of extensions", () => {
  const isText = (value: JsonValue): value is string => typeof value === "string";
  const note = defineMetadataKey("me/note", isText);

  it("are taken under declared keys only, and of the declared type only", () => {
    const manager = new ContextManager({ ids: countedIds(), now: steadyClock(), metadataKeys: [note] });
    const text: TurnPayload = { kind: "note", text: "x", audience: "model" };
    const node = must(manager.addNode(text, undefined, { custom: { "me/note": "here" } }));
    must(manager.setMetadata(node.id, { custom: { "me/note": "there" } }));
    const before = manager.context;
    for (const custom of [{ "me/note": 7 }, { "you/note": "x" }, { "me/note": "x", loose: 1 }]) {
      expect(codeOf(manager.addNode(text, undefined, { custom }))).toBe("invalid_metadata");
      expect(codeOf(manager.setMetadata(node.id, { custom }))).toBe("invalid_metadata");
    }
    // @ts-expect-error: the key's own type; as a caller without types would have it.
    expect(codeOf(manager.setCustom(node.id, note, 7))).toBe("invalid_metadata");
    expect(manager.context).toBe(before);
    must(manager.setMetadata(node.id, { custom: { "me/note": null, "you/note": null } }));
    expect(manager.context.nodes.get(node.id)?.metadata.custom).toBeUndefined();
  });
});

describe("what the types do not allow", () => {
  // As a caller without types, or with JSON from elsewhere, would have it.
  const forced: readonly (readonly [string, (manager: ContextManager, base: string) => unknown, string])[] = [
    [
      "arguments that are a list",
      (m) => m.addNode(JSON.parse('{"kind":"tool_call","callId":"c","name":"n","args":[]}')),
      "invalid_payload",
    ],
    [
      "a kind that is mistyped",
      (m) => m.addNode(JSON.parse('{"kind":"user_mesage","text":"x"}')),
      "invalid_payload",
    ],
    [
      "a staged call",
      (m) => m.addToStagingArea(JSON.parse('{"kind":"tool_call","callId":"c","name":"n","args":{}}')),
      "invalid_payload",
    ],
    ["a message that is none", (m) => m.commitStagedItems(JSON.parse("7")), "invalid_payload"],
  ];
  it.each(forced)("%s is refused, and nothing changes", (_, act, code) => {
    const manager = newManager();
    const base = say(manager, "go");
    const before = manager.context;
    const answer = act(manager, base.id);
    expect(answer).toMatchObject({ kind: "refusal", code });
    expect(manager.context).toBe(before);
  });
});

describe("an expansion", () => {
  it("that the user asks for lasts through the next turn", () => {
    const manager = newManager();
    say(manager, "go");
    const task = must(manager.startTask({ name: "t" }));
    must(manager.completeTask({ summary: "done" }));
    must(manager.expandTask(task.id));
    say(manager, "tell me more");
    expect([...manager.expansionOverrides]).toEqual([task.id]);
    expect(reply(manager, "more").metadata.provenance?.expanded).toEqual([task.id]);
    say(manager, "thanks");
    expect([...manager.expansionOverrides]).toEqual([]);
  });

  it("that the model asks for ends with the turn in which it asked", () => {
    const manager = newManager();
    const task = must(manager.startTask({ name: "t" }));
    must(manager.completeTask({ summary: "done" }));
    say(manager, "go");
    call(manager, "c1", "expand_task_summary");
    must(manager.expandTask(task.id));
    must(manager.addNode(result("c1", "shown", "expand_task_summary")));
    expect(manager.expansionOverrides.has(task.id)).toBe(true);
    say(manager, "next");
    expect(manager.expansionOverrides.size).toBe(0);
  });
});

describe("tracked files", () => {
  it("belong to the branch on which they were tracked", () => {
    const manager = newManager();
    const base = say(manager, "go");
    must(manager.trackFile("a.ts"));
    must(manager.trackFile("b.ts"));
    must(manager.untrackFile("a.ts"));
    expect(trackedFiles(manager.context)).toEqual(["b.ts"]);
    expect(codeOf(manager.trackFile("b.ts"))).toBe("invalid_arguments");
    expect(codeOf(manager.untrackFile("a.ts"))).toBe("invalid_arguments");
    must(manager.rewind(base.id));
    expect(trackedFiles(manager.context)).toEqual([]);
  });
});
