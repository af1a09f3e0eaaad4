import { describe, expect, it } from "vitest";
import type { TurnPayload } from "../../src/conversation/index.js";
import { must, newManager, say } from "./support.js";

/** A payload that counts how often one of its texts is read. */
function counted(payload: TurnPayload): { readonly payload: TurnPayload; readonly reads: () => number } {
  let reads = 0;
  const watched = new Proxy(payload, {
    get(target, key, receiver) {
      if (key === "text") reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  return {
    payload: watched,
    reads: () => {
      const seen = reads;
      reads = 0;
      return seen;
    },
  };
}

const note: TurnPayload = { kind: "note", audience: "model", text: "z" };

/** A check looks at a text twice: as JSON, and as what its place asks for. */
const oneCheck = 2;

describe("a payload is looked at once", () => {
  it("where it is added", () => {
    const { payload, reads } = counted(note);
    must(newManager().addNode(payload));
    expect(reads()).toBe(oneCheck);
  });

  it("where it is staged, and not again where it becomes a node", () => {
    const manager = newManager();
    const { payload, reads } = counted(note);
    must(manager.addToStagingArea(payload));
    expect(reads()).toBe(oneCheck);
    say(manager, "go");
    expect(reads()).toBe(0);
  });

  it("where it waits beside a decision, which is looked at again", () => {
    const manager = newManager();
    const above = say(manager, "go");
    const { payload, reads } = counted(note);
    must(manager.addToStagingArea(payload));
    const form = { form: "hidden" } as const;
    must(
      manager.addToStagingArea({ kind: "context_management", action: "overlay", targetId: above.id, form }),
    );
    expect(reads()).toBe(oneCheck);
    say(manager, "go on");
    expect(reads()).toBe(0);
  });

  it("where it is a summary", () => {
    const manager = newManager();
    say(manager, "go");
    const summary = { kind: "summary", of: "compaction", text: "s", keepFromId: null } as const;
    const { payload, reads } = counted(summary);
    if (payload.kind !== "summary") throw new Error("it is one");
    must(manager.addSummary(payload));
    // Whether it says anything is asked before.
    expect(reads()).toBe(oneCheck + 1);
  });
});
