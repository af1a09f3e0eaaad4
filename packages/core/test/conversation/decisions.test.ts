import { describe, expect, it } from "vitest";
import { renderContext } from "../../src/context/index.js";
import type { ContextManager } from "../../src/conversation/index.js";
import type { OverlayForm, TurnNode } from "../../src/conversation/values/index.js";
import { call, codeOf, must, newManager, result, say } from "./support.js";

const hidden: OverlayForm = { form: "hidden" };
const cleared: OverlayForm = { form: "replaced", by: "cleared", text: "[cleared]" };
const uri: OverlayForm = {
  form: "uri",
  fileApi: { uri: "x", mimeType: "a/b", state: "ACTIVE", expiresAt: 9e15 },
};

/** A conversation whose parts the cases are about. */
function ground() {
  const manager = newManager();
  const user = say(manager, "go");
  const note = must(manager.addNode({ kind: "note", audience: "person", text: "x" }));
  const secret = must(
    manager.addNode({ kind: "note", audience: "model", text: "y" }, undefined, { isHiddenFromLlm: true }),
  );
  const asked = call(manager, "c1");
  const answered = must(manager.addNode(result("c1", "long output")));
  const open = call(manager, "c2");
  return { manager, root: manager.context.rootNode, user, note, secret, asked, answered, open };
}

type Ground = ReturnType<typeof ground>;

describe("an overlay that the renderer would ignore", () => {
  const cases: readonly (readonly [string, (on: Ground) => TurnNode, OverlayForm, string])[] = [
    ["an address for a message", (on) => on.user, uri, "no_effect"],
    ["the text of a file for a result", (on) => on.answered, { form: "inline" }, "no_effect"],
    ["on a person's note", (on) => on.note, hidden, "no_effect"],
    ["on what is hidden everywhere", (on) => on.secret, cleared, "no_effect"],
    ["on the beginning of a session", (on) => on.root, cleared, "no_effect"],
    ["on a call that waits for its result", (on) => on.open, hidden, "open_calls"],
  ];
  it.each(cases)("is refused: %s", (_, target, form, code) => {
    const on = ground();
    const before = on.manager.context;
    expect(codeOf(on.manager.overlay(target(on).id, form))).toBe(code);
    expect(codeOf(on.manager.reform([{ targetId: target(on).id, form }]))).toBe(code);
    const staged = { kind: "context_management", action: "overlay", targetId: target(on).id, form } as const;
    expect(codeOf(on.manager.addToStagingArea(staged))).toBe(code);
    expect(on.manager.context).toBe(before);
  });

  it("is refused on what a compaction has left behind, and taken on what it keeps", () => {
    const manager = newManager();
    const first = say(manager, "one");
    const second = say(manager, "two");
    must(manager.addSummary({ kind: "summary", of: "compaction", text: "s", keepFromId: second.id }));
    expect(codeOf(manager.overlay(first.id, hidden))).toBe("no_effect");
    must(manager.overlay(second.id, hidden));
    expect(ignoredBy(manager)).toEqual([]);
  });
});

describe("a compaction that the renderer would ignore", () => {
  const compact = (manager: ContextManager, keepFromId: string | null) =>
    manager.addSummary({ kind: "summary", of: "compaction", text: "s", keepFromId });

  it("is refused where it parts a call from its result, or an answer", () => {
    const { manager, answered } = ground();
    must(manager.addNode(result("c2")));
    expect(codeOf(compact(manager, answered.id))).toBe("unsafe_cut");
    const thought = must(manager.addNode({ kind: "model_message", text: "a", step: "s" }));
    const rest = must(manager.addNode({ kind: "model_message", text: "b", step: "s" }));
    expect(codeOf(compact(manager, rest.id))).toBe("unsafe_cut");
    must(compact(manager, thought.id));
  });

  it("is refused where what it keeps from is no more in the prompt", () => {
    const manager = newManager();
    const first = say(manager, "one");
    const second = say(manager, "two");
    must(compact(manager, second.id));
    expect(codeOf(compact(manager, first.id))).toBe("no_effect");
    must(compact(manager, null));
  });

  it("is refused below open calls, unless it answers them", () => {
    const { manager } = ground();
    const whole = { kind: "summary", of: "compaction", text: "s", keepFromId: null } as const;
    expect(codeOf(manager.addNode(whole))).toBe("unsafe_cut");
    must(manager.addSummary(whole, { callId: "c2", name: "read_file", output: "done" }));
    expect(ignoredBy(manager)).toEqual([]);
  });
});

describe("a reform", () => {
  it("clears fifty results by one node, and the report names each", () => {
    const manager = newManager();
    say(manager, "go");
    const results = Array.from({ length: 50 }, (_, at) => {
      call(manager, `c${at}`);
      return must(manager.addNode(result(`c${at}`, "a long output")));
    });
    const { depth } = manager.getCurrentNode();
    const node = must(manager.reform(results.map(({ id }) => ({ targetId: id, form: cleared }))));
    expect(node.depth).toBe(depth + 1);
    const { contents, report } = renderContext(manager.context);
    expect(JSON.stringify(contents)).not.toContain("a long output");
    expect(report.ignored).toEqual([]);
    expect(report.boundaries.map(({ rule, nodeId, targetId }) => [rule, nodeId, targetId])).toEqual(
      results.map(({ id }) => ["replaced", node.id, id]),
    );
    expect(report.boundaries.map(({ firstPart }) => firstPart)).toEqual(results.map((_, at) => 2 + 2 * at));
  });

  it("is refused as a whole, and where it names nothing", () => {
    const { manager, answered, note } = ground();
    const before = manager.context;
    const changes = [
      { targetId: answered.id, form: cleared },
      { targetId: note.id, form: hidden },
    ];
    expect(codeOf(manager.reform(changes))).toBe("no_effect");
    expect(codeOf(manager.reform([]))).toBe("invalid_arguments");
    expect(codeOf(manager.reform([{ targetId: "nowhere", form: hidden }]))).toBe("unknown_node");
    expect(manager.context).toBe(before);
  });
});

function ignoredBy(manager: ContextManager): readonly object[] {
  return renderContext(manager.context).report.ignored;
}
