import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { afterThisTest } from "../../../../test/cleanups.js";
import { inputHistory } from "../../src/terminal/input-history.js";

function stateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-history-"));
  afterThisTest(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("loses nothing of programs that run at once, and is for this person alone", () => {
  const state = stateFolder();
  const programs = [inputHistory(state), inputHistory(state), inputHistory(state)];
  const texts = Array.from({ length: 300 }, (_, at) => `${at}\n${"x".repeat(1_000)}`);
  for (const [at, text] of texts.entries()) programs[at % 3]?.add(text);
  expect(inputHistory(state).entries).toEqual(texts);
  const folder = join(state, "input");
  const files = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  expect([files, statSync(folder).mode & 0o777]).toEqual([[0o600, 0o600], 0o700]);
});

it("keeps the newest entries of a long life, and no text that is huge", () => {
  const state = stateFolder();
  const { add } = inputHistory(state);
  for (let at = 0; at < 9_000; at += 1) add(`${at} ${"y".repeat(150)}`);
  add("z".repeat(30_000));
  const { entries } = inputHistory(state);
  expect(entries).toHaveLength(3_000);
  expect(entries.at(-1)).toMatch(/^8999 /);
  expect(readdirSync(join(state, "input")).length).toBeLessThanOrEqual(3);
});

it("reads past a line that is cut, and begins without a folder that can be written", () => {
  const state = stateFolder();
  inputHistory(state).add("whole");
  writeFileSync(join(state, "input", "history-1.jsonl"), '"cut', { flag: "a" });
  expect(inputHistory(state).entries).toEqual(["whole"]);
  const file = join(state, "file");
  writeFileSync(file, "");
  const none = inputHistory(file);
  none.add("nothing");
  expect(none.entries).toEqual([]);
});
