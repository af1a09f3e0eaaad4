import { describe, expect, it } from "vitest";
import {
  type CacheOutlook,
  cacheOutlook,
  measure,
  planBreakpoints,
  type SentPrompt,
  sentPrompt,
} from "../../src/economy/index.js";
import { fileOf, Session } from "./sessions.js";

const minute = 60_000;
const base = { at: 0, provider: "anthropic", model: "m", system: "s", tools: "t", startId: "root" };
const ratios = { lifetimeMs: 5 * minute };
const none: CacheOutlook = { sharedParts: 0, sharedChars: 0 };

/** A prompt of three reads, as it was sent with marks behind the first and the last of them. */
function sentSession() {
  const session = new Session().say("Begin.");
  for (const name of ["a.ts", "b.ts", "c.ts"]) session.read(fileOf(name, 40));
  const prompt = measure(session.render());
  const head = { ...base, headId: session.tree.context.currentNodeId };
  const sent = sentPrompt(head, prompt, [3, prompt.parts.length], none);
  return { session, prompt, head, sent };
}

function outlookOn(
  sent: readonly SentPrompt[],
  session: Session,
  more: Partial<typeof base> = {},
  isOnPath = () => true,
): CacheOutlook {
  const next = { ...base, headId: session.tree.context.currentNodeId, ...more };
  return cacheOutlook(sent, next, measure(session.render()), ratios, isOnPath);
}

describe("what a cache holds of the next request", () => {
  it("is all of the last one where something was appended", () => {
    const { session, prompt, sent } = sentSession();
    session.say("Go on.");
    const outlook = outlookOn([sent], session);
    expect(outlook).toMatchObject({ sharedParts: prompt.parts.length, sharedChars: prompt.chars });
    expect(outlook).not.toHaveProperty("broken");
    expect(outlook).not.toHaveProperty("cold");
  });

  it.each([
    ["another model", { model: "n" }, "model"],
    ["another text of the system", { system: "n" }, "system"],
    ["other tools", { tools: "n" }, "tools"],
    ["a long rest", { at: 6 * minute }, "idle"],
  ] as const)("is nothing after %s", (_, more, cause) => {
    const { session, prompt, sent } = sentSession();
    const outlook = outlookOn([sent], session, more);
    expect(outlook).toMatchObject({ cold: cause, sharedChars: 0 });
    expect(outlook.broken).toEqual({ cause, lostChars: prompt.chars });
  });

  it("is what two branches have in common: only what differs is cold", () => {
    const { session, prompt, sent } = sentSession();
    const other = new Session().say("Begin.");
    other.read(fileOf("a.ts", 40));
    other.say("Something else.");
    const outlook = outlookOn([sent], other, {}, () => false);
    const shared = prompt.parts[3]?.before ?? 0;
    expect(outlook).toMatchObject({ sharedParts: 3, sharedChars: shared });
    expect(outlook.broken).toMatchObject({ cause: "branch", lostChars: prompt.chars - shared });
    expect(outlook).not.toHaveProperty("cold");
    // Back again: the first branch is as warm as it was.
    const between = sentPrompt({ ...base, headId: "other" }, measure(other.render()), [4], outlook);
    expect(outlookOn([sent, between], session).sharedParts).toBe(prompt.parts.length);
  });

  it("ends where results were cleared, and says so", () => {
    const { session, prompt, sent } = sentSession();
    const [second] = prompt.parts.filter(({ origin }) => origin.rule === "result").slice(1);
    const targetId = second?.origin.nodeId ?? "";
    const form = { form: "replaced", by: "cleared", text: "gone" } as const;
    session.tree.add("reform", {
      kind: "context_management",
      action: "reform",
      changes: [{ targetId, form }],
    });
    const outlook = outlookOn([sent], session);
    expect(outlook.broken).toMatchObject({ cause: "clearing", nodeId: targetId });
    expect(outlook.sharedChars).toBe(second?.before);
    // The last place that is kept and has not changed comes before it.
    expect(planBreakpoints(outlook, 7, 5)).toEqual([3, 7]);
  });
});

describe("where a request is marked", () => {
  it("before what may be cleared, where the last one ended, and at its end", () => {
    const { session, prompt, sent } = sentSession();
    session.say("Go on.");
    const outlook = outlookOn([sent], session);
    const all = prompt.parts.length;
    expect(planBreakpoints(outlook, all + 1, 2)).toEqual([2, all, all + 1]);
    expect(planBreakpoints(none, all, 2)).toEqual([2, all]);
    expect(planBreakpoints(none, all, 0)).toEqual([all]);
  });
});
