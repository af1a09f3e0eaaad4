import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextRenderer, type Rendering, renderContext } from "../../src/context/index.js";
import type { ConversationContext, OverlayForm, ShownText } from "../../src/conversation/values/index.js";
import { deltaReads } from "../../src/economy/index.js";
import { call, hash, overlay, result, Tree, task, user } from "../context/support.js";
import { textOf } from "./talk.js";

/** `HOLDFAST_RUNS=20000 npx vitest run packages/core/test/economy/delta-laws.test.ts` is the long run. */
const numRuns = Number(process.env.HOLDFAST_RUNS ?? 12);

/** What may happen in a session. Numbers choose among what is there. */
type Happening =
  | { readonly kind: "read"; readonly from: number; readonly count: number }
  | { readonly kind: "change"; readonly line: number; readonly insert: boolean }
  | { readonly kind: "overlay"; readonly node: number; readonly form: "hidden" | "cleared" | "original" }
  | { readonly kind: "move"; readonly node: number }
  | { readonly kind: "task"; readonly clear: boolean };

const number = fc.nat(1000);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("read" as const),
      from: fc.nat(12),
      count: fc.integer({ min: 12, max: 39 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("change" as const), line: number, insert: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("overlay" as const),
      node: number,
      form: fc.constantFrom("hidden" as const, "cleared" as const, "original" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("move" as const), node: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("task" as const), clear: fc.boolean() }) },
);

/** A session on one file, as `carryOut` would make its nodes. */
class Session {
  readonly tree = new Tree().add("u0", user("Go on."));
  readonly states = new Map<string, readonly string[]>();
  readonly full = new Map<string, string>();
  readonly renderer = new ContextRenderer();
  private lines = Array.from({ length: 40 }, (_, at) => (at % 5 === 0 ? "}\n" : `line ${at}\n`));
  private count = 0;

  get context(): ConversationContext {
    return this.tree.context;
  }

  happen(event: Happening): void {
    this.count += 1;
    const id = `n${this.count}`;
    const nodes = [...this.full.keys()];
    switch (event.kind) {
      case "read":
        this.read(id, event.from, event.count);
        return;
      case "change": {
        const at = event.line % this.lines.length;
        this.lines = this.lines.toSpliced(at, event.insert ? 0 : 1, `changed ${this.count}\n`);
        return;
      }
      case "overlay": {
        const target = nodes[event.node % Math.max(1, nodes.length)];
        const form: OverlayForm =
          event.form === "cleared"
            ? { form: "replaced", by: "cleared", text: "Cleared." }
            : { form: event.form };
        if (target !== undefined && this.isAbove(target)) this.tree.add(id, overlay(target, form));
        return;
      }
      case "move": {
        const target = nodes[event.node % Math.max(1, nodes.length)];
        if (target !== undefined) this.tree.move(target).add(id, user("Another way."));
        return;
      }
      case "task":
        this.tree.add(id, task("apart", { kind: event.clear ? "clear" : "clone" }));
        return;
      default:
        event satisfies never;
    }
  }

  private isAbove(target: string): boolean {
    let at: string | null | undefined = this.context.currentNodeId;
    while (at !== null && at !== undefined && at !== target) at = this.context.nodes.get(at)?.parentId;
    return at === target;
  }

  private read(id: string, start: number, count: number): void {
    const from = 1 + (start % this.lines.length);
    const shown = this.lines.slice(from - 1, from + (count % this.lines.length));
    const key = this.lines.join("");
    const known = [...this.states].find(([, lines]) => lines.join("") === key)?.[0];
    const sha256 = known ?? hash("0").slice(6) + String(this.states.size).padStart(6, "0");
    this.states.set(sha256, this.lines);
    const head = "<file>\n";
    const text = `${head}${shown.join("")}</file>`;
    const shows: ShownText[] = [
      { path: "a", sha256, from, to: from + shown.length - 1, start: head.length, end: text.length - 7 },
    ];
    this.tree.add(`c${id}`, call(id));
    const { visibility } = this.renderer.render(this.context);
    const repeats = deltaReads({
      text,
      shows,
      blocks: (path) => visibility.blocks(path),
      versionOf: () => undefined,
    });
    this.tree.add(id, result(id, text, { shows, ...(repeats.length === 0 ? {} : { repeats }) }));
    this.full.set(id, text);
  }
}

/** Whatever counts as visible stands there, byte for byte, also where only a reference names it. */
function expectSound(session: Session, rendering: Rendering): void {
  const { contents, visibility, report } = rendering;
  expect(report.broken).toEqual([]);
  for (const { sha256, places } of visibility.states())
    for (const { from, to, content, part, start, end } of places) {
      const text = textOf(contents[content]?.parts[part] ?? { text: "" }) ?? "";
      expect(text.slice(start, end)).toBe(
        session.states
          .get(sha256)
          ?.slice(from - 1, to)
          .join(""),
      );
    }
}

/** Of each result that stands there, all lines that it read are visible under the state's own hash. */
function expectAllRead({ context, full }: Session, { provenance, visibility }: Rendering): void {
  for (const { nodeId, rule } of provenance.flat()) {
    const payload = context.nodes.get(nodeId)?.payload;
    if (rule !== "result" || !full.has(nodeId) || payload?.kind !== "tool_result") continue;
    for (const shown of payload.shows ?? []) expect(visibility.isVisible(shown)).toBe(true);
  }
}

describe("a random session", () => {
  it("has no reference without its lines, and moves no byte of another branch", {
    timeout: 3_600_000,
  }, () => {
    fc.assert(
      fc.property(fc.array(happening, { minLength: 10, maxLength: 40, size: "max" }), (events) => {
        const session = new Session();
        const tips = new Map<string, string>();
        for (const event of events) {
          session.happen(event);
          const rendering = session.renderer.render(session.context);
          expectSound(session, rendering);
          expectAllRead(session, rendering);
          tips.set(session.context.currentNodeId, JSON.stringify(rendering.contents));
        }
        // What happened on other branches since has moved no byte of these, and a fresh renderer says the same.
        for (const [headId, contents] of tips)
          expect(JSON.stringify(renderContext(session.context, { headId }).contents)).toBe(contents);
      }),
      { numRuns },
    );
  });
});
