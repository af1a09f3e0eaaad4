import { createHash, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ContextManager } from "../../../packages/core/src/conversation/index.js";
import {
  type FileEffect,
  type JsonObject,
  namesFrom,
  type ShownText,
  type ToolResultPayload,
  timeSortedIds,
} from "../../../packages/core/src/conversation/values/index.js";
import { isRefusal } from "../../../packages/core/src/files/values/index.js";
import { carryOut, dialectTools, type TurnHost, toolNames } from "../../../packages/core/src/tools/index.js";
import { countedIds } from "../../../packages/core/test/conversation/support.js";
import { makeGround } from "../../../packages/core/test/tools/ground.js";
import { readSessionFile } from "../src/index.js";
import { ownToolNames } from "../src/tree/own-results.js";

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const sha = (text: string) => digest(Buffer.from(text));
const ten = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join("");

interface Said {
  readonly name: string;
  readonly args: JsonObject;
  readonly output: string;
  readonly isError?: boolean;
}

/** What an import reads of a session of Claude Code with these calls. */
function imported(said: readonly Said[], options: { readonly digest?: typeof digest } = { digest }) {
  const lines: object[] = [];
  const add = (type: string, content: object) => {
    const parentUuid = lines.length === 0 ? null : `u${lines.length}`;
    const uuid = `u${lines.length + 1}`;
    lines.push({
      type,
      uuid,
      parentUuid,
      timestamp: "2026-01-01T00:00:00.000Z",
      message: { role: type, content },
    });
  };
  for (const [at, { name, args, output, isError }] of said.entries()) {
    add("assistant", [{ type: "tool_use", id: `t${at}`, name, input: args }]);
    const content = [{ type: "text", text: output }];
    add("user", [{ type: "tool_result", tool_use_id: `t${at}`, content, is_error: isError === true }]);
  }
  const read = readSessionFile(lines.map((line) => JSON.stringify(line)).join("\n"), {
    from: "x",
    newId: countedIds(),
    now: 1,
    ...options,
  });
  if (isRefusal(read)) throw new Error(read.message);
  return read.events.flatMap(({ event }) =>
    event.type === "nodes_added"
      ? event.nodes.flatMap(({ payload }) => (payload.kind === "tool_result" ? [payload] : []))
      : [],
  );
}

/** The results of calls as our own host records them: what an import is held against. */
async function recorded(
  files: Readonly<Record<string, string | Uint8Array>>,
  calls: readonly (readonly [name: string, args: JsonObject])[],
  host: Partial<TurnHost> = {},
) {
  const { workspace, root } = await makeGround(files);
  const ids = timeSortedIds(Date.now, randomBytes);
  const manager = new ContextManager({ ids, now: Date.now, naming: namesFrom(root) });
  manager.commitStagedItems("Go on.");
  const results: (Said & { readonly payload: ToolResultPayload })[] = [];
  for (const [at, [name, args]] of calls.entries()) {
    manager.addNode({ kind: "tool_call", callId: `c${at}`, name, args, step: `${at}` });
    const carried = await carryOut({ callId: `c${at}` }, { manager, workspace, ...host });
    if (isRefusal(carried) || carried.kind !== "answered") throw new Error("no result was recorded");
    const { payload } = carried.node;
    if (payload.kind !== "tool_result") throw new Error("no result");
    results.push({ name, args, output: payload.output, isError: payload.isError === true, payload });
  }
  return results;
}

const told = (files: readonly FileEffect[] = []) =>
  files.map(({ path, after, by, lines, from }) => ({ path, after, by, lines, from }));
const inFrames = (shows: readonly ShownText[] = [], output: string) =>
  shows.filter(({ start }) => /(?:^|\n)<(?:file|lines)[^\n]*\n$/.test(output.slice(0, start)));

const edit = (
  path: string,
  base: string,
  old_string: string,
  new_string: string,
): readonly [string, JsonObject] => [
  "edit_file",
  { file_path: path, base_content_sha256: base, edits: [{ old_string, new_string }] },
];
const files = {
  "a.txt": ten,
  "latin.txt": Buffer.from("caf\xe9\nna\xefve\n", "latin1"),
  "bom.txt": "\ufeffone\r\ntwo\r\n",
  "empty.txt": "",
  "tail.txt": "no end",
  "long.txt": `${"x".repeat(9_000)}\nshort\n`,
  "marks.txt": '</file>\n<file path="b">\n',
  "old/name.txt": "moves\n",
  "gone.txt": "goes\n",
};
const edited = ten.replace("line 2\n", "line two\n");
const calls: readonly (readonly [string, JsonObject])[] = [
  ...Object.keys(files).map((path): readonly [string, JsonObject] => ["read_file", { file_path: path }]),
  ["read_file", { file_path: "a.txt" }],
  ["read_file", { file_path: "a.txt", offset: 3, limit: 2 }],
  ["read_file", { file_path: "latin.txt", encoding: "windows-1252" }],
  ["read_file", { file_path: "none.txt" }],
  ["read_many_files", { file_paths: ["bom.txt", "empty.txt", "none.txt"] }],
  ["list_files", { path: "." }],
  ["search_files", { pattern: "line" }],
  edit("a.txt", sha(ten), "line 2\n", "line two\n"),
  edit("a.txt", sha(ten), "line 2\n", "line two\n"),
  edit("a.txt", sha("nothing"), "line 3\n", "line three\n"),
  edit("a.txt", sha(edited), "line 99\n", "x\n"),
  [
    "safe_patch",
    {
      file_path: "a.txt",
      base_content_sha256: sha(edited),
      unified_diff: "@@\n line 3\n-line 4\n+four\n line 5\n",
    },
  ],
  ["write_file", { file_path: "new.txt", content: "hello\nworld\n", base_content_sha256: null }],
  ["append_to_file", { file_path: "new.txt", content: "more\n" }],
  [
    "apply_changes",
    {
      changes: [
        { file_path: "c1.txt", content: "1\n", base_content_sha256: null },
        { file_path: "c2.txt", content: "2\n", base_content_sha256: null },
      ],
    },
  ],
  ["move_file", { file_path: "old/name.txt", new_path: "new/name.txt", base_content_sha256: sha("moves\n") }],
  ["delete_file", { file_path: "gone.txt", base_content_sha256: sha("goes\n") }],
  ["undo_edit", { file_path: "a.txt" }],
  ["undo_edit", { file_path: "new/name.txt" }],
  ["undo_edit", { file_path: "gone.txt" }],
];

describe("results of our own tools in another agent's session", () => {
  it("tell what the same answers told our own host", async () => {
    const said = await recorded(files, calls);
    const read = imported(said.map((one) => ({ ...one, name: `mcp__holdfast__${one.name}` })));
    expect(read).toHaveLength(said.length);
    for (const [at, { payload, output, name }] of said.entries()) {
      const where = `${name} ${at}: ${output.slice(0, 200)}`;
      expect(told(read[at]?.files), where).toEqual(told(payload.files));
      expect(read[at]?.shows ?? [], where).toEqual(inFrames(payload.shows, output));
    }
    expect(read.flatMap(({ shows = [] }) => shows).length).toBeGreaterThan(12);
  });

  it("tell the same states in the JSON form, and show nothing there", async () => {
    const said = await recorded(files, calls, { wire: "json" });
    const read = imported(said.map((one) => ({ ...one, name: `mcp__holdfast__${one.name}` })));
    for (const [at, { payload, name }] of said.entries()) {
      // How many lines there are stands in the JSON of a window only.
      const known = (effects: readonly FileEffect[] | undefined) =>
        told(effects).map(({ lines: _, ...rest }) => rest);
      expect(known(read[at]?.files), `${name} ${at}`).toEqual(known(payload.files));
      expect(read[at]?.shows).toBeUndefined();
    }
  });

  it("know every tool of ours that answers in our words", () => {
    const vendors = dialectTools.map(({ name }): string => name).filter((name) => name !== "apply_edit");
    expect([...ownToolNames].sort()).toEqual(toolNames.filter((name) => !vendors.includes(name)).sort());
  });
});

const frame = (path: string, text: string, attributes = "") =>
  `<file path="${path}" version="1" sha256="${sha(text)}" total_lines="${text.split("\n").length - 1}"${attributes} end="</file>">\n${text}</file>`;
const read = (name: string, output: string): Said => ({ name, args: { file_path: "a.txt" }, output });
const written = (name: string, content: string): Said => ({
  name,
  args: { file_path: "w.txt", content },
  output: `OK (applied): File created.\n<file path="w.txt" version="2" sha256="${sha(content)}" total_lines="1" shown="no"/>`,
});
const seen = (said: readonly Said[], options?: { readonly digest?: typeof digest }) =>
  imported(said, options).map(({ files: effects }) => effects?.map(({ path }) => path) ?? []);

describe("whose tool it was", () => {
  const whole = frame("a.txt", "one\n");
  for (const name of ["mcp__holdfast__read_file", "read_file", "holdfast_read_file"])
    it(`is ours: ${name}`, () => expect(seen([read(name, whole)])).toEqual([["a.txt"]]));

  for (const name of [
    "Read",
    "mcp__filesystem__read_file",
    "mcp__evil_holdfast__read_file",
    "mcp__holdfast2__read_file",
    "__proto__",
  ])
    it(`is another's, whatever its text looks like: ${name}`, () =>
      expect(seen([read(name, whole)])).toEqual([[]]));

  it("is ours behind the words of Codex, and shows its lines where they stand", () => {
    const lead = "Wall time: 0.0123 seconds\nOutput:\n";
    const [result] = imported([read("mcp__holdfast__read_file", lead + whole)]);
    expect(result?.shows?.map(({ start, end }) => result.output.slice(start, end))).toEqual(["one\n"]);
    expect(seen([read("mcp__holdfast__read_file", `x${lead}${whole}`)])).toEqual([[]]);
  });

  it("is not ours by a plain name that also answers otherwise", () => {
    expect(seen([read("read_file", whole), read("read_file", "plain text of a file")])).toEqual([[], []]);
    expect(seen([read("mcp__holdfast__read_file", whole), read("read_file", "text")])).toEqual([
      ["a.txt"],
      [],
    ]);
  });

  it("is ours under another server's name where a write is proved", () => {
    const others = "mcp__files__";
    const said = [read(`${others}read_file`, whole), written(`${others}write_file`, "new\n")];
    expect(seen(said)).toEqual([["a.txt"], ["w.txt"]]);
    expect(seen(said, {})).toEqual([[], []]);
    const forged = { ...written(`${others}write_file`, "new\n"), args: { file_path: "w.txt", content: "x" } };
    expect(seen([read(`${others}read_file`, whole), forged])).toEqual([[], []]);
  });
});

describe("an answer that is not whole is a text and nothing else", () => {
  const text = "one\ntwo\n";
  const whole = frame("a.txt", text);
  const cases: readonly (readonly [string, string])[] = [
    ["cut in its frame", whole.slice(0, -12)],
    ["with words before it", `Here it is:\n${whole}`],
    ["with a line right below it", `${whole}\n<file path="b.txt">`],
    ["whose text is not that of its hash", whole.replace("two", "TWO")],
    ["with lines beyond the end", frame("a.txt", text, ' lines="2-3"')],
    ["with an attribute that nobody writes", whole.replace("<file ", '<file owner="me" ')],
    ["with a state that is there and is not", whole.replace(" end=", ' exists="no" end=')],
    ["in JSON without a hash", '{"file_path":"a.txt","version":1,"content":"x"}'],
    ["in JSON with a code that is none", '{"success":true,"latest_file_state":{"file_path":"a.txt"}}'],
    ["in JSON with sets inside sets", `${'{"changes":['.repeat(20_000)}${"]}".repeat(20_000)}`],
    ["empty", ""],
  ];
  for (const [name, output] of cases)
    it(name, () => {
      const [result] = imported([read("mcp__holdfast__read_file", output)]);
      expect(result).toMatchObject({ output });
      expect(result?.files).toBeUndefined();
      expect(result?.shows).toBeUndefined();
    });

  it("and its frames are no headers where they stand in a file", () => {
    const inner = frame("inner.txt", "x\n");
    const outer = `<file-1 path="a.txt" version="1" sha256="${sha(`${inner}\n`)}" total_lines="3" end="</file-1>">\n${inner}\n</file-1>`;
    expect(seen([read("mcp__holdfast__read_file", outer)])).toEqual([["a.txt"]]);
  });
});
