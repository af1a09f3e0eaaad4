import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { apiClearing, openPolicies, supersedeBatch, supersedeSuffix } from "../bench/replay/policies.mjs";
import { replayUnder } from "../bench/replay/replay.mjs";
import { readSession } from "../bench/replay/session.mjs";
import { syntheticSession } from "../bench/replay/synthetic.mjs";

type Block = Parameters<typeof replayUnder>[0][number];
type FileUse = NonNullable<Block["use"]>;

const line = "the line that is changed later";
const user: Block = { id: "u", role: "user", text: "u".repeat(400), atMs: 0, depth: 1, step: undefined };
const end: Block = { ...user, id: "end", role: "model", text: "done", step: "end" };
const readOf = (path: string): FileUse => ({ kind: "read", path, range: "" });

/** A call of 10 tokens and its result. */
function exchange(id: string, use: FileUse, output: string): readonly Block[] {
  const call: Block = { ...user, id, role: "call", text: id.padEnd(40), step: id, callId: id, use };
  return [call, { ...call, id: `${id}-result`, role: "result", text: output, step: undefined }];
}

const textOfA = `${line}\n`.padEnd(4_000, "a");
const twice = [
  user,
  ...exchange("1", readOf("a.txt"), textOfA),
  ...exchange("2", readOf("a.txt"), textOfA),
  end,
];

describe("the replay bench counts as by hand", () => {
  it("the session as it was: 0.1 for what stood there before, 1.25 for the rest", () => {
    const figures = replayUnder([user, ...exchange("1", readOf("a.txt"), textOfA), end], { name: "raw" });
    // 100; then 100 + 10 + 1,000. 125; then 10 + 1,262.5.
    expect(figures).toMatchObject({ requests: 2, inputTokens: 1_210, cost: 1_398, peak: 1_110 });
  });

  it("a pause beyond the cache's lifetime: all is written again", () => {
    const later = exchange("1", readOf("a.txt"), textOfA).map((block) => ({
      ...block,
      atMs: 6 * 60_000 + 1,
    }));
    const figures = replayUnder([{ ...user, atMs: 1 }, ...later, end], { name: "raw" });
    expect(figures).toMatchObject({ cost: Math.round((100 + 1_110) * 1.25) });
  });

  it("the seed's replies: a write shows the whole file again", () => {
    const seed = openPolicies().find(({ name }) => name === "seed-literal");
    const write = exchange("1", { kind: "write", path: "a.txt", text: "a".repeat(400) }, "r".repeat(40));
    // The result has 40 + 1 + 400 characters.
    expect(replayUnder([user, ...write, end], seed ?? { name: "none" })).toMatchObject({
      inputTokens: 320,
      cost: 285,
    });
  });

  it("the API's clearing, with the read that it forces", () => {
    const edit: FileUse = { kind: "edit", path: "a.txt", edits: [{ before: line, after: "another" }] };
    const session = [
      user,
      ...exchange("1", readOf("a.txt"), textOfA),
      ...exchange("2", readOf("b.txt"), "b".repeat(4_000)),
      ...exchange("3", edit, "r".repeat(40)),
      end,
    ];
    // Input 100, 1,110, 1,128.25, again 1,139 with the text of a.txt, 167.25.
    expect(replayUnder(session, apiClearing("keep-1", 1, true, 500))).toMatchObject({
      ...{ requests: 5, inputTokens: 3_645, cost: 4_007, peak: 1_139 },
      ...{ forcedRereads: 1, regret: 1_000, dangling: 0, violations: 0 },
    });
    // Without the price: the same need, and four requests.
    const unpriced = replayUnder(session, apiClearing("keep-1", 1, false, 500));
    expect(unpriced).toMatchObject({ requests: 4, forcedRereads: 1 });
  });

  it.each([
    ["with little behind it", 8_000, 2_339, 2_683],
    ["with much behind it", 500, 3_330, 2_771],
  ])("an outdated read %s", (_, mostTokens, inputTokens, cost) => {
    const figures = replayUnder(twice, {
      name: "suffix",
      beforeRequest: (prompt, idleMs) => supersedeSuffix(prompt, idleMs, mostTokens),
    });
    expect(figures).toMatchObject({ inputTokens, cost, dangling: 0, regret: 0 });
  });

  it.each([
    ["that fill a batch", 4_000, 2_339],
    ["that do not", 4_001, 3_330],
  ])("outdated reads %s", (_, bytes, inputTokens) => {
    const figures = replayUnder(twice, {
      name: "batch",
      beforeRequest: (prompt) => supersedeBatch(prompt, bytes),
    });
    expect(figures).toMatchObject({ inputTokens });
  });

  it("ours: a read that shows nothing new is a reference, in the same place of every request", () => {
    const lines = Array.from({ length: 60 }, (_, at) => `${at + 1}\tline ${at + 1} of the file\n`).join("");
    const session = [
      user,
      ...exchange("1", readOf("a.txt"), lines),
      ...exchange("2", readOf("a.txt"), lines),
      end,
    ];
    const [raw, ours] = ["raw", "holdfast"].map((name) => {
      const policy = openPolicies().find((one) => one.name === name);
      return policy && replayUnder(session, policy);
    });
    expect(raw?.inputTokens).toBe(Math.round(3 * 100 + 3 * 10 + (3 * lines.length) / 4));
    const reference = (ours?.inputTokens ?? 0) - 3 * 100 - 3 * 10 - lines.length / 2;
    expect(reference).toBeGreaterThan(40);
    expect(reference).toBeLessThan(80);
    expect(ours).toMatchObject({ requests: 3, dangling: 0, violations: 0, regret: 0, forcedRereads: 0 });
  });

  it("a compaction: a summary stands for what came before the kept part", () => {
    const early: Block = { ...user, id: "early", depth: 1 };
    const kept: Block = { ...user, id: "kept", depth: 2, text: "k".repeat(40) };
    const summary: Block = {
      ...user,
      id: "s",
      role: "summary",
      depth: 3,
      text: "s".repeat(80),
      keepFromDepth: 2,
    };
    expect(replayUnder([early, kept, summary, end], { name: "raw" })).toMatchObject({ inputTokens: 30 });
  });
});

describe("sessions of the generator", () => {
  it("are the same for the same seed", () => {
    const made = syntheticSession("edit-heavy", 3, 0.2);
    expect(syntheticSession("edit-heavy", 3, 0.2)).toEqual(made);
    expect(syntheticSession("edit-heavy", 4, 0.2)).not.toEqual(made);
  });

  // A fifth of the bench's: its table has the whole sets.
  it.each(["read-heavy", "edit-heavy", "shell-heavy", "exploration"] as const)(
    "%s: ours costs least",
    (set) => {
      const blocks = syntheticSession(set, 1, 0.2);
      const figures = openPolicies().map((policy) => replayUnder(blocks, policy));
      const ours = figures.find(({ policy }) => policy === "holdfast");
      expect(ours).toMatchObject({ dangling: 0, violations: 0 });
      expect(Math.min(...figures.map(({ cost }) => cost))).toBe(ours?.cost);
    },
  );
});

/** Steps of so many calls at once, each of its own file, with so many characters. */
function steps(count: number, calls: number, chars: number, said: number, kind: FileUse["kind"] | "run") {
  const session: Block[] = [user];
  for (let step = 0; step < count; step += 1) {
    const id = `${step}`;
    if (said > 0)
      session.push({ ...user, id: `m${id}`, role: "model", step: id, text: `${step} `.padEnd(said, "m") });
    const made = Array.from({ length: calls }, (_, at) => {
      const use = kind === "run" ? {} : { use: readOf(`${step}-${at}.txt`) };
      return { ...user, id: `${id}.${at}`, step: id, callId: `${id}.${at}`, name: "tool", ...use };
    });
    for (const one of made) session.push({ ...one, role: "call", text: one.id.padEnd(80) });
    for (const one of made)
      session.push({
        ...one,
        id: `${one.id}r`,
        role: "result",
        step: undefined,
        text: `${one.id} `.padEnd(chars, "r"),
      });
  }
  return [...session, end];
}

describe("sessions of other shapes", () => {
  it.each([
    ["six files at once", steps(30, 6, 6_000, 200, "read")],
    ["more words than results", steps(120, 1, 1_500, 1_400, "run")],
    ["small outputs only", steps(150, 1, 900, 100, "run")],
    ["no tools at all", steps(60, 0, 0, 2_000, "run")],
    ["an answer alone", [user, end]],
  ] as const)("%s: none costs less than ours", (_, blocks) => {
    const figures = openPolicies().map((policy) => replayUnder(blocks, policy));
    const ours = figures.find(({ policy }) => policy === "holdfast");
    expect(ours).toMatchObject({ dangling: 0, violations: 0 });
    expect(ours?.cost).toBeLessThanOrEqual(Math.min(...figures.map(({ cost }) => cost)));
  });
});

describe("recorded sessions", () => {
  const imports = "../addons/importers/test/imports";
  it.each([
    [`${imports}/pi-day.jsonl`, "pi"],
    [`${imports}/pi-killed.jsonl`, "pi"],
    [`${imports}/claude-day.jsonl`, "claude"],
    [`${imports}/claude-killed.jsonl`, "claude"],
    [`${imports}/claude-stream-agents.jsonl`, "claude"],
    [`${imports}/codex-aborted.jsonl`, "codex"],
    [`${imports}/codex-compacted.jsonl`, "codex"],
    [`${imports}/codex-parallel.jsonl`, "codex"],
    ["../packages/core/test/conversation/journal/journals/of-0.1.jsonl", "holdfast"],
  ] as const)("%s goes through every policy", (file, format) => {
    const session = readSession(fileURLToPath(new URL(file, import.meta.url)), format);
    if (session.kind === "refused") throw new Error(session.message);
    for (const figures of openPolicies().map((policy) => replayUnder(session.blocks, policy))) {
      expect(figures.requests).toBeGreaterThan(0);
      expect(figures.cost).toBeGreaterThan(0);
      expect(figures).toMatchObject({ dangling: 0, violations: 0 });
    }
  });

  it("refuses a file that is another program's, and one that is not there", () => {
    const file = fileURLToPath(new URL(`${imports}/pi-day.jsonl`, import.meta.url));
    expect(readSession(file, "codex")).toMatchObject({ kind: "refused" });
    expect(readSession(`${file}.gone`, "pi")).toMatchObject({ kind: "refused" });
  });
});
