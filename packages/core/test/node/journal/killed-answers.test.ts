import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { createConversation, openConversation } from "../../../src/conversation/index.js";
import type { SessionStore, TurnNode } from "../../../src/conversation/values/index.js";
import { openJournalStore } from "../../../src/node/journal/store.js";
import { countedIds, steadyClock } from "../../conversation/support.js";
import { must } from "../../reproductions/scene.js";
import { builtRoom, fixture, freshFolder } from "../support.js";

/** An answer of a model is one event: whenever its writer is killed, all of it is there or none. */
const nodes = 3;
const sources = { ids: countedIds(), now: steadyClock() };

async function begun(): Promise<{
  readonly stateDir: string;
  readonly store: SessionStore;
  readonly id: string;
}> {
  const stateDir = freshFolder();
  const store = must(openJournalStore({ stateDir }));
  const { manager, close } = must(await createConversation(store, sources));
  must(manager.commitStagedItems("Go on."));
  must(await close());
  return { stateDir, store, id: manager.context.sessionId };
}

function argumentsFor(stateDir: string, id: string, how: "whole" | "apart", ticks: number): string[] {
  return [fixture("answers.mjs"), builtRoom(), stateDir, id, how, String(ticks)];
}

/** How many nodes each answer has left in the journal, the fewest first. */
async function answersIn(store: SessionStore, id: string): Promise<readonly number[]> {
  const { manager, problems, close } = must(await openConversation(store, id, "write", sources));
  expect(problems.filter(({ what }) => what !== "torn_tail")).toEqual([]);
  const counts = new Map<string, number>();
  for (const node of manager.context.nodes.values()) {
    const step = stepOf(node);
    if (step !== undefined) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  must(await close());
  return [...counts.values()].sort();
}

function stepOf({ payload }: TurnNode): string | undefined {
  return "step" in payload ? payload.step : undefined;
}

describe("a writer of answers that is killed", () => {
  it.each([1, 8])("%i ticks after an answer leaves all of it or nothing", async (ticks) => {
    const { stateDir, store, id } = await begun();
    const run = spawnSync(process.execPath, argumentsFor(stateDir, id, "whole", ticks), { encoding: "utf8" });
    expect(run.signal).toBe("SIGKILL");
    const answers = await answersIn(store, id);
    expect(answers.length).toBeGreaterThanOrEqual(2);
    expect(answers.every((count) => count === nodes)).toBe(true);
  });

  it("at any moment leaves whole answers, and at least those that were acknowledged", async () => {
    for (let run = 0; run < 2; run++) {
      const { stateDir, store, id } = await begun();
      const acknowledged = await killedAfter(argumentsFor(stateDir, id, "whole", -1), 3 + run * 7);
      const answers = await answersIn(store, id);
      expect(answers.every((count) => count === nodes)).toBe(true);
      expect(answers.length).toBeGreaterThanOrEqual(acknowledged);
    }
  });

  it("would leave half of one that was added part by part", async () => {
    const { stateDir, store, id } = await begun();
    spawnSync(process.execPath, argumentsFor(stateDir, id, "apart", -1));
    expect(await answersIn(store, id)).toEqual([2, nodes, nodes]);
  });
});

/** Kills the writer when it has had so many answers acknowledged. @returns how many they were at last. */
async function killedAfter(args: readonly string[], count: number): Promise<number> {
  const writer = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const gone = new Promise((resolve) => writer.on("exit", resolve));
  let acknowledged = 0;
  for await (const _ of createInterface({ input: writer.stdout })) {
    acknowledged += 1;
    if (acknowledged === count) writer.kill("SIGKILL");
  }
  await gone;
  return acknowledged;
}
