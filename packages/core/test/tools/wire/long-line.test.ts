import { beforeAll, describe, expect, test } from "vitest";
import { runTool, type WireForm } from "../../../src/tools/index.js";
import type { Call } from "../../reproductions/scene.js";
import { sha } from "../../support.js";
import { openMemory } from "../ground.js";

/** A file of one long line and a folder of 3,000 names, through every tool: an answer, within its budget. */
const long = "a".repeat(300_000);
const base_content_sha256 = sha(long);
const unified_diff = "@@ -1,1 +1,1 @@\n-zzz\n+y\n";
const edits = [{ old_string: "aaaa", new_string: "y" }];
const cases: readonly (readonly [what: string, call: Call, codes: RegExp])[] = [
  ["a read", ["read_file", { file_path: "f" }], /too_large/],
  ["a window", ["read_file", { file_path: "f", offset: 1, limit: 1 }], /too_large/],
  ["a read of many", ["read_many_files", { paths: ["f", "g"] }], /ok|too_large/],
  ["an edit", ["edit_file", { file_path: "f", edits, base_content_sha256 }], /occurrence_mismatch/],
  [
    "an edit that is made",
    ["edit_file", { file_path: "g", edits: [{ old_string: `b${"a".repeat(20)}`, new_string: "y" }] }],
    /applied|not_read|unseen/,
  ],
  ["a patch", ["safe_patch", { file_path: "f", unified_diff, base_content_sha256 }], /invalid_diff/],
  [
    "a patch of another state",
    ["safe_patch", { file_path: "f", unified_diff, base_content_sha256: "0".repeat(64) }],
    /unknown_base/,
  ],
  ["a write over it", ["write_file", { file_path: "f", content: "x", base_content_sha256 }], /unseen_lines/],
  ["an addition", ["append_to_file", { file_path: "f", content: "x" }], /applied/],
  ["a search", ["search_files", { pattern: "a+", glob: "f" }], /ok/],
  ["a listing", ["list_files", {}], /ok/],
  ["a listing of 3,000 names", ["list_files", { path: "many", limit: 3_000 }], /ok/],
  ["names found", ["find_files", { glob: "many/*", limit: 3_000 }], /ok/],
  [
    "a change set",
    ["apply_changes", { changes: [{ file_path: "f", base_content_sha256, edits }] }],
    /occurrence_mismatch/,
  ],
  ["a view", ["str_replace_based_edit_tool", { command: "view", path: "f" }], /too_large/],
  ["an undo", ["undo_edit", { file_path: "g" }], /nothing_to_undo|applied/],
];

type Form = readonly [WireForm, "auto" | "full" | "none", number];
const forms: readonly Form[] = [
  ["text", "auto", 262_144],
  ["text", "none", 400],
  ["json", "full", 20_000],
];

describe.each(forms)(
  "in the form %s, content %s, within %i characters",
  (wire, resultContent, budgetChars) => {
    let run: (call: Call) => ReturnType<typeof runTool>;
    let put: (path: string, text: string) => void;
    beforeAll(() => {
      const { workspace, ...memory } = openMemory({ g: `b${long}` });
      put = memory.put;
      for (let at = 0; at < 3_000; at += 1) put(`many/${at}`, "");
      const isStructured = resultContent === "none";
      run = ([name, args]) =>
        runTool(name, args, { workspace, wire, resultContent, budgetChars, isStructured });
    });

    test.each(cases)("%s is answered", async (_, call, codes) => {
      put("f", long);
      const { code, text, json, bearsContent } = await run(call);
      expect(code).toMatch(codes);
      expect(text.length).toBeGreaterThan(0);
      expect(text.length).toBeLessThanOrEqual(budgetChars);
      if (wire === "json") expect(() => JSON.parse(text)).not.toThrow();
      // As MCP sends it beside the text.
      if (resultContent === "none" && !bearsContent)
        expect(JSON.stringify(json).length).toBeLessThanOrEqual(budgetChars);
    });
  },
);

test("a line that is longer than an answer may be is cut visibly, and counts as not shown", async () => {
  const { workspace } = openMemory({ f: `${"é".repeat(61_204)}\nnext\n` });
  const context = { workspace, wire: "text", resultContent: "auto", budgetChars: 4_000 } as const;
  const { text, shows, shown } = await runTool("read_file", { file_path: "f" }, context);
  expect(text).toMatch(/Shown are characters 0-\d+ of line 1, which has 61204: … [\d,]+ more characters/);
  expect(shows[0]?.chars).toMatchObject({ from: 0, of: 61_204 });
  expect(shown).toMatchObject([{ lines: [], parts: [{ line: 1, from: 0, of: 61_204 }] }]);
  const write = { file_path: "f", content: "x", base_content_sha256: sha(`${"é".repeat(61_204)}\nnext\n`) };
  expect((await runTool("write_file", write, context)).code).toBe("unseen_lines");
});

test("a change in such a line shows its beginning", async () => {
  const { workspace } = openMemory({ f: `start start ${"é".repeat(61_198)}` });
  const edit = { file_path: "f", edits: [{ old_string: "start", new_string: "begin", replace_all: true }] };
  const base = { base_content_sha256: sha(`start start ${"é".repeat(61_198)}`) };
  const { code, text } = await runTool("edit_file", { ...edit, ...base }, { workspace });
  expect(code).toBe("applied");
  expect(text).toMatch(
    /1 more changed places are too long to show[\s\S]*1: begin begin é+… 60,710 more characters/,
  );
});

describe("a budget that is smaller than the header", () => {
  const budgets = [0, 2, 40, 120];
  test.each(budgets)("of %i characters is answered, as far as it goes", async (budgetChars) => {
    const { workspace } = openMemory({ f: "one\n" });
    for (const wire of ["text", "json"] as const) {
      const { code, text, shown } = await runTool(
        "read_file",
        { file_path: "f" },
        { workspace, wire, budgetChars },
      );
      expect([code, shown]).toEqual(["ok", []]);
      expect(text.length).toBeLessThanOrEqual(budgetChars);
      if (wire === "text" && budgetChars >= 80) expect(text).toContain("does not fit into its budget");
      if (wire === "json" && budgetChars >= 2) expect(() => JSON.parse(text)).not.toThrow();
    }
  });
});

describe("a part of a long line", () => {
  const text = `first\n${"é😀".repeat(4_000)}\nlast\n`;
  const open = () => {
    const { workspace } = openMemory({ f: text });
    const read = (args: object, wire: WireForm = "text") =>
      runTool("read_file", { file_path: "f", ...args }, { workspace, wire, budgetChars: 2_000 });
    return { workspace, read };
  };

  test("comes with its place, and parts add up to the line", async () => {
    for (const wire of ["text", "json"] as const) {
      const { workspace, read } = open();
      await read({ offset: 1, limit: 1 }, wire);
      let [whole, calls] = ["", 0];
      for (let at = 0; at < 8_000; calls += 1) {
        const reply = await read({ offset: 2, char_offset: at }, wire);
        expect(reply.text.length).toBeLessThanOrEqual(2_000);
        const [shown] = reply.shown;
        const [part] = shown?.parts ?? [];
        if (part === undefined) throw new Error("no part");
        expect([part.line, part.from, part.of, shown?.lines]).toEqual([2, at, 8_000, []]);
        const content =
          wire === "json"
            ? Object(reply.json).content
            : reply.text.slice(reply.shows[0]?.start, reply.shows[0]?.end);
        if (wire === "text") expect(reply.shows[0]?.chars).toEqual({ from: at, to: part.to, of: 8_000 });
        if (wire === "text") expect(reply.text).toContain(`lines="2-2" chars="${at}-${part.to} of 8000"`);
        if (part.to < 8_000 && wire === "text")
          expect(reply.text).toContain(
            `Read on from character ${part.to} with read_file, offset and char_offset.`,
          );
        whole += content;
        at = part.to;
      }
      expect(whole).toBe(text.split("\n")[1]);
      expect(calls).toBeGreaterThan(2);
      // What is left of the file is asked for, and then all of it is known.
      const write = { path: "f", content: "x\n", base: sha(text) };
      expect((await workspace.write(write)).code).toBe("unseen_lines");
      await read({ offset: 3 }, wire);
      expect((await workspace.write(write)).code).toBe("applied");
    }
  });

  test("that begins behind the line's end is refused, and one that begins at its first character is the line", async () => {
    const { read } = open();
    expect(await read({ offset: 2, char_offset: 8_000 })).toMatchObject({
      code: "out_of_range",
      text: expect.stringContaining("line 2 has 8000 characters"),
    });
    expect((await read({ char_offset: 2 })).text).toContain('lines="1-1" chars="2-5 of 5"');
    expect((await read({ char_offset: 2 })).text).toContain("\nrst</file>");
    expect((await read({ offset: 9, char_offset: 0 })).code).toBe("out_of_range");
  });

  test("lets a change be made only where it was shown", async () => {
    const f = `${"a".repeat(3_000)}b${"a".repeat(3_000)}\n`;
    const { workspace } = openMemory({ f }, { guards: { strictView: true } });
    const context = { workspace, budgetChars: 2_000 };
    await runTool("read_file", { file_path: "f" }, context);
    const edit = { file_path: "f", edits: [{ old_string: "b", new_string: "c" }] };
    expect((await runTool("edit_file", edit, context)).code).toBe("unseen_lines");
    for (const char_offset of [1_200, 2_400, 3_600, 4_800])
      await runTool("read_file", { file_path: "f", char_offset }, context);
    expect((await runTool("edit_file", edit, context)).code).toBe("applied");
  });

  test("is read from a line that is longer than a window may be", async () => {
    const { workspace } = openMemory({ f: `${"a".repeat(7_000_000)}b\nend\n` });
    const context = { workspace, budgetChars: 2_000 };
    const { code, text } = await runTool("read_file", { file_path: "f", char_offset: 6_999_999 }, context);
    expect(code).toBe("ok");
    expect(text).toContain('chars="6999999-7000001 of 7000001"');
    const { text: refused } = await runTool("read_file", { file_path: "f", offset: 1, limit: 1 }, context);
    expect(refused).toContain("offset and char_offset for a part of a long line");
  });
});
