import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { holdfast } from "@holdfast/adapters/genkit";
import { call, edit, makeRoom, play, read, swap, write } from "./play.mjs";

const budget = 262_144;

describe("what the tools answer", () => {
  it("names them by the prefix that they have, and none that is not offered", async () => {
    const room = makeRoom();
    const use = [holdfast({ root: room.root, stateDir: room.stateDir, toolNamePrefix: "other_" })];
    const turns = [[call("other_read_file", { filePath: "none" })]];
    const { outputs } = await play(makeRoom(), turns, { use });
    assert.match(outputs[0], /file_missing.* other_write_file creates it/);
    const reading = await play(room, [[read("none")]], { options: { readOnly: true } });
    assert.match(reading.outputs[0], /file_missing/);
    assert.doesNotMatch(reading.outputs[0], /write_file/);
  });

  it("keeps the budget about a line of 7 MB, and says what was cut", async () => {
    const room = makeRoom();
    const long = "a".repeat(7_000_000);
    writeFileSync(room.path("long"), long);
    writeFileSync(room.path("lines"), `${"x".repeat(99)}\n`.repeat(2_621));
    const turns = [
      [read("long")],
      [read("long", { offset: 1, limit: 1 })],
      [edit("long", swap("aaaa", "b"))],
      [write("long", "x")],
      [read("lines")],
      [write("own", long)],
      [() => writeFileSync(room.path("own"), "b".repeat(7_000_000)), write("own", "x")],
    ];
    const { outputs } = await play(room, turns);
    for (const output of outputs) assert.ok(JSON.stringify(output).length > 2 && output.length <= budget);
    assert.match(outputs[4], /Shown are lines 1-26\d\d of 2621|<read_file/);
    assert.match(outputs.at(-1), /state_mismatch/);
  });
});
