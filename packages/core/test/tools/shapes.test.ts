import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../src/conversation/values/index.js";
import {
  findConversationTool,
  findTool,
  jsonSchema,
  parseArguments,
  type ToolName,
  toolNames,
  understand,
} from "../../src/tools/index.js";
import { meaningsOf, nearestName, plainName, spellings } from "../../src/tools/tool/spellings.js";
import { openSession, sha } from "../reproductions/scene.js";

type Args = JsonObject;

const edit = { old_string: "a", new_string: "b" };
const edits = [edit];
const json = JSON.stringify;
const lines = { old_string: 'one\n\t"two"', new_string: "\\n\r\n" };
const broken = `[{"old_string": "one
	\\"two\\"",
"new_string": "\\\\n\r\n"}]`;

/** What a model sends, and the same call as the schema has it. */
const names: readonly (readonly [ToolName, Args, Args])[] = [
  ["read_file", { path: "a" }, { file_path: "a" }],
  ["read_file", { file: "a" }, { file_path: "a" }],
  ["read_file", { filename: "a" }, { file_path: "a" }],
  ["read_file", { file_name: "a" }, { file_path: "a" }],
  ["read_file", { filePath: "a" }, { file_path: "a" }],
  ["read_file", { absolute_path: "/a" }, { file_path: "/a" }],
  ["read_file", { path: "", file_path: "a" }, { file_path: "a" }],
  ["read_file", { path: null, file_path: "a" }, { file_path: "a" }],
  ["read_file", { path: "a", file_path: "a" }, { file_path: "a" }],
  ["read_file", { target_file: "a" }, { file_path: "a" }],
  ["read_file", { file_path: "file:///a%20b" }, { file_path: "/a b" }],
  ["list_files", { target_directory: "a" }, { path: "a" }],
  ["list_files", { relative_workspace_path: "a" }, { path: "a" }],
  ["list_files", { file_path: "a" }, { path: "a" }],
  ["list_files", { directory: "a" }, { path: "a" }],
  ["list_files", { dir_path: "a" }, { path: "a" }],
  ["read_many_files", { files: ["a"] }, { paths: ["a"] }],
  ["read_many_files", { file_paths: ["a"] }, { paths: ["a"] }],
  ["search_files", { query: "x" }, { pattern: "x" }],
  ["search_files", { regex: "x", include: "*.ts" }, { pattern: "x", glob: "*.ts" }],
  ["search_files", { pattern: "x", ignoreCase: true }, { pattern: "x", ignore_case: true }],
  ["search_files", { pattern: "x", case_insensitive: true }, { pattern: "x", ignore_case: true }],
  ["search_files", { pattern: "x", "-i": true, "-C": 2 }, { pattern: "x", ignore_case: true, context: 2 }],
  ["search_files", { pattern: "x", head_limit: 9 }, { pattern: "x", limit: 9 }],
  [
    "search_files",
    { pattern: "x", context_lines: 1, max_results: 3 },
    { pattern: "x", context: 1, limit: 3 },
  ],
  ["search_files", { pattern: "x", include_pattern: "*.ts" }, { pattern: "x", glob: "*.ts" }],
  ["search_files", { pattern: "x", file_pattern: "*.ts" }, { pattern: "x", glob: "*.ts" }],
  ["search_files", { pattern: "x", output_mode: "files_with_matches" }, { pattern: "x", output: "files" }],
  ["search_files", { pattern: "x", output_mode: "content" }, { pattern: "x", output: "lines" }],
  ["search_files", { pattern: "x", output: "Counts" }, { pattern: "x", output: "counts" }],
  ["read_many_files", { include: ["*.ts"] }, { globs: ["*.ts"] }],
  ["read_many_files", { patterns: ["*.ts"] }, { globs: ["*.ts"] }],
  ["read_many_files", { glob: "*.ts" }, { globs: ["*.ts"] }],
  ["read_file", { path: "a", start_line: 2 }, { file_path: "a", offset: 2 }],
  ["find_files", { pattern: "*.ts" }, { glob: "*.ts" }],
  ["safe_patch", patched({ diff: "x" }), patched({ unified_diff: "x" })],
  ["safe_patch", patched({ patch: "x" }), patched({ unified_diff: "x" })],
  ["safe_patch", patched({ unifiedDiff: "x" }), patched({ unified_diff: "x" })],
  ["safe_patch", patched({ input: "x" }), patched({ unified_diff: "x" })],
  ["safe_patch", patched({ patchText: "x" }), patched({ unified_diff: "x" })],
  ["delete_file", { path: "a", sha256: "h" }, { file_path: "a", base_content_sha256: "h" }],
  ["delete_file", { path: "a", hash: "h" }, { file_path: "a", base_content_sha256: "h" }],
  ["delete_file", { path: "a", base_sha256: "h" }, { file_path: "a", base_content_sha256: "h" }],
  ["delete_file", { path: "a", baseContentSha256: "h" }, { file_path: "a", base_content_sha256: "h" }],
  ["move_file", moved({ source: "a", destination: "b" }), moved({ file_path: "a", to: "b" })],
  ["move_file", moved({ old_path: "a", new_path: "b" }), moved({ file_path: "a", to: "b" })],
  ["move_file", moved({ from: "a", to: "b" }), moved({ file_path: "a", to: "b" })],
  ["copy_file", moved({ from: "a", to: "b" }), moved({ file_path: "a", to: "b" })],
  ["write_file", { path: "a", contents: "x" }, { file_path: "a", content: "x" }],
  ["write_file", { path: "a", text: "x" }, { file_path: "a", content: "x" }],
  ["write_file", { path: "a", file_content: "" }, { file_path: "a", content: "" }],
  ["write_file", { path: "a", file_text: "x" }, { file_path: "a", content: "x" }],
  [
    "update_section",
    { path: "a", sectionHeader: "# h", content: "x" },
    { file_path: "a", section_header: "# h", new_content: "x" },
  ],
  ["edit_file", edited([{ old_str: "a", new_str: "b" }]), edited(edits)],
  ["edit_file", edited([{ oldText: "a", newText: "b" }]), edited(edits)],
  ["edit_file", edited([{ old_text: "a", new_text: "b" }]), edited(edits)],
  ["edit_file", edited([{ oldString: "a", newString: "b" }]), edited(edits)],
  ["edit_file", edited([{ ...edit, replaceAll: true }]), edited([{ ...edit, replace_all: true }])],
  [
    "str_replace_based_edit_tool",
    { command: "str_replace", file_path: "a", old_string: "a", new_string: "" },
    { command: "str_replace", path: "a", old_str: "a", new_str: "" },
  ],
  [
    "str_replace_based_edit_tool",
    { command: "create", path: "a", content: "x" },
    { command: "create", path: "a", file_text: "x" },
  ],
  ["replace", { path: "a", oldText: "", newText: "b" }, { file_path: "a", old_string: "", new_string: "b" }],
  [
    "apply_changes",
    { changes: [{ path: "a", sha256: "h", old_string: "a", new_string: "b" }] },
    { changes: [{ file_path: "a", base_content_sha256: "h", edits }] },
  ],
];

const values: readonly (readonly [string, ToolName, Args, Args])[] = [
  ["one flat edit", "edit_file", { file_path: "a", ...edit }, edited(edits)],
  ["a flat edit by old_str", "edit_file", { path: "a", old_str: "a", new_str: "b" }, edited(edits)],
  [
    "a flat edit of every occurrence",
    "edit_file",
    { file_path: "a", ...edit, replace_all: "true" },
    edited([{ ...edit, replace_all: true }]),
  ],
  ["a flat edit beside an empty list", "edit_file", { ...edited([]), ...edit }, edited(edits)],
  ["a flat edit beside the same edit", "edit_file", { ...edited(edits), ...edit }, edited(edits)],
  ["edits as JSON text", "edit_file", edited(json(edits)), edited(edits)],
  ["edits as JSON text with line breaks as they are", "edit_file", edited(broken), edited([lines])],
  ["one edit for a list", "edit_file", edited(edit), edited(edits)],
  ["edits inside of edits", "edit_file", edited({ edits }), edited(edits)],
  [
    "a number inside of edits as text",
    "edit_file",
    edited([{ ...edit, expected_replacements: "2" }]),
    edited([{ ...edit, expected_replacements: 2 }]),
  ],
  ["paths as JSON text", "read_many_files", { paths: '["a", "b"]' }, { paths: ["a", "b"] }],
  ["a number as text", "read_file", { file_path: "a", offset: "10" }, { file_path: "a", offset: 10 }],
  ["a number in a required place as text", "insert_lines", inserted("0"), inserted(0)],
  ["a boolean as text", "search_files", { pattern: "x", literal: "true" }, { pattern: "x", literal: true }],
  ["a window by its lines", "read_file", { path: "a", start_line: "2", endLine: 4 }, window(2, 3)],
  ["a window by its last line", "read_file", { path: "a", end_line: 3 }, { file_path: "a", limit: 3 }],
  [
    "a window, where the offset is not meant",
    "read_file",
    { path: "a", offset: "", limit: null, end_line: 3 },
    { file_path: "a", limit: 3 },
  ],
  ["a window from an offset", "read_file", { path: "a", offset: 3, end_line: 3 }, window(3, 1)],
  [
    "lines of an edit by the first and the last",
    "edit_file",
    edited([span({ start_line: 2, end_line: 3 })]),
    edited([span({ lines: "2-3" })]),
  ],
  [
    "lines of a flat edit",
    "edit_file",
    { path: "a", ...span({ startLine: 2, endLine: 3 }) },
    edited([span({ lines: "2-3" })]),
  ],
  ["a line as a number", "edit_file", edited([span({ lines: 3 })]), edited([span({ lines: "3" })])],
  ["one text for a list", "read_many_files", { paths: "a b.ts" }, { paths: ["a b.ts"] }],
  ["nothing for an optional number", "read_file", { file_path: "a", offset: "" }, { file_path: "a" }],
  ["an argument of the host", "read_file", { file_path: "a", wait_for_previous: true }, { file_path: "a" }],
  [
    "a text that is JSON for a text",
    "write_file",
    { path: "a", content: "[1]" },
    { file_path: "a", content: "[1]" },
  ],
];

function patched(diff: Args): Args {
  return { file_path: "a", base_content_sha256: "h", ...diff };
}

function window(offset: number, limit: number): Args {
  return { file_path: "a", offset, limit };
}

function span(lines: Args): Args {
  return { new_string: "x", ...lines };
}

function moved(paths: Args): Args {
  return { base_content_sha256: "h", ...paths };
}

function inserted(afterLine: JsonValue): Args {
  return { file_path: "a", after_line: afterLine, content: "x", base_content_sha256: "h" };
}

function edited(given: JsonValue): Args {
  return { file_path: "a", edits: given };
}

describe("an argument under another name", () => {
  test.each(names)("%s %j", (tool, sent, meant) => {
    expect(valuesOf(tool, sent)).toEqual(valuesOf(tool, meant));
  });

  test("has a case here for every name of the table", () => {
    const shown = new Set(names.flatMap(([, sent]) => keysOf(sent)).map(plainName));
    const ofTasks = new Set(["title", "transformation"]);
    // Of the host's tools: packages/agent/test/models/bad-calls.jsonl has them.
    const ofHosts = spellings.filter(({ names: own }) =>
      ["command", "background", "directory", "outside", "id", "todos", "text", "state"].includes(
        own[0] ?? "",
      ),
    );
    for (const { also } of ofHosts) for (const name of also) ofTasks.add(plainName(name));
    const all = new Set(
      spellings.flatMap(({ names: own, also }) => [...(own.length > 1 ? own : []), ...also]).map(plainName),
    );
    expect([...all].filter((name) => !shown.has(name) && !ofTasks.has(name))).toEqual([]);
    const task = findConversationTool("task_start");
    const given = task && parseArguments(task, { title: "look", transformation: "clear" });
    expect(given).toMatchObject({ values: { name: "look", context: "clear" } });
  });

  test("stands in the documentation", () => {
    const page = readFileSync(new URL("../../../../docs/wire.md", import.meta.url), "utf8");
    const rows = page.split("\n").flatMap((line) => {
      const [, own = "", also = ""] = /^\| (`.*) \| (`.*) \|$/.exec(line) ?? [];
      return own === "" ? [] : [namesIn(`${own.split(", where")[0]} ${also}`)];
    });
    for (const { names: own, also } of spellings)
      expect(rows).toContainEqual(namesIn([...own, ...also].join(" ")));
  });

  test("means one argument of a tool and takes the place of none", () => {
    for (const name of toolNames) {
      const own = Object.keys(findTool(name)?.parameters.shape ?? {});
      const meanings = meaningsOf(own);
      for (const argument of own) expect(meanings.get(plainName(argument))).toBe(argument);
    }
  });
});

test("whatever is sent is answered, and what is plain already stays as it is", () => {
  const known = [
    ...spellings.flatMap(({ names: own, also }) => [...own, ...also]),
    "edits",
    "changes",
    "limit",
  ];
  const name = fc.oneof(fc.constantFrom(...known), fc.string());
  const value = fc.oneof(fc.jsonValue(), fc.json());
  fc.assert(
    fc.property(fc.constantFrom(...toolNames), fc.dictionary(name, value), (tool, args) => {
      const schema = jsonSchema(findTool(tool)?.parameters ?? z.object({}));
      const readOnly = findTool(tool)?.annotations.readOnly === true;
      expect(["understood", "refusal"]).toContain(understand({ name: tool, schema, readOnly }, args).kind);
    }),
  );
  const call = fc.record({
    file_path: fc.string(),
    edits: fc.array(
      fc.record({ old_string: fc.string(), new_string: fc.string(), replace_all: fc.boolean() }),
    ),
    base_content_sha256: fc.string(),
  });
  const schema = jsonSchema(findTool("edit_file")?.parameters ?? z.object({}));
  fc.assert(
    fc.property(call, (args) => {
      const door = { name: "edit_file", schema, readOnly: false };
      expect(understand(door, args)).toEqual({ kind: "understood", values: args, ignored: "" });
    }),
  );
});

describe("a value in another shape", () => {
  test.each(values)("%s: %s %j", (_, tool, sent, meant) => {
    expect(valuesOf(tool, sent)).toEqual(valuesOf(tool, meant));
  });
});

/** Never a guess: what differs is refused, and both names are said. */
const refused: readonly (readonly [ToolName, Args, string])[] = [
  [
    "read_file",
    { file_path: "a", path: "b" },
    'read_file: file_path ("a") and path ("b") mean the same argument and differ. Give file_path alone.',
  ],
  [
    "write_file",
    { file: "a", filename: "b", content: "x" },
    'write_file: file ("a") and filename ("b") mean the same argument and differ. Give file_path alone.',
  ],
  [
    "edit_file",
    edited([{ ...edit, new_str: "" }]),
    'edit_file: edits[0]: new_string ("b") and new_str ("") mean the same argument and differ. Give new_string alone.',
  ],
  [
    "edit_file",
    { ...edited([{ old_string: "x", new_string: "y" }]), ...edit },
    "edit_file: Both edits and old_string, new_string are given. Put every change into edits.",
  ],
  ["edit_file", { file_path: "a", old_string: "a" }, "edit_file needs edits[0].new_string; it is missing."],
  [
    "edit_file",
    edited('[{"old_string": "a'),
    'The argument edits of edit_file must be a list, not the text "[{"old_string": "a". That text is no complete JSON.',
  ],
  [
    "edit_file",
    edited([]),
    "The argument edits of edit_file must be a list of at least 1, not an empty list.",
  ],
  ["edit_file", edited([7]), "The argument edits[0] of edit_file must be an object, not 7."],
  [
    "write_file",
    { file_path: "a", content: { name: "x" } },
    'The argument content of write_file must be a text, not an object. Write it as one text, such as "{\\"name\\":\\"x\\"}".',
  ],
  [
    "search_files",
    { pattern: "x", literal: "yes" },
    'The argument literal of search_files must be true or false, not the text "yes".',
  ],
  [
    "search_files",
    { patern: "x" },
    "search_files needs the argument pattern (RE2 expression, or plain text with literal); it is missing. search_files has no argument patern; did you mean pattern? It takes pattern, path, glob, exclude, literal, ignore_case, output, context, limit, ignored.",
  ],
  [
    "safe_patch",
    { file_path: "a", diff_text: "x", base_content_sha256: "h" },
    "safe_patch has no argument diff_text; did you mean unified_diff? It takes file_path, unified_diff, base_content_sha256.",
  ],
  [
    "edit_file",
    edited([{ old_strng: "a", new_string: "b" }]),
    "edits[0] has no argument old_strng; did you mean old_string? It takes old_string, new_string, replace_all, expected_replacements, lines.",
  ],
  [
    "write_file",
    { file_path: "a", wait_for_previous: true, "x\u001b[2J": 1 },
    "write_file has no argument x\\u001b[2J. It takes file_path, content, base_content_sha256.",
  ],
  [
    "str_replace_based_edit_tool",
    { command: "create", path: "a", body: "x" },
    "str_replace_based_edit_tool has no argument body. It takes command, path, view_range, file_text, old_str, new_str, insert_line, insert_text.",
  ],
];

describe("what cannot be understood is named", () => {
  test.each(refused)("%s %j", async (tool, sent, message) => {
    const { code, text, left } = await asked(tool, sent);
    expect([code, text.split("\n", 1)[0]]).toEqual([
      "invalid_arguments",
      `FAILED (invalid_arguments): ${message}`,
    ]);
    expect(left).toBe("one\n");
  });

  test("nearest is one name, or none", () => {
    const own = ["old_string", "new_string", "replace_all"];
    expect(nearestName("replaceall_", own)).toBe("replace_all");
    expect(nearestName("old", own)).toBe("old_string");
    expect(nearestName("string", own)).toBeUndefined();
    expect(nearestName("colour", own)).toBeUndefined();
    expect(nearestName("modle", ["model", "tools"])).toBe("model");
  });
});

describe("a hash as it is copied", () => {
  const whole = sha("one\n");
  const given: readonly string[] = [
    `"${whole}"`,
    `  ${whole}\n`,
    `sha256:${whole}`,
    `SHA-256: ${whole.toUpperCase()}`,
    `${whole.slice(0, 16)}…`,
    `"sha256:${whole.slice(0, 12)}…"`,
  ];
  test.each(given)("%s names the state", async (hash) => {
    const { code, left } = await asked("delete_file", { file_path: "a", base_content_sha256: hash });
    expect([code, left]).toEqual(["applied", undefined]);
  });

  const none = [
    "",
    `${whole.slice(0, 11)}…`,
    `…${whole.slice(0, 16)}`,
    `${whole} ${whole}`,
    `${" ".repeat(300)}${whole}`,
  ];
  test.each(none)("%j names none", async (hash) => {
    const { code, left } = await asked("delete_file", { file_path: "a", base_content_sha256: hash });
    expect(code).toBe("invalid_hash");
    expect(left).toBe("one\n");
  });
});

function valuesOf(name: ToolName, args: Args): unknown {
  const tool = findTool(name);
  const parsed = tool === undefined ? undefined : parseArguments(tool, args);
  return parsed?.kind === "parsed" ? parsed.values : parsed;
}

/** The call on one file, and what then stands in it. */
async function asked(name: ToolName, args: Args) {
  const scene = openSession({ files: { a: "one\n" } });
  const answer = await scene.call(name, args);
  return { ...answer, left: scene.text("a") };
}

function namesIn(text: string): readonly string[] {
  return [...new Set((text.match(/\w+/g) ?? []).map(plainName))].toSorted();
}

function keysOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...keysOf(member)]);
}
