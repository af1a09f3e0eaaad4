import { describe, expect, it } from "vitest";
import { Commands } from "../../../src/host/commands.js";
import { shellTool } from "../../../src/host/shell-tool.js";
import type { AgentEvent } from "../../../src/loop/turn.js";
import type { ScriptedAnswer } from "../../../src/models/scripted.js";
import { openStage } from "../../loop/stage.js";
import { shown } from "./shown.js";

const files = { "a.ts": "one\ntwo\nthree\n", "b.ts": "b\n" };
const hash = { base_content_sha256: "{{sha256:a.ts}}" };
const calls = (...made: readonly (readonly [string, object])[]): ScriptedAnswer => ({
  calls: made.map(([name, args]) => ({ name, args: { ...args } })),
});
const read = calls(["read_file", { file_path: "a.ts" }]);
const edit = (oldText: string, newText: string, more: object = hash) =>
  calls(["edit_file", { file_path: "a.ts", edits: [{ old_string: oldText, new_string: newText }], ...more }]);
const patch = (diff: string) => calls(["safe_patch", { file_path: "a.ts", diff, ...hash }]);

/** Calls that are made in their order, and the lines of the last of them. */
const rows: readonly (readonly [string, readonly ScriptedAnswer[], string])[] = [
  ["a read, with its lines and its version", [read], "read a.ts 1-3 v1 b6285c5"],
  [
    "a read of some lines",
    [calls(["read_file", { file_path: "a.ts", offset: 2, limit: 1 }])],
    "read a.ts 2-2 v1 b6285c5",
  ],
  [
    "a read of what is not there",
    [calls(["read_file", { file_path: "no.ts" }])],
    "read ✗ no.ts is not there",
  ],
  [
    "a read of several, a line each below",
    [calls(["read_many_files", { paths: ["a.ts", "b.ts", "no.ts"] }])],
    "read 3 files\n  read a.ts 1-3 v1 b6285c5\n  read b.ts 1-1 v1 0263829\n  read ✗ no.ts is not there",
  ],
  ["names and lines that are found", [calls(["list_files", { path: "." }])], "list . 2 found"],
  ["a search", [calls(["search_files", { pattern: "o" }])], "search o 2 found"],
  [
    "a change, with its lines and its version",
    [read, edit("two", "zwei\nzwo")],
    "edit a.ts +2 -1 v2 6a0e01b ✓",
  ],
  [
    "a state that comes back, under its first number",
    [read, edit("two", "zwei"), edit("zwei", "two")],
    "edit a.ts +1 -1 v1 b6285c5 ✓",
  ],
  [
    "a second read of the same state",
    [calls(["read_many_files", { paths: ["b.ts", "a.ts"] }]), read],
    "read a.ts 1-3 v1 b6285c5",
  ],
  [
    "a new file",
    [calls(["write_file", { file_path: "c.ts", content: "c\nd\n" }])],
    "create c.ts +2 v1 a5567b1 ✓",
  ],
  ["a change of nothing", [read, edit("two", "two")], "edit ✗ a.ts: equal strings"],
  ["a text that is not there", [read, edit("four", "five")], "edit ✗ the text to replace is not in a.ts"],
  [
    "a hash that nobody knows",
    [edit("two", "zwei", { base_content_sha256: "0".repeat(64) })],
    "edit ✗ the model named a state of a.ts that nobody knows; the model was shown what is there",
  ],
  ["a deleted file", [read, calls(["delete_file", { file_path: "a.ts", ...hash }])], "delete a.ts -3 ✓"],
  [
    "another name",
    [read, calls(["move_file", { file_path: "a.ts", new_path: "z.ts", ...hash }])],
    "move a.ts → z.ts v1 b6285c5 ✓",
  ],
  [
    "what was put right in a diff",
    [read, patch("@@ -9,3 +9,3 @@\n one\n-two\n+zwei\n three\n")],
    "edit a.ts +1 -1 v2 49e489b ✓\n  repaired: hunk 1, line number (line 9 → 1)",
  ],
  [
    "a command, with its last lines",
    [calls(["run_shell_command", { command: "seq 9; exit 3" }])],
    "$ seq 9; exit 3 … N s, exit 3\n  …\n  5\n  6\n  7\n  8\n  9",
  ],
  [
    "a command that goes on",
    [calls(["run_shell_command", { command: "sleep 60", background: true }])],
    "$ sleep 60 … in the background as c1",
  ],
  [
    "a command that took too long",
    [calls(["run_shell_command", { command: "sleep 60", timeout_seconds: 1 }])],
    "$ sleep 60 … N s, timeout",
  ],
  ["another tool", [calls(["task_list", {}])], "task_list ✓"],
  [
    "a tool that there is not",
    [calls(["fly", { base: "ab".repeat(32), to: "the moon" }])],
    "fly the moon ✗ invalid arguments",
  ],
];

async function linesOf(answers: readonly ScriptedAnswer[]): Promise<string> {
  const tool: { of?: ReturnType<typeof shellTool> } = {};
  const stage = await openStage(
    [...answers, { text: "Done." }],
    { hostTools: () => (tool.of ? [tool.of] : []) },
    files,
  );
  const { root } = stage;
  const commands = new Commands({
    roots: [root],
    tempDir: `${root}/../out`,
    environment: { PATH: process.env.PATH ?? "" },
  });
  tool.of = shellTool({ commands });
  await stage.turn("Go.");
  await commands.close();
  const ends = stage.events.filter(
    (event): event is Extract<AgentEvent, { kind: "call_ended" }> => event.kind === "call_ended",
  );
  return shown(ends.slice(-1))
    .text.trimEnd()
    .replace(/\d+(\.\d)? s/gu, "N s");
}

describe("the line of a call", () => {
  it.each(rows)("shows %s", async (_, answers, expected) => {
    expect(await linesOf(answers)).toBe(expected);
  });

  it("says of a mismatch what happened, in a person's words", async () => {
    const stage = await openStage([read, edit("one", "eins"), { text: "Done." }], {}, files);
    const onEvent = (event: AgentEvent) => {
      if (event.kind === "call_ended" && event.call.name === "read_file") stage.write("a.ts", "other\n");
      stage.events.push(event);
    };
    await stage.agent.turn({ text: "Go." }, { onEvent });
    expect(shown(stage.events).text).toContain(
      "edit ✗ a.ts changed since the model read it; the model was shown the new state\n",
    );
  });
});
