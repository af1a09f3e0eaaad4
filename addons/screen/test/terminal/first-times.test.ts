import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { AgentEvent } from "../../../../packages/agent/src/loop/turn.js";
import { openStage } from "../../../../packages/agent/test/loop/stage.js";
import { firstTimes, openFirstTimes } from "../../src/terminal/first-times.js";

const folder = mkdtempSync(join(tmpdir(), "holdfast-first-"));
afterAll(() => rmSync(folder, { recursive: true }));

// Casts: of what was done, what is looked at.
const ended = (kind: string, code: string) =>
  ({
    kind: "call_ended",
    call: { code, isError: code !== "ok" && code !== "created", run: { result: { kind } } },
  }) as unknown as AgentEvent;
const context = (kind: string) => ({ kind: "context", done: { kind } }) as unknown as AgentEvent;
const begun = { kind: "turn_begun" } as unknown as AgentEvent;
const inside = (event: AgentEvent): AgentEvent => ({ kind: "sub_agent", taskId: "look", event });
const words = (lines: ReturnType<ReturnType<typeof openFirstTimes>["after"]>) =>
  lines.map((line) => line.map(({ text }) => text).join(""));

it.each([
  ["a change", ended("write", "ok"), [firstTimes.change]],
  ["a new file", ended("write", "created"), [firstTimes.change]],
  ["a change of several files", ended("change_set", "ok"), [firstTimes.change]],
  ["a change by a sub-agent", inside(ended("write", "ok")), [firstTimes.change]],
  ["a refusal", ended("write", "state_mismatch"), [firstTimes.refusal]],
  ["a refusal of another kind", ended("write", "too_large"), []],
  ["a read", ended("read", "ok"), []],
  ["a clearing", context("clear"), [firstTimes.window]],
  ["a summary", context("compacted"), [firstTimes.window]],
  ["a warning", context("warn"), []],
  ["a turn", begun, []],
])("says of %s what is to be said", (name, event, lines) => {
  expect(words(openFirstTimes(join(folder, name)).after(event, undefined))).toEqual(lines);
});

it("says each once a person, in a file that is theirs, and nothing without a state folder", () => {
  const place = join(folder, "once");
  const first = openFirstTimes(place);
  expect(first.after(ended("write", "ok"), undefined)).toHaveLength(1);
  expect(first.after(ended("write", "ok"), undefined)).toEqual([]);
  const later = openFirstTimes(place);
  expect(later.after(ended("write", "ok"), undefined)).toEqual([]);
  expect(later.after(context("clear"), undefined)).toHaveLength(1);
  expect(statSync(join(place, "input/first-times")).mode & 0o777).toBe(0o600);
  expect(openFirstTimes(undefined).after(ended("write", "ok"), undefined)).toEqual([]);
});

it("says of a branch once a prompt was sent in the place of another one", async () => {
  const stage = await openStage([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  const first = openFirstTimes(join(folder, "branch"));
  const { manager } = stage;
  await stage.turn("First.");
  const { currentNodeId } = manager.context;
  await stage.turn("Second.");
  expect(first.after(begun, manager.context)).toEqual([]);
  manager.rewind(currentNodeId);
  await stage.turn("Otherwise.");
  expect(words(first.after(begun, manager.context))).toEqual([firstTimes.branch]);
});
