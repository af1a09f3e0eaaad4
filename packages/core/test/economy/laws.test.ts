import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkContents, type Rendering, renderContext } from "../../src/context/index.js";
import { applyEvent, pathTo } from "../../src/conversation/index.js";
import type { ConversationContext, TurnPayload } from "../../src/conversation/values/index.js";
import {
  draftCompaction,
  type EconomySettings,
  planCompaction,
  planPrompt,
} from "../../src/economy/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { acts, play, settingsOf } from "./sessions.js";

// The documented long run: HOLDFAST_ECONOMY_RUNS=20000 npx vitest run packages/core/test/economy/laws.test.ts
const numRuns = Number(process.env.HOLDFAST_ECONOMY_RUNS ?? 25);

const policies = fc.record({
  keep: fc.constantFrom(0, 0, 1, 4),
  keepMessages: fc.constantFrom(0, 0, 0, 3, 8),
  keepTokens: fc.constantFrom(0, 0, 0, 100, 400),
  keepTurns: fc.nat(2),
  keepShare: fc.constantFrom(0.03, 0.2, 0.8),
  workingSet: fc.nat(2),
  workingTokens: fc.constantFrom(100, 1_500, 100_000),
  clearToolInputs: fc.boolean(),
  endsShort: fc.boolean(),
  keptPath: fc.constantFrom(undefined, "f0.ts", "f3.ts"),
  expectedRequests: fc.constantFrom(5, 200),
});

function added(context: ConversationContext, id: string, payload: TurnPayload): ConversationContext {
  const node = { id, parentId: context.currentNodeId, timestamp: 9_000_000, payload };
  const next = applyEvent(context, { type: "nodes_added", nodes: [node], head: id });
  if (isRefusal(next)) throw new Error(next.message);
  return next;
}

function expectSound(context: ConversationContext): void {
  const { contents, report } = renderContext(context);
  expect(report.broken).toEqual([]);
  expect(report.ignored).toEqual([]);
  for (const provider of ["anthropic", "google", "openai"] as const)
    expect(checkContents(contents, provider)).toEqual([]);
}

/**
 * Results that no clearing may touch, by rules of its own: the last uses of tools, the newest contents, the newest tokens,
 * and what follows the last turns of the user where that is short. As JSON nothing is shorter than it is.
 */
function protectedNodes({ contents, provenance }: Rendering, settings: EconomySettings): ReadonlySet<string> {
  const kept = new Set<string>();
  let [uses, letters] = [0, 0];
  const turn = shortTurns({ contents, provenance }, settings);
  for (const [at, { parts }] of [...contents.entries()].reverse())
    for (const [index, part] of [...parts.entries()].reverse()) {
      if (!("functionResponse" in part)) continue;
      uses += 1;
      letters += JSON.stringify(part).length;
      const isNew =
        uses <= settings.keep ||
        letters <= settings.keepTokens * 4 ||
        (contents.length - 1 - at < settings.keepMessages && letters <= shareOf(settings));
      if (isNew || at > turn) kept.add(provenance[at]?.[index]?.nodeId ?? "");
    }
  return kept;
}

/** The content in which the last turns that are protected begin, where they are short. */
function shortTurns(
  { contents, provenance }: Pick<Rendering, "contents" | "provenance">,
  settings: EconomySettings,
): number {
  const isWord = (at: number, index: number) =>
    contents[at]?.role === "user" && provenance[at]?.[index]?.rule === "message";
  const spoken = contents.flatMap(({ parts }, at) =>
    parts.some((_, index) => isWord(at, index)) ? [at] : [],
  );
  const from = settings.keepTurns === 0 ? undefined : spoken.slice(-settings.keepTurns)[0];
  if (from === undefined) return Number.POSITIVE_INFINITY;
  const first = contents[from]?.parts.findIndex((_, index) => isWord(from, index)) ?? 0;
  const parts = contents.slice(from).flatMap((one, at) => (at === 0 ? one.parts.slice(first) : one.parts));
  const size = parts.reduce((sum, part) => sum + JSON.stringify(part).length, 0);
  return size <= shareOf(settings) ? from : Number.POSITIVE_INFINITY;
}

/** What the last messages, or turns, may hold to be protected; in letters. */
function shareOf({ trigger, keepShare }: EconomySettings): number {
  return trigger.value * keepShare * 4;
}

/** The files that were shown or changed last, as many as may stay and together are short. */
function lastTouched(context: ConversationContext, settings: EconomySettings): readonly string[] {
  const paths = pathTo(context, context.currentNodeId).flatMap(({ payload }) =>
    payload.kind === "tool_result" ? (payload.files ?? []).map(({ path }) => path) : [],
  );
  const results = renderContext(context).contents.flatMap(({ parts }) =>
    parts.flatMap((part) => ("functionResponse" in part ? [JSON.stringify(part)] : [])),
  );
  let left = settings.workingTokens * 4;
  const last = [...new Set(paths.reverse())].slice(0, settings.workingSet);
  return last.filter((path) => {
    for (const one of results) if (one.includes(path)) left -= one.length;
    return left >= 0;
  });
}

describe("laws of the economy", () => {
  it("costs no clearing more than it is to save in the requests that it names, unless the window demands it", {
    timeout: 3_600_000,
  }, () => {
    let plans = 0;
    const horizons = fc.record({
      ...{ keep: fc.constantFrom(0, 1), keepMessages: fc.constant(0), keepTurns: fc.constant(0) },
      ...{ keepTokens: fc.constantFrom(0, 100), workingSet: fc.nat(1), workingTokens: fc.constant(100) },
      expectedRequests: fc.constantFrom(undefined, 1, 3, 8, 20, 60, 200),
      payFrom: fc.constantFrom(0.1, 0.5, 1),
      trigger: fc.constantFrom(300, 1_500, 4_000).map((value) => ({ type: "input_tokens", value }) as const),
    });
    const warm = fc.constantFrom(0, 0.3, 0.9, 1);
    fc.assert(
      fc.property(acts, horizons, warm, (rolls, { expectedRequests, ...policy }, share) => {
        const session = play(rolls);
        const horizon = expectedRequests === undefined ? {} : { expectedRequests };
        const settings = settingsOf({
          ...policy,
          ...horizon,
          clearAtLeast: 0,
          clearAtLeastShare: 0,
          paidAtLeast: 0,
        });
        const rendering = session.render();
        const chars = JSON.stringify(rendering.contents).length;
        const usage = share === 0 ? {} : { warmChars: Math.round(share * chars) };
        const plan = planPrompt(session.tree.context, rendering, { settings, provider: "anthropic" }, usage);
        if (plan.kind !== "clear") return;
        plans += 1;
        const { cost, predictedSaving, tokensRewritten, tokensBefore, tokensAfter, ...of } = plan.report;
        expect(cost).toBeLessThanOrEqual(predictedSaving);
        // By the prices of a five-minute cache: 1.25 to write, 0.1 to read.
        expect(Math.abs(cost - 1.15 * tokensRewritten)).toBeLessThanOrEqual(2);
        const saved = 0.1 * (tokensBefore - tokensAfter) * of.expectedRequests;
        expect(Math.abs(predictedSaving - saved)).toBeLessThanOrEqual(2 + 0.05 * of.expectedRequests);
      }),
      { numRuns: numRuns * 8 },
    );
    expect(plans).toBeGreaterThan(numRuns);
  });

  it("clears nothing protected, leaves no reference without its lines, and no branch but its own", {
    timeout: 3_600_000,
  }, () => {
    let plans = 0;
    fc.assert(
      fc.property(acts, policies, fc.boolean(), (rolls, { keptPath, endsShort, ...policy }, cold) => {
        const session = play(rolls);
        // What failed goes first, were it not the last turn's.
        if (endsShort)
          session.say("And now?").use("safe_patch", {}, "no such place ".repeat(70), { isError: true });
        const before = session.tree.context;
        const settings = settingsOf({
          ...policy,
          trigger: { type: "input_tokens", value: 1_500 },
          clearAtLeast: 100,
          clearAtLeastShare: 0,
        });
        const sibling = JSON.stringify(renderContext(before).contents);
        const usage = cold ? { cold: "idle" as const } : {};
        const keepPaths = keptPath === undefined ? [] : [keptPath];
        const budget = { settings, provider: "anthropic", keepPaths };
        const plan = planPrompt(before, session.render(), budget, usage);
        if (plan.kind !== "clear") return;
        plans += 1;
        const untouchable = protectedNodes(session.render(), settings);
        for (const { nodeId, class: of, paths } of plan.report.cleared) {
          const payload = before.nodes.get(nodeId)?.payload;
          expect(payload).not.toMatchObject({ name: "write_todos" });
          expect(payload?.kind).toMatch(/^(tool_result|file_content)$/u);
          expect(untouchable).not.toContain(nodeId);
          expect(paths).not.toContain(keptPath ?? "none");
          if (of === "file") expect(lastTouched(before, settings)).not.toContain(paths[0]);
        }
        const after = added(before, "reform", {
          kind: "context_management",
          action: "reform",
          changes: plan.changes,
        });
        expectSound(after);
        expect(JSON.stringify(renderContext(after, { headId: before.currentNodeId }).contents)).toBe(sibling);
      }),
      { numRuns },
    );
    expect(plans).toBeGreaterThan(numRuns / 20);
  });

  it("cuts so that what is left stands by itself", { timeout: 3_600_000 }, () => {
    let cuts = 0;
    fc.assert(
      fc.property(acts, fc.integer({ min: 100, max: 2_000 }), (rolls, tailTokens) => {
        const session = play(rolls);
        const settings = settingsOf({ compaction: { tailTokens } });
        const { context } = session.tree;
        const cut = planCompaction(context, session.render(), { settings, provider: "anthropic" }, {});
        if (cut.kind !== "cut") return;
        const draft = draftCompaction(context, cut, "short", 4);
        if (draft.kind !== "draft") return;
        cuts += 1;
        const reformed =
          cut.changes.length === 0
            ? context
            : added(context, "reform", {
                kind: "context_management",
                action: "reform",
                changes: cut.changes,
              });
        expectSound(added(reformed, "summary", draft.summary));
      }),
      { numRuns },
    );
    expect(cuts).toBeGreaterThan(numRuns / 20);
  });
});
