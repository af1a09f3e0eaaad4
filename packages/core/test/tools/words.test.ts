import { describe, expect, test } from "vitest";
import type { Workspace } from "../../src/files/index.js";
import {
  type FileOutcome,
  inWords,
  isRefusal,
  libraryWords,
  type RefusalCode,
  refusalCodes,
  say,
  type Vocabulary,
  type Worded,
} from "../../src/files/values/index.js";
import {
  allTools,
  type FileTool,
  findTool,
  parseArguments,
  type ToolName,
  tools,
} from "../../src/tools/index.js";
import { runToolWithResult, type ToolContext } from "../../src/tools/run/run-tool.js";
import type { Call } from "../reproductions/scene.js";
import { foreignNames, wordsOf, wordsOfTool } from "./door-words.js";
import { openMemory } from "./ground.js";
import { type RefusedCall, refusedCalls, refusedFiles, tenLines } from "./refused-calls.js";

/** No answer names a tool or an argument that the caller does not have, whatever it is refused for. */
const named = (...names: readonly ToolName[]) => allTools.filter((tool) => names.includes(tool.name));
const doors: readonly (readonly [string, readonly FileTool[]])[] = [
  ["the default tools", tools],
  ["no other tool", []],
  ["reading and editing", named("read_file", "edit_file")],
];

describe.each(doors)("a refusal at a door with %s", (_, offered) => {
  test.each(refusedCalls.map((refused) => [nameOf(refused), refused] as const))(
    "of %s names nothing else",
    async (_name, refused) => {
      const { reply } = await run(refused, { offered });
      expect(reply.success).toBe(false);
      const own = [...offered, ...allTools.filter((tool) => tool.name === refused.call[0])];
      // The text of a file is not ours to put into words.
      expect(foreignNames(reply.text.replaceAll(tenLines, ""), own.flatMap(wordsOfTool))).toEqual([]);
    },
  );
});

/** What cannot be had from the files of these tests, and where it is had. */
const elsewhere: Partial<Record<RefusalCode, string>> = {
  read_only: "said of a tool that is not offered: `run-tool.test.ts`",
  internal_error: "needs a fault or a broken applier: `run-tool.test.ts`, `seed-1.test.ts`",
  denied: "needs a person: `approval.test.ts`",
  not_agreed: "needs a person: `approval.test.ts`",
  cancelled: "needs a signal: `test/files`",
  busy: "needs another process: `test/node`",
  timeout: "needs a diff that takes seconds: `test/patch`",
  bytes_gone: "needs a store that lost bytes: `test/node`; said by the command line, too",
  cannot_preserve: "needs a foreign owner: `test/node`",
  permission_denied: "needs another user: `test/node`",
  root_changed: "needs a root that is moved away: `test/node`",
  disk_full: "needs a full disk: `test/node`",
};

test("every code that these tools can answer with is reached, or said to be reached elsewhere", async () => {
  const reached = new Set<string>();
  for (const refused of refusedCalls) {
    const { result, reply } = await run(refused, {});
    reached.add(reply.code);
    if (result.kind === "change_set")
      for (const { outcome } of result.outcome.files) reached.add(outcome.code);
  }
  const open = refusalCodes.filter((code) => !reached.has(code));
  expect(open.toSorted()).toEqual(Object.keys(elsewhere).toSorted());
});

test("the library's own messages name its methods and arguments, and no tool", async () => {
  const codes = new Set<string>();
  for (const { call, first = [], meanwhile = {} } of refusedCalls) {
    const { workspace, put } = openFiles();
    for (const one of first) await asked(workspace, one);
    put(meanwhile);
    const outcome = await asked(workspace, call);
    if (outcome === undefined || !isRefusal(outcome)) continue;
    codes.add(outcome.code);
    const own = wordsOf(libraryWords);
    expect(foreignNames(outcome.message.replaceAll(tenLines, ""), own)).toEqual([]);
  }
  expect(codes.size).toBeGreaterThan(25);
});

test("every sentence can be said with any words that a door may have", async () => {
  const sentences: Worded[] = [];
  for (const call of refusedCalls) {
    const { result } = await run(call, {});
    if (result.kind === "preview") continue;
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
      expect(message).not.toMatch(/\$[a-z]|undefined| {2}/);
      expect(message).not.toMatch(/\[[^\]]*\{/);
    }
  }
});

test("facts are taken as they are", () => {
  const template = "[{read} ]$text: {base}";
  const facts = { text: "{read} [$text|x]" };
  expect(say({ template, facts }, { read: "look", base: "mark" })).toBe("look {read} [$text|x]: mark");
});

function nameOf({ call: [tool, args], first = [], meanwhile }: RefusedCall): string {
  const before = first.length === 0 ? "" : `${first.map(([name]) => name).join(", ")}, then `;
  const short = JSON.stringify(args).slice(0, 100);
  return `${before}${meanwhile === undefined ? "" : "a change by others, "}${tool} ${short}`;
}

/** The request that a call means, asked of the library itself; undefined where it means none. */
async function asked(workspace: Workspace, [name, args]: Call): Promise<FileOutcome | undefined> {
  const tool = findTool(name);
  const parsed = tool === undefined ? undefined : parseArguments(tool, args);
  if (tool === undefined || parsed?.kind !== "parsed") return undefined;
  const intent = tool.intent(parsed.values);
  return intent.kind === "file_request" ? workspace.run(intent.request) : undefined;
}

function openFiles() {
  const { workspace, ...memory } = openMemory(refusedFiles);
  const put = (files: Readonly<Record<string, string>>) => {
    for (const [path, content] of Object.entries(files)) memory.put(path, content);
  };
  return { workspace, put };
}

async function run({ call, first = [], meanwhile = {} }: RefusedCall, context: Partial<ToolContext>) {
  const { workspace, put } = openFiles();
  for (const [name, args] of first) await runToolWithResult(name, args, { workspace, ...context });
  put(meanwhile);
  return runToolWithResult(call[0], call[1], { workspace, ...context });
}
