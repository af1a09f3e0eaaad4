import fc from "fast-check";
import { expect, it } from "vitest";
import { countedStates, StateCounter } from "../../src/conversation/index.js";
import { must, newManager } from "./support.js";

const effect = fc.record({
  path: fc.constantFrom("a.ts", "b.ts"),
  before: fc.constantFrom("0", "1", "2"),
  after: fc.constantFrom("3", "4", "5", "1"),
});
/** A change at the head, one at the head of a task that runs beside, or the head moved to an earlier node. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("here"), effect }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("beside"), effect }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("back"), effect, at: fc.nat() }) },
);

it("states that are counted on from call to call have the numbers that the whole tree gives them", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const manager = newManager();
      must(manager.commitStagedItems("Begin."));
      const beside = manager.withOwnHead();
      const counter = new StateCounter();
      for (const { kind, effect: one, ...rest } of steps) {
        if (kind === "back") {
          const ids = [...manager.context.nodes.keys()];
          manager.rewind(ids[("at" in rest ? rest.at : 0) % ids.length]);
        }
        const note = {
          kind: "note",
          text: "x",
          audience: "model",
          files: [{ ...one, by: "tool" }],
        } as const;
        const node = must((kind === "beside" ? beside : manager).addNode(note));
        if (kind === "beside") continue;
        const payload = {
          kind: "tool_result",
          callId: "c",
          name: "n",
          output: "",
          ...{ files: note.files },
        } as const;
        const counted = counter.at(manager.context, node.id)(payload);
        expect(counted).toEqual(countedStates(manager.context)(payload));
      }
    }),
    { numRuns: 200 },
  );
});
