import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderContext } from "../../src/context/index.js";
import type { ContextManager } from "../../src/conversation/index.js";
import type { OverlayForm, TurnNode } from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { newManager, say } from "../conversation/support.js";
import { must } from "./scene.js";

/** What the renderer would ignore is refused when it is said. */

const overlays: readonly (readonly [string, (manager: ContextManager) => string, OverlayForm])[] = [
  [
    "an address of a file on a user's message",
    (manager) => say(manager, "more").id,
    {
      form: "uri",
      fileApi: { uri: "x", mimeType: "a/b", state: "ACTIVE", expiresAt: 9_000_000_000_000_000 },
    },
  ],
  [
    "hiding a note that only a person sees",
    (manager) => must(manager.addNode({ kind: "note", audience: "person", text: "x" })).id,
    { form: "hidden" },
  ],
  [
    "a replacement of the root",
    (manager) => manager.context.sessionId,
    { form: "replaced", by: "cleared", text: "c" },
  ],
];

describe("an overlay that does not fit its node is refused", () => {
  for (const [what, targetOf, form] of overlays) {
    it(what, () => {
      const manager = newManager();
      say(manager, "go");
      expect(isRefusal(manager.overlay(targetOf(manager), form))).toBe(true);
    });
  }
});

describe("a compaction that would have no effect is refused", () => {
  it("in any conversation, from whatever node on it keeps", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(6), fc.nat(20)), { maxLength: 14 }), (operations) => {
        const manager = newManager();
        say(manager, "go");
        for (const [at, [kind, choice]] of operations.entries()) operate(manager, kind, choice, at);
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});

function operate(manager: ContextManager, kind: number, choice: number, at: number): void {
  const path = nodesOnPath(manager);
  switch (kind) {
    case 0:
      return void say(manager, `user ${at}`);
    case 1:
      return void manager.addNode({ kind: "model_message", text: `model ${at}`, step: `s${choice % 3}` });
    case 2: {
      const call = {
        kind: "tool_call",
        callId: `c${at}`,
        name: "x",
        args: {},
        step: `s${choice % 3}`,
      } as const;
      return void manager.addNode(call);
    }
    case 3: {
      const calls = path.flatMap(({ payload }) => (payload.kind === "tool_call" ? [payload.callId] : []));
      const callId = calls[choice % Math.max(calls.length, 1)] ?? "none";
      return void manager.addNode({ kind: "tool_result", callId, name: "x", output: "o" });
    }
    case 4:
      return void manager.addNode({ kind: "note", audience: "model", text: "n" });
    default:
      compact(manager, path[choice % path.length]?.id ?? "none");
  }
}

function compact(manager: ContextManager, keepFromId: string): void {
  const summary = manager.addSummary({ kind: "summary", of: "compaction", text: "so far", keepFromId });
  if (isRefusal(summary)) return;
  const { ignored } = renderContext(manager.context).report;
  expect(ignored.filter(({ nodeId }) => nodeId === summary.id)).toEqual([]);
}

function nodesOnPath({ context }: ContextManager): readonly TurnNode[] {
  const path: TurnNode[] = [];
  let node = context.nodes.get(context.currentNodeId);
  while (node !== undefined) {
    path.push(node);
    node = node.parentId === null ? undefined : context.nodes.get(node.parentId);
  }
  return path;
}
