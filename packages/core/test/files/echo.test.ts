import { expect, test } from "vitest";
import { runTool, type ToolName } from "../../src/tools/index.js";
import { ground, sha } from "../support.js";

const before = "const a = 1;\nconst b = 2;\n\nconst c = 3;\n";

type Calls = readonly (readonly [ToolName, Readonly<Record<string, unknown>>])[];

/** A text at each place of a call that takes one. */
const callsWith = (text: string): Calls => [
  ["write_file", { file_path: "new.ts", content: text }],
  ["append_to_file", { file_path: "a.ts", content: text }],
  ["edit_file", { file_path: "a.ts", edits: [{ old_string: "const a = 1;", new_string: text }] }],
  ["replace", { file_path: "a.ts", old_string: "const a = 1;", new_string: text }],
  ["update_section", { file_path: "a.md", section_header: "# A", new_content: text }],
  ["apply_changes", { changes: [{ file_path: "new.ts", content: text }] }],
];

test("an answer as it came is no text of a file, at any door that takes one", async () => {
  const { workspace, root } = await ground({ "a.ts": before, "a.md": "# A\n\nold\n" });
  const context = { workspace };
  const read = await runTool("read_file", { file_path: "a.ts" }, context);
  const json = await runTool("read_file", { file_path: "a.ts" }, { ...context, wire: "json" });
  const edit = { file_path: "a.ts", edits: [{ old_string: "b = 2", new_string: "b = 4" }] };
  const edited = await runTool("edit_file", edit, context);
  const numbered = await runTool("read_file", { file_path: "a.ts", numbered: true }, context);
  for (const { text } of [read, json, edited, numbered]) {
    for (const [tool, args] of callsWith(text)) {
      const reply = await runTool(tool, args, context);
      expect(reply.text, tool).toContain("an answer of these tools");
    }
    const added = text.split("\n").map((line) => `+${line}\n`);
    const diff = `@@ -1 +1,${added.length} @@\n${added.join("")} const a = 1;\n`;
    const patch = await runTool(
      "safe_patch",
      { file_path: "a.ts", unified_diff: diff, base_content_sha256: "" },
      context,
    );
    expect(patch.text).toContain("an answer of these tools");
  }
  expect((await workspace.list({})).kind === "listed" && root).toBeTruthy();
  expect(await workspace.read({ path: "new.ts" })).toMatchObject({ code: "file_missing" });
});

test("lines behind their own numbers are refused, and what only looks so is not", async () => {
  const { workspace } = await ground({ "a.ts": before });
  await workspace.read({ path: "a.ts" });
  const write = (edits: string) =>
    workspace.edit({ path: "a.ts", edits: [{ oldString: "const a = 1;\nconst b = 2;", newString: edits }] });
  for (const text of [
    "1: const a = 1;\n2: const b = 2;",
    "    1| const a = 1;\n    2| const b = 2;",
    "1\tconst a = 1;\n2\tconst b = 2;\n3\tnew",
  ])
    expect(await write(text)).toMatchObject({
      code: "invalid_arguments",
      message: expect.stringContaining("line numbers"),
    });
  for (const [at, text] of [
    "1: one\n2: two",
    "7: const a = 1;\n8: const b = 2;",
    `<file path="x" sha256="${"a".repeat(64)}">`,
    "OK (applied): done",
    // An example in Markdown.
    `    <file path="a.ts" version="1" sha256="${sha(before)}">`,
  ].entries())
    expect(await workspace.write({ path: `${at}.txt`, content: text })).toMatchObject({ code: "applied" });
});
