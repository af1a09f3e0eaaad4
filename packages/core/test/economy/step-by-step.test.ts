import * as fc from "fast-check";
import { expect, it } from "vitest";
import { ContextRenderer, type Rendering, renderContext } from "../../src/context/index.js";
import { pathTo } from "../../src/conversation/index.js";
import {
  type MeasuredPrompt,
  measure,
  partsBeforeClearable,
  planCompaction,
  planPrompt,
  wasWarned,
} from "../../src/economy/index.js";
import { act, roll, Session, settingsOf } from "./sessions.js";

const numRuns = Number(process.env.HOLDFAST_ECONOMY_RUNS ?? 4);

const settings = settingsOf({
  trigger: { type: "input_tokens", value: 1_500 },
  ...{ keep: 1, keepMessages: 0, keepTokens: 100, clearAtLeast: 100, clearAtLeastShare: 0 },
  ...{ workingSet: 1, workingTokens: 500, clearToolInputs: true, compaction: { tailTokens: 500 } },
});
const targets = [
  undefined,
  { provider: "anthropic", model: "claude" },
  { provider: "google", model: "gemini-3-pro" },
];

/** A session with a renderer that goes through all of it. */
class Kept {
  readonly session = new Session().say("Begin.");
  readonly renderer: ContextRenderer;
  #ids = 0;

  constructor(checkpoints: number) {
    this.renderer = new ContextRenderer({ checkpoints });
  }

  /** Both ways must come to the same; carries out what is planned. */
  compare(at: number, warned: boolean): "clear" | "other" {
    const { tree } = this.session;
    const target = targets[at % targets.length];
    const options = { now: 1_200_000, ...(target === undefined ? {} : { target }) };
    const [kept, fresh] = [this.renderer.render(tree.context, options), renderContext(tree.context, options)];
    const budget = { settings, provider: target?.provider ?? "anthropic", keepPaths: ["f1.ts"] };
    const known = (rendering: Rendering) => ({
      measured: measuredOf(rendering),
      clearableFrom: partsBeforeClearable(tree.context, measure(rendering), budget),
      plan: planPrompt(tree.context, rendering, budget, { warned }),
      cut: planCompaction(tree.context, rendering, budget, {}),
      warned: wasWarned(tree.context, rendering),
      states: rendering.visibility.states(),
    });
    const one = known(kept);
    expect(one).toEqual(known(fresh));
    const { plan } = one;
    this.#ids += 1;
    if (plan.kind === "warn") tree.add(`p${this.#ids}`, { kind: "note", text: plan.text, audience: "model" });
    if (plan.kind !== "clear") return "other";
    tree.add(`p${this.#ids}`, { kind: "context_management", action: "reform", changes: plan.changes });
    expect(this.renderer.render(tree.context, options).report.broken).toEqual([]);
    return "clear";
  }

  /** Goes on where results were complete. */
  goBack(at: number): void {
    const { tree } = this.session;
    const path = pathTo(tree.context, tree.context.currentNodeId);
    const places = path.filter(({ payload }) => payload.kind !== "tool_call");
    const place = places[places.length - 1 - (at % places.length)];
    if (place !== undefined) tree.move(place.id);
  }
}

function measuredOf(rendering: Rendering) {
  const { parts, ends, notes, chars } = measure(rendering);
  const plain = ({ value: _, ...part }: MeasuredPrompt["parts"][number]) => part;
  return { parts: parts.map(plain), ends, notes: notes.map(plain), chars };
}

it("measures and plans the same as from scratch, with two sessions at a time, wherever the head goes", {
  timeout: 3_600_000,
}, () => {
  let clearings = 0;
  const turns = fc.array(fc.tuple(fc.nat(1), fc.nat(11), fc.boolean()), { minLength: 90, maxLength: 90 });
  const longActs = fc.array(roll, { minLength: 40, maxLength: 90 });
  fc.assert(
    fc.property(longActs, turns, fc.constantFrom(2, 4096), (rolls, who, checkpoints) => {
      const sessions = [new Kept(checkpoints), new Kept(4096)];
      for (const [at, next] of rolls.entries()) {
        const [which = 0, back = 0, warned = false] = who[at] ?? [];
        const kept = sessions[which];
        if (kept === undefined) return;
        if (back === 0) kept.goBack(next[2]);
        act(kept.session, next);
        if (kept.compare(back, warned) === "clear") clearings += 1;
      }
    }),
    { numRuns },
  );
  expect(clearings).toBeGreaterThan(numRuns / 4);
});
