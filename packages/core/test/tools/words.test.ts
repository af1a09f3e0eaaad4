import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  inWords,
  isRefusal,
  memoryPorts,
  say,
  type Vocabulary,
  type Worded,
  Workspace,
} from "../../src/files/index.js";
import { openCharsets } from "../../src/node/disk/charsets.js";
import {
  allTools,
  jsonSchema,
  readingTools,
  type Tool,
  type ToolName,
  tools,
} from "../../src/tools/index.js";
import { runToolWithResult, type ToolContext } from "../../src/tools/run-tool.js";
import { type Call, numbered } from "../reproductions/scene.js";
import { sha } from "../support.js";

/** No answer names a tool or an argument that the caller does not have, whatever it is refused for. */
const text = numbered(10);
const twice = "one\none\n";
const files = {
  "f.md": text,
  "twice.md": `# A\n\n${twice}\n# A\n`,
  "big.txt": "x".repeat(300_000),
  "latin.txt": Uint8Array.from([0x67, 0x72, 0xf6, 0xdf, 0x0a]),
  "memories/f.md": text,
};
const none = "0".repeat(64);

/** Calls that are refused, as many codes as can be had from one call. */
const refused: readonly Call[] = [
  ["read_file", { file_path: "none" }],
  ["read_file", { file_path: "f.md", offset: 99 }],
  ["read_file", { file_path: "big.txt" }],
  ["read_file", { file_path: 7 }],
  ["read_many_files", {}],
  ["list_files", { path: "none" }],
  ["search_files", { pattern: "(" }],
  [
    "safe_patch",
    { file_path: "f.md", unified_diff: "@@ -1 +1 @@\n-zzz\n+y\n", base_content_sha256: sha(text) },
  ],
  ["safe_patch", { file_path: "f.md", unified_diff: "@@ -1 +1 @@\n-zzz\n+y\n", base_content_sha256: none }],
  ["safe_patch", { file_path: "f.md", unified_diff: "@@ -1 +1 @@\n-zzz\n+y\n" }],
  ["edit_file", { file_path: "f.md", edits: [{ old_string: "line 1", new_string: "x" }] }],
  ["edit_file", edit("f.md", "line 1", "x")],
  ["edit_file", edit("f.md", "nowhere", "x")],
  ["edit_file", edit("f.md", "", "x")],
  ["edit_file", edit("f.md", "line 2", "line 2")],
  ["edit_file", edit("f.md", "line 2", "// ... existing code ...")],
  ["edit_file", edit("none", "a", "b", none)],
  ["edit_file", { file_path: "none", edits: [{ old_string: "a", new_string: "b" }] }],
  ["write_file", { file_path: "f.md", content: "x" }],
  ["write_file", { file_path: "f.md", content: "x", base_content_sha256: sha(text) }],
  ["write_file", { file_path: "f.md", content: "x", base_content_sha256: "nohash" }],
  ["write_file", { file_path: "../out", content: "x" }],
  ["append_to_file", { file_path: "latin.txt", content: "ö" }],
  ["prepend_to_file", { file_path: "latin.txt", content: "ö" }],
  ["insert_lines", { file_path: "f.md", after_line: 99, content: "x", base_content_sha256: sha(text) }],
  ["update_section", { file_path: "f.md", section_header: "# None", new_content: "x" }],
  ["update_section", { file_path: "f.md", section_header: "", new_content: "x" }],
  ["update_section", { file_path: "twice.md", section_header: "# A", new_content: "x" }],
  ["update_section", { file_path: "twice.md", section_header: "# A", new_content: "# A\nx" }],
  ["update_section", { file_path: "none.md", section_header: "# A", new_content: "x" }],
  ["undo_edit", { file_path: "f.md" }],
  ["apply_changes", { changes: [{ file_path: "f.md", content: "x" }] }],
  ["apply_changes", { changes: [{ file_path: "f.md", content: "x", base_content_sha256: sha(text) }] }],
  ["apply_edit", { file_path: "f.md", instructions: "x", code_edit: "y", base_content_sha256: sha(text) }],
  ["replace", { file_path: "f.md", old_string: "", new_string: "x" }],
  ["replace", { file_path: "f.md", old_string: "line 1", new_string: "x" }],
  ["fs_write", { command: "create", path: "f.md", file_text: "x" }],
  ["fs_write", { command: "str_replace", path: "f.md", old_str: "line 1", new_str: "x" }],
  ["fs_write", { command: "insert", path: "f.md", insert_line: 99, new_str: "x" }],
  ["fs_write", { command: "nope", path: "f.md" }],
  ["memory", { command: "create", path: "/memories/f.md", file_text: "x" }],
  ["memory", { command: "str_replace", path: "/memories/f.md", old_str: "line 1", new_str: "x" }],
  ["memory", { command: "view", path: "/memories/none.md" }],
  ["memory", { command: "view", path: "/elsewhere" }],
  ["str_replace_based_edit_tool", { command: "create", path: "f.md", file_text: "x" }],
  ["str_replace_based_edit_tool", { command: "view", path: "big.txt" }],
  ["str_replace_based_edit_tool", { command: "insert", path: "f.md", insert_line: 99, insert_text: "x" }],
];

function edit(file_path: string, old_string: string, new_string: string, base = sha(text)) {
  return { file_path, edits: [{ old_string, new_string }], base_content_sha256: base };
}

const named = (...names: readonly ToolName[]) => allTools.filter((tool) => names.includes(tool.name));
const doors: readonly (readonly [string, readonly Tool[]])[] = [
  ["the default tools", tools],
  ["the reading tools", readingTools],
  ["all tools", allTools],
  ["no other tool", []],
  ["reading and editing", named("read_file", "edit_file")],
  ["the text editor beside reading", named("str_replace_based_edit_tool", "read_file")],
];

describe.each(doors)("a refusal at a door with %s", (_, offered) => {
  test.each(refused.map((call) => [call[0], call] as const))(
    "of %s names nothing else",
    async (name, call) => {
      const { reply } = await run(call, { offered });
      expect(reply.success).toBe(false);
      // The text of a file is not ours to put into words.
      const answer = reply.text.replaceAll(text, "");
      expect(foreignWords(answer, [...offered, ...allTools.filter((tool) => tool.name === name)])).toEqual(
        [],
      );
    },
  );
});

test("every sentence can be said with any words that a door may have", async () => {
  const sentences: Worded[] = [];
  for (const call of refused) {
    const { result } = await run(call, {});
    const outcome = "outcome" in result ? result.outcome : result.refusal;
    if (isRefusal(outcome) && outcome.sentence !== undefined) sentences.push(outcome);
  }
  expect(sentences.length).toBeGreaterThan(15);
  const vocabularies: readonly Vocabulary[] = [
    {},
    { read: "look" },
    { append: "add", base: "the mark" },
    { edit: "mend", patch: "sew" },
  ];
  for (const said of sentences) {
    for (const words of vocabularies) {
      const message = inWords(said, words);
      expect(message).not.toMatch(/[{}]|\$[a-z]|undefined| {2}/);
      expect(message).not.toMatch(/\[[^\]]*\{/);
    }
  }
});

test("facts are taken as they are", () => {
  const template = "[{read} ]$text: {base}";
  const facts = { text: "{read} [$text|x]" };
  expect(say({ template, facts }, { read: "look", base: "mark" })).toBe("look {read} [$text|x]: mark");
});

function run([name, args]: Call, context: Partial<ToolContext>) {
  const ports = memoryPorts({ digest: sha, newId: randomUUID, codec: openCharsets(), clock: Date });
  for (const [path, content] of Object.entries(files)) ports.disk.poke(path, Buffer.from(content));
  return runToolWithResult(name, args, { workspace: new Workspace(ports), ...context });
}

/** Names of tools and of arguments that none of these tools has. */
function foreignWords(answer: string, own: readonly Tool[]): readonly string[] {
  const mine = new Set(own.flatMap(wordsOf));
  const foreign = new Set(allTools.flatMap(wordsOf).filter((word) => word.includes("_") && !mine.has(word)));
  const words = answer.match(/[A-Za-z_]+/g) ?? [];
  return words.filter((word) => foreign.has(word) && !answer.startsWith(`FAILED (${word})`));
}

function wordsOf(tool: Tool): readonly string[] {
  const described = JSON.stringify(jsonSchema(tool.parameters));
  return [tool.name, ...(described.match(/[A-Za-z_]+/g) ?? [])];
}
