import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEvent } from "../../src/conversation/index.js";
import type { TurnNode, TurnPayload } from "../../src/conversation/values/index.js";
import { must, newManager } from "./support.js";

const note = (text: string): TurnPayload => ({ kind: "note", audience: "person", text });

describe("a node with many children", () => {
  it("gets one more without its list being copied", () => {
    const manager = newManager();
    const { id } = manager.context.rootNode;
    for (let at = 0; at < 1_000; at += 1) must(manager.addNode(note(`${at}`), id));
    const { rootNode } = manager.context;
    const made = Object.getOwnPropertyDescriptor(rootNode, "childIds");
    expect(made?.get, "the list is made for those who ask").toBeDefined();
    expect(rootNode.childIds).toHaveLength(1_000);
    expect(rootNode.childIds.at(-1)).toBe("n1001");
    expect(JSON.parse(JSON.stringify(rootNode))).toEqual({ ...rootNode });
  });

  it("is, in each of its versions, what it was", () => {
    const forks = fc.array(fc.nat({ max: 1_000 }), { minLength: 60, maxLength: 200 });
    fc.assert(
      fc.property(forks, fc.boolean(), (choices, ask) => {
        const manager = newManager();
        const { context } = manager;
        const versions = [{ context, ids: [] as readonly string[] }];
        for (const [at, choice] of choices.entries()) {
          // Mostly the newest grows, now and then an older one.
          const from = versions[choice % 7 === 0 ? choice % versions.length : versions.length - 1];
          if (from === undefined) throw new Error("there is always the first");
          versions.push({ context: grown(from.context, `x${at}`), ids: [...from.ids, `x${at}`] });
          if (ask) expect(versions.at(-1)?.context.rootNode.childIds).toEqual(versions.at(-1)?.ids);
        }
        for (const { context: each, ids } of versions) expect(each.rootNode.childIds).toEqual(ids);
      }),
      { numRuns: 15 },
    );
  });
});

function nodeOf(id: string, parentId = "s"): Pick<TurnNode, "id" | "parentId" | "timestamp" | "payload"> {
  return { id, parentId, timestamp: 1, payload: note(id) };
}

function grown(context: Parameters<typeof applyEvent>[0], id: string) {
  const { sessionId } = context;
  const event = { type: "nodes_added", nodes: [nodeOf(id, sessionId)], head: sessionId } as const;
  return must(applyEvent(context, event));
}
