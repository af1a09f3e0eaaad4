import { economySettings } from "@holdfast/core/economy";
import { afterEach, describe, expect, it } from "vitest";
import { openStage, type Stage } from "./stage.js";

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

const long = Array.from({ length: 1_500 }, (_, at) => `line ${at} of a file that is read\n`).join("");
const read = (path: string) => ({
  text: "I read.",
  calls: [{ name: "read_file", args: { file_path: path } }],
});

function settings(trigger: number) {
  const made = economySettings({
    ...{ trigger: { type: "input_tokens", value: trigger }, warnAt: 0.5, payFrom: 1, clearAtLeast: 1_000 },
    ...{ keep: 0, keepMessages: 0, keepTokens: 0, keepTurns: 0, workingTokens: 0, expectedRequests: 100 },
    compaction: { enabled: false },
    ratios: { scripted: { write: 1, read: 0.5, lifetimeMs: 3_600_000, bindsThinking: false } },
  });
  if ("code" in made) throw new Error(made.message);
  return made;
}

/** The warnings that stand in the tree. */
function warnings({ manager }: Stage): number {
  const payloads = [...manager.context.nodes.values()].map(({ payload }) => payload);
  return payloads.filter(
    (payload) => payload.kind === "note" && payload.text.startsWith("⚠️ CONTEXT APPROACHING LIMIT"),
  ).length;
}

function done({ events }: Stage): readonly string[] {
  return events.flatMap((event) => (event.kind === "context" ? [event.done.kind] : []));
}

describe("the warning before something is cleared", () => {
  it("comes once, also in a session that goes on in another run", async () => {
    stage = await openStage(
      [read("a.txt"), { text: "Read." }, { text: "Yes." }],
      { economy: settings(20_000) },
      { "a.txt": long },
    );
    await stage.turn("Read it.");
    expect([warnings(stage), done(stage)]).toEqual([1, ["warn"]]);
    await stage.turn("Go on.");
    expect(warnings(stage)).toBe(1);
    stage = await stage.resume([{ text: "Yes." }, { text: "Yes." }]);
    await stage.turn("Go on, in another run.");
    await stage.turn("And on.");
    expect([warnings(stage), done(stage)]).toEqual([1, []]);
  });

  it("comes again after a clearing, in another run as well", async () => {
    stage = await openStage(
      [read("a.txt"), { text: "Read." }, read("b.txt"), { text: "Read." }],
      { economy: settings(20_000) },
      { "a.txt": long, "b.txt": long.replaceAll("read", "kept"), "c.txt": long.replaceAll("read", "last") },
    );
    await stage.turn("Read it.");
    await stage.turn("Read the other.");
    expect(done(stage)).toContain("clear");
    const before = warnings(stage);
    stage = await stage.resume([read("c.txt"), { text: "Read." }, { text: "Yes." }]);
    await stage.turn("Read the last.");
    await stage.turn("Go on.");
    expect(warnings(stage)).toBe(before + 1);
  });
});
