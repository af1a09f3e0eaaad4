import { describe, expect, test } from "vitest";
import { holdfastTools } from "../src/ai-sdk.js";
import { executeToolUse } from "../src/anthropic.js";
import { holdfastBackend } from "../src/deepagents.js";
import { fitContent, fitItems } from "../src/hashless.js";
import { openRoom } from "./room.js";

/** A line of 1 MB through the doors of the frameworks: an answer, within the budget. */
const budget = 262_144;
const long = "a".repeat(1_000_000);
const edits = [{ old_string: "aaaa", new_string: "y" }];

describe("an answer about a line of 1 MB", () => {
  test("of the AI SDK's tools is within the budget", async () => {
    const { workspace, text } = await openRoom({ f: long });
    const tools = holdfastTools(workspace);
    const calls: readonly (readonly [string, object])[] = [
      ["read_file", { file_path: "f" }],
      ["read_file", { file_path: "f", offset: 1, limit: 1 }],
      ["edit_file", { file_path: "f", edits }],
      ["write_file", { file_path: "f", content: "x" }],
      ["search_files", { pattern: "a" }],
      ["append_to_file", { file_path: "f", content: "b" }],
      ["undo_edit", { file_path: "f" }],
    ];
    for (const [name, args] of calls) {
      const output = await tools[name]?.execute(args);
      if (output === undefined) throw new Error(`${name} is not offered`);
      expect(tools[name]?.toModelOutput({ output }).value.length).toBeLessThanOrEqual(budget);
    }
    expect(text("f")).toBe(long);
  });

  test.each(["str_replace_based_edit_tool", "memory"])(
    "of Anthropic's %s is within the budget",
    async (name) => {
      const room = await openRoom({ f: long });
      const path = name === "memory" ? "/memories/f" : "f";
      const inputs = [
        { command: "create", path, file_text: long },
        { command: "view", path },
        { command: "view", path, view_range: [1, 1] },
        { command: "str_replace", path, old_str: "aaaa", new_str: "b" },
        { command: "insert", path, insert_line: 1, insert_text: "x\n" },
        { command: "create", path, file_text: "x" },
      ];
      for (const input of inputs) {
        const result = await executeToolUse(room.workspace, { id: "t", name, input });
        expect(result?.content.length).toBeLessThanOrEqual(budget);
      }
    },
  );

  test("of deepagents' backend is within the budget", async () => {
    const { workspace, write } = await openRoom({ f: long, "lines.txt": "\n".repeat(262_000) });
    const backend = holdfastBackend(workspace);
    const own = await backend.write("/own", long);
    write("own", "b".repeat(1_000_000));
    const answers = [
      own,
      await backend.write("/own", "x"),
      await backend.read("/f"),
      await backend.read("/f", 0, 1),
      await backend.edit("/f", "aaaa", "b"),
      await backend.write("/f", "x"),
      await backend.grep("a"),
      await backend.glob("*"),
      await backend.ls("/"),
      await backend.read("/lines.txt", 0, 300_000),
    ];
    for (const answer of answers) {
      const texts = Object.values(answer).map((value) =>
        typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
      );
      expect(texts.reduce((sum, value) => sum + value.length, 0)).toBeLessThanOrEqual(budget);
    }
  });
});

test("a content is cut to its first page, and the rest is not shown", async () => {
  const text = `${"x".repeat(99)}\n`.repeat(3_000);
  const { workspace } = await openRoom({ f: text });
  const read = await workspace.read({ path: "f", limit: 2_600 });
  if (read.kind !== "read") throw new Error(read.message);
  const frame = (_: object, content: string) => `<${"-".repeat(10_000)}${content}>`;
  const fitted = fitContent(read.state, read.state.content, frame, { read: "look", window: "from and to" });
  if ("omission" in fitted) throw new Error(fitted.omission);
  expect(fitted.text.length).toBeLessThanOrEqual(budget);
  expect(fitted.text).toMatch(
    /Shown are lines 1-25\d\d of 3000: .* Read on from line 25\d\d with look, from and to\.$/,
  );
  expect(fitted.shown[0]?.lines).toEqual([fitted.state.lines]);
});

test("a list is cut to what one answer holds", () => {
  const items = Array.from({ length: 100_000 }, (_, at) => ({ path: `some/folder/file-${at}.txt` }));
  const { items: kept, isCut } = fitItems(items);
  expect(isCut).toBe(true);
  expect(JSON.stringify(kept).length).toBeLessThanOrEqual(budget);
  expect(fitItems(items.slice(0, 10))).toEqual({ items: items.slice(0, 10), isCut: false });
});
