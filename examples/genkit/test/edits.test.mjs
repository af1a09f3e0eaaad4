/** Structured edit semantics (seed 2), through Genkit with a scripted model. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { edit, makeRoom, play, read, swap } from "./play.mjs";

const todo = "TODO\n====\n- [ ] Write a smoke test for /health.\n- [ ] TODO list\n";

/** @type {readonly { name: string, text?: string, edits: object[], says: RegExp, after?: string }[]} */
const cases = [
  {
    name: "replaces the one match",
    edits: [swap("TODO\n====", "TODO\n====\nLast updated: 2026-04-28")],
    says: /^OK \(applied\): /,
    after: "TODO\n====\nLast updated: 2026-04-28\n- [ ] Write a smoke test for /health.\n- [ ] TODO list\n",
  },
  {
    name: "deletes where newString is empty",
    edits: [swap("- [ ] Write a smoke test for /health.\n", "")],
    says: /^OK \(applied\): /,
    after: "TODO\n====\n- [ ] TODO list\n",
  },
  {
    name: "applies edits in sequence, each on the result of the one before",
    edits: [swap("TODO list", "DONE list"), swap("DONE list", "done")],
    says: /^OK \(applied\): /,
    after: "TODO\n====\n- [ ] Write a smoke test for /health.\n- [ ] done\n",
  },
  {
    name: "replaces every match with replaceAll",
    edits: [swap("TODO", "DONE", { replaceAll: true })],
    says: /^OK \(applied\): /,
    after: "DONE\n====\n- [ ] Write a smoke test for /health.\n- [ ] DONE list\n",
  },
  {
    name: "takes $ for itself",
    edits: [swap("====", "$& $1 $$")],
    says: /^OK \(applied\): /,
    after: "TODO\n$& $1 $$\n- [ ] Write a smoke test for /health.\n- [ ] TODO list\n",
  },
  {
    name: "keeps the line endings of the file",
    text: "one\r\ntwo\r\nthree\r\n",
    edits: [swap("one\ntwo", "one\nand\ntwo")],
    says: /^OK \(applied\): /,
    after: "one\r\nand\r\ntwo\r\nthree\r\n",
  },
  {
    name: "refuses what is not in the file, with the nearest lines",
    edits: [swap("-  [ ]  TODO list", "x")],
    says: /^Error \(not_found\): .*oldString [\s\S]*\b4\b.*- \[ \] TODO list/,
  },
  {
    name: "refuses several matches, with their number and lines, and names replaceAll",
    edits: [swap("TODO", "DONE")],
    says: /^Error \(occurrence_mismatch\): .*oldString .*2 times[\s\S]*lines 1, 4[\s\S]*replaceAll/,
  },
  {
    name: "refuses equal strings",
    edits: [swap("TODO\n", "TODO\n")],
    says: /^Error \(equal_strings\): .*oldString and newString/,
  },
  {
    name: "refuses an empty oldString",
    edits: [swap("", "x")],
    says: /^Error \(empty_old_string\): .*oldString/,
  },
  {
    name: "applies all edits or none",
    edits: [swap("====", "----"), swap("not there", "x")],
    says: /^Error \(not_found\): .*edit 2 of 2/i,
  },
  { name: "refuses an empty list of edits", edits: [], says: /^Error \(invalid_arguments\): / },
  {
    name: "takes edits under the names of other tools",
    edits: [{ oldText: "====", new_string: "----" }],
    says: /^OK \(applied\): /,
    after: todo.replace("====", "----"),
  },
  {
    name: "refuses two texts that differ for one argument",
    edits: [{ oldString: "====", old_string: "x", newString: "y" }],
    says: /^Error \(invalid_arguments\): .*oldString \("===="\) and old_string \("x"\)/,
  },
  {
    name: "refuses edits of a wrong shape",
    edits: [{ oldText: "a" }],
    says: /^Error \(invalid_arguments\): [\s\S]*oldString/,
  },
];

describe("edit_file", () => {
  for (const { name, text = todo, edits, says, after } of cases) {
    it(name, async () => {
      const room = makeRoom();
      writeFileSync(room.path("todo.txt"), text);
      const { outputs } = await play(room, [[read("todo.txt")], [edit("todo.txt", ...edits)]]);
      assert.match(outputs[1], says);
      assert.equal(readFileSync(room.path("todo.txt"), "utf8"), after ?? text);
    });
  }
});
