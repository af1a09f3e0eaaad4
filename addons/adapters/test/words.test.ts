import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { say } from "@holdfast/core/files/values";
import { allTools, tools as defaultTools, type ToolName } from "@holdfast/core/tools";
import { describe, expect, test } from "vitest";
import { foreignNames, wordsOf, wordsOfTool } from "../../../packages/core/test/tools/door-words.js";
import { refusedCalls, refusedFiles } from "../../../packages/core/test/tools/refused-calls.js";
import { sentencesBelow, templatesBelow } from "../../../packages/core/test/tools/sentences.js";
import { holdfastTools } from "../src/ai-sdk.js";
import { executeToolUse } from "../src/anthropic.js";
import { holdfastBackend } from "../src/deepagents.js";
import { deepagentsWords, genkitWords } from "../src/framework-words.js";
import { openRoom } from "./room.js";

/** No answer at the doors of the frameworks names a tool or an argument that the model does not have. */
const selections: readonly (readonly [string, readonly ToolName[] | undefined])[] = [
  ["the default tools", undefined],
  ["reading and editing", ["read_file", "edit_file"]],
  ["replace alone", ["replace"]],
];

describe.each(selections)("the AI SDK with %s", (_, names) => {
  test("is told nothing of other tools", async () => {
    const room = await openRoom({});
    const offered = holdfastTools(room.workspace, names === undefined ? {} : { tools: names });
    const own = allTools.filter(({ name }) => name in offered).flatMap(wordsOfTool);
    const codes = new Set<string>();
    for (const refused of refusedCalls) {
      const tool = offered[refused.call[0]];
      if (tool === undefined) continue;
      putAll(room);
      for (const [name, args] of refused.first ?? []) await offered[name]?.execute(args);
      putAll(room, refused.meanwhile);
      const { code, text } = await tool.execute(refused.call[1]);
      expect([refused.call, ...foreignNames(text, own)]).toEqual([refused.call]);
      codes.add(code);
    }
    expect(codes.size).toBeGreaterThan(names === undefined ? 25 : 2);
  });
});

describe.each(["str_replace_based_edit_tool", "memory"])("%s of the Anthropic SDK", (name) => {
  test("is told nothing of other tools", async () => {
    const room = await openRoom({});
    const own = allTools.filter((tool) => tool.name === name).flatMap(wordsOfTool);
    const use = ([tool, input]: (typeof refusedCalls)[number]["call"]) =>
      executeToolUse(room.workspace, { id: "t", name: tool, input });
    for (const refused of refusedCalls.filter(({ call }) => call[0] === name)) {
      putAll(room);
      for (const before of refused.first ?? []) await use(before);
      putAll(room, refused.meanwhile);
      const content = (await use(refused.call))?.content ?? "";
      expect([refused.call, ...foreignNames(content, own)]).toEqual([refused.call]);
    }
  });
});

test("the backend of deepagents speaks of that framework's tools", async () => {
  const room = await openRoom({});
  putAll(room);
  const backend = holdfastBackend(room.workspace);
  const answers = [
    await backend.read("/none"),
    await backend.read("/big.txt"),
    await backend.read("/f.md", 99),
    await backend.read("/bytes.bin"),
    await backend.edit("/f.md", "line 1", "x"),
    await backend.edit("/none", "a", "b"),
    await backend.write("/twice.md", "x"),
    await backend.ls("/none"),
    await backend.grep("x", "/none"),
    await backend.grep("x", "/", null, 0),
    await backend.glob("{".repeat(2_000)),
    await backend.read("/f.md"),
    await backend.edit("/f.md", "nowhere", "x"),
    await backend.edit("/f.md", "line", "x"),
    await backend.edit("/f.md", "", "x"),
    await backend.edit("/f.md", "line 2", "line 2"),
    await backend.delete("/memories"),
  ];
  const errors = answers.flatMap(({ error }) => error ?? []);
  expect(errors.length).toBe(16);
  for (const error of errors)
    expect([error, ...foreignNames(error, wordsOf(deepagentsWords))]).toEqual([error]);
});

/** What Genkit and deepagents can be told at all. */
test.each([
  ["Genkit", genkitWords()],
  ["Genkit with a prefix", genkitWords("a_")],
  ["Genkit where nothing may be changed", genkitWords("", true)],
  ["deepagents", deepagentsWords],
] as const)("every sentence can be said in the words of %s", (_, words) => {
  const core = (room: string) => new URL(`../../../packages/core/src/${room}/`, import.meta.url);
  const templates = [...templatesBelow(core("files")), ...templatesBelow(core("node"))]
    .filter(({ file }) => file !== "values/refusal.ts")
    .flatMap(({ forms }) => forms);
  expect(templates.length).toBeGreaterThan(30);
  for (const template of templates) {
    const said = say({ template, facts: {} }, words);
    expect([template, ...foreignNames(said, wordsOf(words))]).toEqual([template]);
  }
  const own = sentencesBelow(new URL("../src/", import.meta.url)).filter(
    ({ file }) => file === "hashless.ts",
  );
  for (const { forms } of own)
    for (const form of forms)
      expect(foreignNames(say({ template: form, facts: {} }, words), wordsOf(words))).toEqual([]);
});

test("the default tools are those that the AI SDK is offered", async () => {
  const { workspace } = await openRoom({});
  expect(Object.keys(holdfastTools(workspace))).toEqual(defaultTools.map(({ name }) => name));
});

function putAll(
  room: Awaited<ReturnType<typeof openRoom>>,
  files: Readonly<Record<string, string | Uint8Array>> = refusedFiles,
) {
  mkdirSync(join(room.root, "memories"), { recursive: true });
  for (const [path, content] of Object.entries(files)) room.write(path, content);
}
