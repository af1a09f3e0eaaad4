import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { foreignNames } from "../../../../packages/core/test/tools/door-words.js";
import { refusedFiles, tenLines } from "../../../../packages/core/test/tools/refused-calls.js";
import { makeGround } from "../../../../packages/mcp/test/server-process.js";

/** The tools of the official server: their own words, and one budget for every answer. */
const program = fileURLToPath(new URL("../../../../packages/cli/bin/holdfast.js", import.meta.url));
const budget = 262_144;

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

interface Answer {
  readonly text: string;
  /** What is sent, in each of its forms. */
  readonly forms: readonly string[];
}

async function start(files: Readonly<Record<string, string | Uint8Array>>, flags: readonly string[] = []) {
  const { root, stateDir } = await makeGround();
  const put = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  };
  for (const [name, content] of Object.entries(files)) put(name, content);
  const client = new Client({ name: "compat", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  const args = [program, "mcp", "--compat", "filesystem", "--root", root, "--state-dir", stateDir, ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  onTestFinished(() => client.close());
  const call = async ([name, given]: Call): Promise<Answer> => {
    const { content, structuredContent } = await client.callTool({ name, arguments: given });
    const [first] = content;
    const text = first?.type === "text" ? first.text : "";
    const structured = structuredContent === undefined ? [] : [JSON.stringify(structuredContent)];
    return { text, forms: [text, ...structured] };
  };
  return { client, call, put };
}

const edit = (oldText: string, newText: string, path = "f.md"): Call => [
  "edit_file",
  { path, edits: [{ oldText, newText }] },
];
const read: Call = ["read_text_file", { path: "f.md" }];
const refused: readonly (readonly [code: string, before: readonly Call[], call: Call])[] = [
  ["file_missing", [], ["read_text_file", { path: "none" }]],
  ["file_missing", [], ["read_multiple_files", { paths: ["none", "f.md"] }]],
  ["binary", [], ["read_text_file", { path: "bytes.bin" }]],
  ["is_directory", [], ["read_text_file", { path: "memories" }]],
  ["invalid_arguments", [], ["read_text_file", { path: "f.md", head: 1, tail: 1 }]],
  ["invalid_arguments", [], ["read_text_file", {}]],
  ["outside_workspace", [], ["read_text_file", { path: "../out" }]],
  ["out_of_range", [], ["read_text_file", { path: "none", tail: 2 }]],
  ["not_read", [], ["write_file", { path: "twice.md", content: "x" }]],
  [
    "unseen_lines",
    [["read_text_file", { path: "f.md", head: 1 }]],
    ["write_file", { path: "f.md", content: "x" }],
  ],
  ["protected_path", [], ["write_file", { path: ".git/hooks/x", content: "x" }]],
  ["ignored_path", [], ["write_file", { path: "hidden.txt", content: "x" }]],
  ["not_a_file", [], ["write_file", { path: "f.md/below", content: "x" }]],
  ["not_found", [read], edit("nowhere", "x")],
  ["not_found", [], edit("nowhere", "x")],
  ["occurrence_mismatch", [read], edit("line", "x")],
  ["empty_old_string", [read], edit("", "x")],
  ["equal_strings", [read], edit("line 2", "line 2")],
  ["placeholder", [read], edit("line 2", "// ... existing code ...")],
  ["file_missing", [], edit("a", "b", "none")],
  ["unencodable", [], edit("gr", "ö", "latin.txt")],
  ["exists", [], ["move_file", { source: "f.md", destination: "twice.md" }]],
  ["file_missing", [], ["move_file", { source: "none", destination: "new" }]],
  ["not_a_file", [], ["list_directory", { path: "f.md" }]],
  ["file_missing", [], ["directory_tree", { path: "none" }]],
  ["invalid_arguments", [], ["search_files", { path: ".", pattern: "{".repeat(2_000) }]],
  ["not_a_file", [], ["create_directory", { path: "f.md" }]],
  ["file_missing", [], ["get_file_info", { path: "none" }]],
];

describe("the tools of the official server", () => {
  test("refuse in their own words", async () => {
    const { client, call, put } = await start(refusedFiles);
    const { tools } = await client.listTools();
    const own = tools.map(({ name, inputSchema }) => `${name} ${JSON.stringify(inputSchema)}`);
    const reached = new Set<string>();
    for (const [code, before, one] of refused) {
      put("f.md", `${tenLines}${code}\n`);
      for (const earlier of before) await call(earlier);
      const { text } = await call(one);
      expect([one, ...foreignNames(text, own)]).toEqual([one]);
      for (const [, found = ""] of text.matchAll(/FAILED \(([a-z_]+)\)/g)) reached.add(found);
    }
    // Of several files one that is missing does not fail the others; a tail of nothing is nothing.
    const all = new Set(refused.map(([code]) => code));
    expect([...all].filter((code) => !reached.has(code) && code !== "out_of_range")).toEqual([]);
  });

  test("are understood by the arguments of other tools, too", async () => {
    const { call } = await start({ "f.md": "one\ntwo\n" });
    const { text: read } = await call(["read_text_file", { file_path: "f.md", head: "1" }]);
    expect(read).toContain("one");
    await call(["read_text_file", { filePath: "f.md" }]);
    const flat = { file_path: "f.md", old_string: "two", new_string: "2" };
    expect((await call(["edit_file", flat])).text).toContain("+2");
    const two = await call(["read_text_file", { path: "f.md", file_path: "g.md" }]);
    expect(two.text).toContain('path ("f.md") and file_path ("g.md") mean the same argument and differ');
    const stray = await call(["search_files", { path: ".", patern: "*" }]);
    expect(stray.text).toContain("There is no argument patern; did you mean pattern?");
  });

  test("name no tool that writes where nothing may be written", async () => {
    const { call } = await start(refusedFiles, ["--read-only"]);
    const { text } = await call(["read_text_file", { path: "none" }]);
    expect(text).toContain("file_missing");
    expect(text).not.toContain("write_file");
  });

  test("keep the budget whatever is there, and cut visibly", async () => {
    const long = "a".repeat(7_000_000);
    const files = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, at) => [`many/${"n".repeat(90)}${at}`, ""]),
    );
    const { call, put } = await start({ long, "lines.txt": `${'"\\'.repeat(20)}\n`.repeat(6_000), ...files });
    const window: Call = ["read_text_file", { path: "long", head: 1 }];
    const calls: readonly (readonly [Call, RegExp])[] = [
      [["read_text_file", { path: "long" }], /more characters/],
      [window, /more characters|too_large/],
      [["read_text_file", { path: "long", tail: 1 }], /more characters|too_large/],
      [["read_text_file", { path: "lines.txt" }], /Shown are lines 1-\d+ of 6000/],
      [["read_multiple_files", { paths: ["lines.txt", "long", "lines.txt"] }], /Left out|more characters/],
      [["read_media_file", { path: "long" }], /too_large/],
      [["write_file", { path: "long", content: "x" }], /not_read|unseen_lines/],
      [edit("a".repeat(9), "b", "long"), /occurrence_mismatch/],
      [edit("nowhere", "b", "long"), /not_found/],
      [["list_directory", { path: "many" }], /… [\d,]+ more: name a deeper folder/],
      [["list_directory_with_sizes", { path: "many" }], /more: name a deeper folder[\s\S]*Combined size/],
      [["directory_tree", { path: "many" }], /too_large/],
      [["search_files", { path: ".", pattern: "**/n*" }], /more: name a deeper folder/],
    ];
    for (const [one, visibly] of calls) {
      const { text, forms } = await call(one);
      expect([one[0], text.slice(0, 400), visibly.test(text)]).toEqual([one[0], text.slice(0, 400), true]);
      for (const form of forms) expect(form.length).toBeLessThanOrEqual(budget);
    }
    await call(["write_file", { path: "own", content: long }]);
    put("own", "b".repeat(7_000_000));
    const { text, forms } = await call(["write_file", { path: "own", content: "x" }]);
    expect(text).toContain("state_mismatch");
    for (const form of forms) expect(form.length).toBeLessThanOrEqual(budget);
  }, 120_000);
});
