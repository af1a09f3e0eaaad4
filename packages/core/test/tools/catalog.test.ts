import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  allTools,
  dialectTools,
  findTool,
  jsonSchema,
  type OwnTool,
  readingTools,
  toolNames,
  tools,
} from "../../src/tools/index.js";
import { resultSchemas } from "../../src/tools/wire/answers.js";

const publishedOf = (tool: OwnTool | undefined) => (tool === undefined ? {} : jsonSchema(tool.parameters));

describe("the catalogue", () => {
  test("offers the tools in their fixed order", () => {
    expect(allTools.map((tool) => tool.name)).toEqual([...toolNames]);
    expect(tools.map((tool) => tool.name)).toEqual([
      "read_file",
      "read_many_files",
      "list_files",
      "search_files",
      "edit_file",
      "safe_patch",
      "write_file",
      "append_to_file",
      "update_section",
      "move_file",
      "delete_file",
      "undo_edit",
    ]);
    expect(readingTools.map((tool) => tool.name)).toEqual([
      "read_file",
      "read_many_files",
      "list_files",
      "search_files",
    ]);
    expect(findTool("edit_file")).toBe(tools[4]);
    expect(allTools.slice(0, tools.length)).toEqual(tools);
    expect(allTools.slice(tools.length).map((tool) => tool.name)).toEqual([
      "find_files",
      "apply_changes",
      "prepend_to_file",
      "insert_lines",
      "move_lines",
      "copy_file",
      ...dialectTools.map((tool) => tool.name),
    ]);
    expect(findTool("search_and_replace")).toBeUndefined();
  });

  test("states what is true of each tool", () => {
    const told = allTools.map(({ name, annotations }) => [name, ...Object.values(annotations)]);
    expect(told).toEqual([
      ["read_file", true, false, true, false],
      ["read_many_files", true, false, true, false],
      ["list_files", true, false, true, false],
      ["search_files", true, false, true, false],
      ["edit_file", false, true, true, false],
      ["safe_patch", false, true, true, false],
      ["write_file", false, true, true, false],
      ["append_to_file", false, false, false, false],
      ["update_section", false, true, true, false],
      ["move_file", false, true, true, false],
      ["delete_file", false, true, true, false],
      ["undo_edit", false, true, false, false],
      ["find_files", true, false, true, false],
      ["apply_changes", false, true, true, false],
      ["prepend_to_file", false, false, false, false],
      ["insert_lines", false, true, true, false],
      ["move_lines", false, true, true, false],
      ["copy_file", false, false, true, false],
      ["str_replace_based_edit_tool", false, true, false, false],
      ["memory", false, true, false, false],
      ["replace", false, true, true, false],
      ["fs_write", false, true, false, false],
      ["apply_edit", false, true, false, false],
    ]);
  });
});

describe("the descriptions carry the protocol (seed 1, section 6)", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [
      "read_file",
      ["session-unique version number", "SHA-256", "required for safely modifying files", "offset"],
    ],
    ["search_files", ["a search is no read", "RE2"]],
    [
      "safe_patch",
      [
        "else use `edit_file`",
        "parallel calls with the same hash",
        "highest version number",
        "MUST** call `read_file` or `read_many_files` first",
        "three lines of unchanged context",
        "base_content_sha256",
        "acts as a lock",
      ],
    ],
    [
      "write_file",
      [
        "creating new files or completely overwriting existing ones",
        "Do not provide a `base_content_sha256`",
        "MUST** first have the latest versioned content",
        "fails as a safety measure",
      ],
    ],
    // The tool selection guide of seed 3.
    [
      "edit_file",
      [
        "the first choice to change a specific value",
        "match exactly, whitespace included",
        "Read the file first",
        "one call with all",
        "parallel calls with the same hash",
      ],
    ],
    ["write_file", ["To create a new file", "edit_file", "append_to_file"]],
    [
      "apply_changes",
      ["all changes are made, or none", "latest version", "If one change is refused, nothing"],
    ],
  ];
  test.each(cases)("%s", (name, sentences) => {
    const tool = findTool(name);
    const told = `${tool?.description}\n${JSON.stringify(publishedOf(tool))}`;
    for (const sentence of sentences) expect(told).toContain(sentence);
  });

  test("and stay short: names, descriptions and schemas of all of them take at most 5,100 bytes", () => {
    const texts = tools.map((tool) => JSON.stringify([tool.name, tool.description, publishedOf(tool)]));
    expect(Buffer.byteLength(texts.join(""))).toBeLessThanOrEqual(5_100);
  });
});

/** To change the contract on purpose, run this file with UPDATE_SCHEMAS=1 and read the difference. */
describe("the published schemas are a contract", () => {
  const { UPDATE_SCHEMAS } = process.env;
  const contract = {
    ...Object.fromEntries(allTools.map((tool) => [`${tool.name}.parameters`, jsonSchema(tool.parameters)])),
    answers: jsonSchema(z.object(resultSchemas)),
  };
  test.each(Object.entries(contract))("%s", (name, schema) => {
    const file = new URL(`schemas/${name}.json`, import.meta.url);
    if (UPDATE_SCHEMAS === "1") writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(schema);
  });

  test("unknown arguments are allowed, since clients add their own", () => {
    for (const tool of allTools)
      expect(jsonSchema(tool.parameters)).not.toHaveProperty("additionalProperties");
  });
});
