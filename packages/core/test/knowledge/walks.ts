/**
 * Random walks through a conversation: what people, hosts and models do, and what others do to the files
 * behind their backs. Every choice is a number that fast-check drew, so that a walk can be shrunk.
 */
import fc from "fast-check";
import type { ContextManager } from "../../src/conversation/index.js";
import type { TurnNode } from "../../src/conversation/values/index.js";
import type { Call } from "./calls.js";
import { linesOf, Picks } from "./picks.js";

/** The room in which a walk is made. */
export interface Walker {
  readonly manager: ContextManager;
  /** Names of the files that others change. */
  readonly changing: readonly [string, ...string[]];
  /** What the model calls next. */
  nextCall(pick: Picks): Call;
  /** One answer of the model with these calls, carried out. */
  answer(calls: readonly Call[]): Promise<void>;
  say(): void | Promise<void>;
  resume(): Promise<void>;
  fork(): Promise<void>;
  foreign(path: string, change: (text: string) => string): void;
  /** A line that stands nowhere yet, without its end. */
  line(): string;
  safeCut(pick: number): string | undefined;
  /** The oldest first. */
  nodes(): readonly TurnNode[];
}

const kinds = [
  ...Array.from({ length: 14 }, () => "answer" as const),
  "say",
  "say",
  "start",
  "complete",
  "pop",
  "cancel",
  "rewind",
  "rewind",
  "resume",
  "fork",
  "overlay",
  "overlay",
  "reform",
  "compact",
  "foreign",
  "foreign",
] as const;

export const operation = fc.record({
  kind: fc.constantFrom(...kinds),
  picks: fc.array(fc.nat({ max: 9999 }), { minLength: 12, maxLength: 12 }),
});
export type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

export async function perform(walker: Walker, { kind, picks }: Operation): Promise<void> {
  const pick = new Picks(picks);
  const { manager } = walker;
  switch (kind) {
    case "answer":
      return walker.answer(Array.from({ length: pick.of([1, 1, 2, 3]) }, () => walker.nextCall(pick)));
    case "say":
      return walker.say();
    case "start":
      manager.startTask({
        name: "sub",
        transformation: pick.of([
          { kind: "clone" },
          { kind: "clear" },
          { kind: "compress", summary: "What came before." },
        ]),
      });
      return walker.say();
    case "complete":
      manager.completeTask({ summary: "It is done." });
      return;
    case "pop":
      manager.popTask();
      return;
    case "cancel":
      manager.cancelTask();
      return;
    case "rewind":
      if (pick.next(2) === 0) manager.rewind();
      else manager.rewind(walker.nodes()[pick.next(manager.context.nodes.size)]?.id);
      return walker.say();
    case "resume":
      return walker.resume();
    case "fork":
      return walker.fork();
    case "overlay":
    case "reform":
      return changeForm(walker, kind, pick);
    case "compact": {
      const keepFromId = pick.next(3) === 0 ? null : walker.safeCut(pick.next(9999));
      if (keepFromId !== undefined)
        manager.addSummary({ kind: "summary", of: "compaction", text: "Before.", keepFromId });
      return;
    }
    case "foreign":
      return walker.foreign(pick.of(walker.changing), (text) => {
        const lines: string[] = linesOf(text);
        const at = pick.next(lines.length + 1);
        lines.splice(at, pick.next(2), `${walker.line()}\n`);
        return lines.join("");
      });
    default:
      return kind satisfies never;
  }
}

/** A call or a result is cleared, hidden or shown again. */
function changeForm(walker: Walker, kind: "overlay" | "reform", pick: Picks): void {
  const nodes = walker
    .nodes()
    .filter(({ payload }) => payload.kind === "tool_result" || payload.kind === "tool_call");
  const target = nodes[pick.next(Math.max(1, nodes.length))];
  if (target === undefined) return;
  const form = pick.of([
    { form: "replaced", by: "cleared", text: "(cleared)" },
    { form: "hidden" },
    { form: "original" },
  ] as const);
  if (kind === "overlay") walker.manager.overlay(target.id, form);
  else walker.manager.reform([{ targetId: target.id, form }]);
}
