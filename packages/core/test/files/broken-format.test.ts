import { describe, expect, it } from "vitest";
import { ground, sha } from "../support.js";

const notebook = (outputs: string) =>
  `{"cells":[{"cell_type":"code","metadata":{},"source":[],${outputs}"execution_count":null}],"nbformat":4}\n`;

describe("a format that a change breaks", () => {
  const formats: readonly (readonly [
    name: string,
    format: string,
    valid: string,
    broken: string,
    line: number,
  ])[] = [
    ["a.json", "JSON", '{\n  "a": 1\n}\n', '{\n  "a": 1,\n}\n', 3],
    ["n.ipynb", "notebook", '{"cells": []}\n', '{"cells": []\n', 1],
    ["m.ipynb", "notebook", notebook('"outputs":[],'), notebook(""), 1],
    ["tsconfig.app.json", "JSON with comments", "{ // all\n}\n", '{ // all\n "a"\n}\n', 3],
    [".eslintrc", "JSON with comments", "{ // all\n}\n", '{ // all\n "a": 1,\n}\n', 3],
    ["a.jsonl", "JSON Lines", '{"a":1}\n\n{"b":2}\n', '{"a":1}\n\n{"b":2\n', 3],
    ["composer.lock", "JSON", '{"a": 1}\n', '{"a": 1,}\n', 1],
    ["Cargo.lock", "TOML", "[a]\nb = 1\n", "[a]\nb =\n", 2],
    ["c.yaml", "YAML", "a:\n  - b\n", "a:\n  - b\n - c: [\n", 3],
    ["c.toml", "TOML", "[a]\nb = 1\n", "[a]\nb =\n", 2],
    ["p.csproj", "XML", "<a>\n  <b/>\n</a>\n", "<a>\n  <b>\n</a>\n", 3],
  ];

  it.each(formats)("is told with its line, by every tool: %s", async (path, format, valid, broken, line) => {
    const there = await ground({ [path]: valid });
    const told = ` Note: the file was valid ${format} and is not any more: see line ${line}.`;
    const written = await there.workspace.write({ path, content: broken, base: sha(valid) });
    expect([written.success, written.message.endsWith(told)]).toEqual([true, true]);
    const again = await there.workspace.append({ path, content: "\n" });
    expect(again.message).not.toContain("Note:");
    expect(
      (await there.workspace.write({ path, content: valid, base: sha(`${broken}\n`) })).message,
    ).not.toContain("Note:");
  });

  const readWithComments = [
    "tsconfig.json",
    ".vscode/settings.json",
    "devcontainer.json",
    "turbo.json",
    ".babelrc",
  ];
  it.each(readWithComments)("is none by comments, which readers of %s allow", async (path) => {
    const valid = '{\n  "a": "// no comment, }"\n}\n';
    const there = await ground({ [path]: valid });
    const content = '{\n  // why\n  "a": "// no comment, }", /* here,\n } */ "b": [1, 2]\n}\n';
    expect((await there.workspace.write({ path, content, base: sha(valid) })).message).not.toContain("Note:");
  });

  it("is nothing to speak of where comments are allowed, or the file is new", async () => {
    const there = await ground({ "tsconfig.json": "{ /* all */ }\n" });
    const written = await there.workspace.write({
      path: "tsconfig.json",
      content: "{ // all\n}\n",
      base: sha("{ /* all */ }\n"),
    });
    const made = await there.workspace.write({ path: "new.json", content: "{" });
    expect([written, made].map(({ success, message }) => [success, message.includes("Note:")])).toEqual([
      [true, false],
      [true, false],
    ]);
  });
});
