import { appendFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isRefusal } from "../../../src/files/values/index.js";
import { openJournalStore } from "../../../src/node/journal/store.js";
import { longLife } from "../../conversation/journal/store-events.js";
import { freshFolder } from "../support.js";

/** A journal with half a line of so many bytes behind it: it is read in slices, and cut where it is opened to be written. */
async function torn() {
  const stateDir = join(freshFolder(), "state");
  const store = openJournalStore({ stateDir });
  if (isRefusal(store)) throw new Error(store.message);
  const made = await store.create("s", longLife("s", 6));
  if (isRefusal(made)) throw new Error(made.message);
  await made.close();
  const journal = join(stateDir, "conversations", "s.jsonl");
  appendFileSync(journal, `{"v":1,"seq":7,"x":"${"x".repeat(3 * 1024 * 1024)}`);
  return { store, stateDir, journal };
}

/** Opens it, and does something after so many turns of the process. @returns the refusal's code, or how it was opened. */
async function openWhile(ground: Awaited<ReturnType<typeof torn>>, turns: number, work: () => void) {
  const opening = ground.store.open("s", "write");
  for (let turn = 0; turn < turns; turn += 1) await nextTurn();
  work();
  const opened = await opening;
  if (isRefusal(opened)) return opened.code;
  await opened.close();
  return opened.mode;
}

const turns = Array.from({ length: 8 }, (_, at) => at);

describe("a torn journal that is changed while it is read to be written", () => {
  it("loses nothing that was written behind the torn line meanwhile", async () => {
    const answers = new Set<string>();
    for (const turn of turns) {
      const ground = await torn();
      const answer = await openWhile(ground, turn, () => appendFileSync(ground.journal, "\nacknowledged\n"));
      answers.add(answer);
      expect(readFileSync(ground.journal, "latin1").includes("acknowledged"), `${turn}`).toBe(true);
    }
    expect([...answers]).toContain("conflict");
  });

  it("is left alone once the lease is lost", async () => {
    const answers = new Set<string>();
    for (const turn of turns) {
      const ground = await torn();
      const before = readFileSync(ground.journal);
      const locks = join(ground.stateDir, "locks");
      const answer = await openWhile(ground, turn, () => {
        for (const name of readdirSync(locks)) rmSync(join(locks, name));
      });
      answers.add(answer);
      if (answer === "busy") expect(readFileSync(ground.journal).equals(before), `${turn}`).toBe(true);
    }
    expect([...answers]).toContain("busy");
  });
});
