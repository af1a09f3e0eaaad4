import { describe, expect, it } from "vitest";
import { renderContext } from "../../src/context/index.js";
import type { AnswerPart, ConversationEvent, ModelAnswer } from "../../src/conversation/values/index.js";
import { call, codeOf, must, newManager, result, say } from "./support.js";

const from = { provider: "anthropic", model: "claude" };

function answer(parts: readonly AnswerPart[], rest: Partial<ModelAnswer> = {}): ModelAnswer {
  return { step: "s1", from, parts, ...rest };
}

const asks = (callId: string) =>
  ({ kind: "tool_call", callId, name: "read_file", args: { path: callId } }) as const;

describe("a model's answer", () => {
  it("is one event, whatever it holds, with its usage on the last node", () => {
    const manager = newManager();
    const begun = say(manager, "go");
    const events: ConversationEvent[] = [];
    manager.subscribe((_, event) => event !== undefined && events.push(event));
    const usage = { inputTokens: 10, outputTokens: 5 };
    const nodes = must(
      manager.addAnswer(
        answer(
          [
            { kind: "thought", text: "hm", signature: "sig" },
            { kind: "redacted_thought", data: "r" },
            { kind: "text", text: "I look." },
            { ...asks("c1"), signature: "call", request: "f".repeat(64) },
            asks("c2"),
          ],
          { usage },
        ),
      ),
    );
    expect(events.map(({ type }) => type)).toEqual(["nodes_added"]);
    expect(nodes.map(({ payload }) => payload)).toEqual([
      {
        kind: "model_message",
        text: "I look.",
        thought: "hm",
        signature: "sig",
        redactedThought: "r",
        from,
        step: "s1",
      },
      {
        kind: "tool_call",
        callId: "c1",
        name: "read_file",
        args: { path: "c1" },
        request: "f".repeat(64),
        signature: "call",
        from,
        step: "s1",
      },
      { kind: "tool_call", callId: "c2", name: "read_file", args: { path: "c2" }, from, step: "s1" },
    ]);
    expect(nodes.map(({ metadata }) => metadata.usage)).toEqual([undefined, undefined, usage]);
    expect(nodes[0]?.parentId).toBe(begun.id);
    expect(manager.context.currentNodeId).toBe(nodes[2]?.id);
    for (const id of ["c2", "c1"]) must(manager.addNode(result(id)));
    expect(renderContext(manager.context).report).toMatchObject({ ready: true, repairs: [] });
  });

  it.each<[string, readonly AnswerPart[], readonly object[]]>([
    ["a thought alone", [{ kind: "thought", text: "t" }], [{ thought: "t", text: "" }]],
    [
      "texts, each for itself",
      [
        { kind: "text", text: "a" },
        { kind: "text", text: "b", signature: "s" },
      ],
      [{ text: "a" }, { text: "b", signature: "s" }],
    ],
    [
      "a text with a signature of its own behind a thought",
      [
        { kind: "thought", text: "t", signature: "1" },
        { kind: "text", text: "a", signature: "2" },
      ],
      [
        { thought: "t", signature: "1", text: "" },
        { text: "a", signature: "2" },
      ],
    ],
    [
      "thoughts between calls",
      [{ kind: "thought", text: "t" }, asks("c1"), { kind: "thought", text: "u" }, asks("c2")],
      [{ thought: "t" }, { callId: "c1" }, { thought: "u" }, { callId: "c2" }],
    ],
  ])("keeps the order and every signature of %s", (_, parts, payloads) => {
    const manager = newManager();
    say(manager, "go");
    const nodes = must(manager.addAnswer(answer(parts)));
    expect(nodes.map(({ payload }) => payload)).toMatchObject(payloads);
    expect(new Set(nodes.map(({ payload }) => "step" in payload && payload.step))).toEqual(new Set(["s1"]));
  });

  it("is refused as a whole", () => {
    const manager = newManager();
    say(manager, "go");
    const before = manager.context;
    const cases: readonly (readonly [ModelAnswer, string])[] = [
      [answer([]), "invalid_arguments"],
      [answer([{ kind: "text", text: "a" }, asks("c1"), asks("c1")]), "duplicate_id"],
      // @ts-expect-error: it cannot be written, only forced.
      [answer([asks("c1"), { ...asks("c2"), args: { at: new Date(0) } }]), "invalid_payload"],
      // @ts-expect-error: as above.
      [answer([asks("c1")], { usage: { inputTokens: "many" } }), "invalid_metadata"],
    ];
    for (const [one, code] of cases) {
      expect(codeOf(manager.addAnswer(one))).toBe(code);
      expect(manager.context).toBe(before);
    }
  });

  it("asks again where an id is free, and not while its call is open", () => {
    const manager = newManager();
    say(manager, "go");
    call(manager, "c1");
    // Another step: the open call is interrupted, and its id free again.
    const nodes = must(manager.addAnswer(answer([{ kind: "text", text: "anew" }, asks("c1")])));
    expect(nodes.length).toBe(2);
    expect(codeOf(manager.addAnswer(answer([asks("c1")])))).toBe("duplicate_id");
  });
});
