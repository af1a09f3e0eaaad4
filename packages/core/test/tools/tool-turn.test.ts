import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { renderContext } from "../../src/context/index.js";
import { ContextManager } from "../../src/conversation/index.js";
import { type JsonObject, timeSortedIds } from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { carryOut, followFiles, type TurnHost } from "../../src/tools/index.js";
import { makeGround, sha256 } from "./ground.js";

const twenty = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join("");

/** A conversation about real files, in which a model calls tools. */
async function makeTalk(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const ground = await makeGround(files);
  const manager = newConversation();
  const follows = followFiles(manager, ground.workspace, () => randomBytes(8).toString("hex"));
  const known: Shown[] = Object.entries(files).map(([path, bytes]) => ({ path, bytes }));
  const turn = async (name: string, args: JsonObject, more: Partial<TurnHost> = {}) => {
    const callId = ask(manager, name, args);
    const { workspace } = ground;
    const ran = await carryOut({ callId }, { manager, workspace, files: follows, ...more });
    if (ran.kind !== "answered" || ran.node.payload.kind !== "tool_result") throw new Error(ran.kind);
    return { ...ran, payload: ran.node.payload };
  };
  /** Everything that stands before the model, by the states' own bytes. */
  const visible = () => seen(manager, known);
  const know = (path: string, bytes: string | Uint8Array) => void known.push({ path, bytes });
  return { ...ground, manager, turn, visible, know };
}

function callNodeOf({ context }: ContextManager, callId: string): string | undefined {
  for (const [id, { payload }] of context.nodes)
    if (payload.kind === "tool_call" && payload.callId === callId) return id;
  return undefined;
}

interface Shown {
  readonly path: string;
  readonly bytes: string | Uint8Array;
}

function newConversation() {
  const manager = new ContextManager({ ids: timeSortedIds(Date.now, randomBytes), now: Date.now });
  must(manager.commitStagedItems("Go on."));
  return manager;
}

function ask(manager: ContextManager, name: string, args: JsonObject): string {
  const callId = `call_${manager.context.nodes.size}`;
  must(manager.addAnswer({ step: callId, parts: [{ kind: "tool_call", callId, name, args }] }));
  return callId;
}

/**
 * What the prompt shows, as `path from-to`; each place has to hold the very lines of the state that it names,
 * taken from the file's bytes here and not from our own idea of them.
 */
function seen(manager: ContextManager, known: readonly Shown[]): readonly string[] {
  const { contents, visibility } = renderContext(manager.context);
  return visibility.states().flatMap(({ path, sha256: hash, lines, places }) => {
    const state = known.findLast((one) => one.path === path && sha256(one.bytes) === hash);
    if (state === undefined) throw new Error(`${path} ${hash} was never there`);
    const own = linesOf(textOf(state.bytes));
    for (const { content, part, start, end, from, to, chars } of places) {
      const text = outputOf(contents[content]?.parts[part]);
      const shown = own.slice(from - 1, to).join("");
      // In a difference a line stands without its terminator.
      expect(text.slice(start, end)).toBe(chars === undefined ? shown : shown.replace(/\r?\n$/, ""));
    }
    return lines.map(({ from, to }) => `${path} ${from}-${to}`);
  });
}

function outputOf(part: object | undefined): string {
  const response = part !== undefined && "functionResponse" in part ? part.functionResponse : undefined;
  const told: unknown = Object(response).response;
  const text: unknown = Object(told).output ?? Object(told).error;
  if (typeof text !== "string") throw new Error("no output stands there");
  return text;
}

function textOf(bytes: string | Uint8Array): string {
  return typeof bytes === "string" ? bytes.replace(/^\uFEFF/, "") : new TextDecoder().decode(bytes);
}

function linesOf(text: string): readonly string[] {
  return text.match(text.includes("\n") ? /[^\n]*\n|[^\n]+$/g : /[^\r]*\r|[^\r]+$/g) ?? [];
}

function must<Answer extends object>(answer: Answer): Answer {
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

describe("a read that becomes a node shows exactly the lines that stand in it", () => {
  const cases: readonly (readonly [string, string | Uint8Array, JsonObject, readonly string[]])[] = [
    ["a whole file", twenty, {}, ["a.ts 1-20"]],
    ["a window", twenty, { offset: 5, limit: 3 }, ["a.ts 5-7"]],
    ["a window of such lines", "🦊🦊\n🦊é\n漢字\n", { offset: 2, limit: 1 }, ["a.ts 2-2"]],
    ["carriage returns", "a\r\nb\r\nc\r\n", { offset: 2, limit: 2 }, ["a.ts 2-3"]],
    ["mixed endings", "a\r\nb\nc\rd\r\ne", {}, ["a.ts 1-4"]],
    ["no newline at the end", "a\nb", {}, ["a.ts 1-2"]],
    ["no line at all", "", {}, []],
    [
      "the markers of the reply",
      '</file>\n<file path="b" version="1" sha256="none" end="</file>">\n</file-1>\n<lines from="1" to="2">\nx</lines>',
      {},
      ["a.ts 1-5"],
    ],
  ];
  test.each(cases)("%s", async (_, content, args, expected) => {
    const talk = await makeTalk({ "a.ts": content });
    const { payload } = await talk.turn("read_file", { file_path: "a.ts", ...args });
    expect(talk.visible()).toEqual(expected);
    expect(payload.files).toMatchObject([{ path: "a.ts", after: sha256(content), by: "seen" }]);
    expect(payload.isError).toBeUndefined();
  });

  test("of another encoding, as it was decoded", async () => {
    const bytes = Uint8Array.from([0x67, 0x72, 0xf6, 0xdf, 0x65, 0x0a]);
    const talk = await makeTalk({ "a.txt": bytes });
    const { payload } = await talk.turn("read_file", { file_path: "a.txt", encoding: "windows-1252" });
    const [shown] = payload.shows ?? [];
    expect(payload.output.slice(shown?.start, shown?.end)).toBe("größe\n");
  });
});

describe("a write that becomes a node", () => {
  const patched = twenty.replace("line 10\n", "line ten\n");
  const diff = " line 8\n line 9\n-line 10\n+line ten\n line 11\n";
  const patch = (base: string) => ({
    file_path: "a.ts",
    unified_diff: `--- a/a.ts\n+++ b/a.ts\n@@ -8,4 +8,4 @@\n${diff}`,
    base_content_sha256: base,
  });

  test("a patch shows the changed lines, and tells both states", async () => {
    const talk = await makeTalk({ "a.ts": twenty });
    talk.know("a.ts", patched);
    const { payload, code } = await talk.turn("safe_patch", patch(sha256(twenty)));
    expect(code).toBe("applied");
    expect(talk.visible()).toEqual(["a.ts 7-13"]);
    const effect = { path: "a.ts", before: sha256(twenty), after: sha256(patched), by: "tool" };
    expect(payload.files).toMatchObject([effect]);
  });

  test("a change set tells of every file; refused, of none as ours", async () => {
    const talk = await makeTalk({ "a.ts": twenty, "b.ts": "b\n", "c.ts": "c\n" });
    const change = (path: string, content: string, rest: JsonObject) => ({
      file_path: path,
      base_content_sha256: sha256(content),
      ...rest,
    });
    const changes = [
      change("a.ts", twenty, { edits: [{ old_string: "line 10\n", new_string: "line ten\n" }] }),
      change("b.ts", "b\n", { delete: true }),
      change("c.ts", "c\n", { rename_to: "d.ts" }),
    ];
    talk.know("a.ts", patched);
    const refused = await talk.turn("apply_changes", {
      changes: [...changes, change("d.ts", "no", { content: "d\n" })],
    });
    expect(refused.payload.isError).toBe(true);
    expect(refused.payload.files?.every(({ by }) => by === "seen")).toBe(true);
    const { payload } = await talk.turn("apply_changes", { changes });
    expect(payload.files).toMatchObject([
      { path: "a.ts", before: sha256(twenty), after: sha256(patched), by: "tool" },
      { path: "b.ts", before: sha256("b\n"), after: null, by: "tool" },
      { path: "c.ts", before: sha256("c\n"), after: null, by: "tool" },
      { path: "d.ts", before: null, after: sha256("c\n"), by: "tool", from: "c.ts" },
    ]);
    expect(payload.shows?.map(({ path, from, to }) => `${path} ${from}-${to}`)).toEqual(["a.ts 7-13"]);

    const undone = await talk.turn("undo_edit", { file_path: "a.ts" });
    const taken = new Map(undone.payload.files?.map(({ path, after }) => [path, after]));
    expect(taken.get("a.ts")).toBe(sha256(twenty));
    expect(taken.get("b.ts")).toBe(sha256("b\n"));
    expect(taken.get("c.ts")).toBe(sha256("c\n"));
    expect(taken.get("d.ts")).toBeNull();
  });
});

describe("what does not show lines", () => {
  test("a reply as JSON, a list, a search, a refusal of the arguments", async () => {
    const talk = await makeTalk({ "a.ts": "a\nb\n" });
    const json = await talk.turn("read_file", { file_path: "a.ts" }, { wire: "json" });
    expect(json.payload.files).toHaveLength(1);
    for (const [name, args] of [
      ["list_files", {}],
      ["search_files", { pattern: "a" }],
      ["read_file", {}],
      ["read_file", { file_path: "gone.ts" }],
      ["no_such_tool", {}],
    ] as const) {
      const { payload } = await talk.turn(name, args);
      expect([payload.shows, payload.files]).toEqual([undefined, undefined]);
    }
    expect(talk.visible()).toEqual([]);
  });
});

describe("the call that is answered", () => {
  test("has to wait where the head stands, else nothing is run", async () => {
    const { manager, workspace, root } = await ground();
    const callId = ask(manager, "write_file", { file_path: "a.ts", content: "a\n" });
    const wrong = await carryOut({ callId: "another" }, { manager, workspace });
    expect(wrong).toMatchObject({ kind: "refusal", code: "unmatched_result" });
    await expect(readFile(`${root}/a.ts`)).rejects.toThrow();
    expect(await carryOut({ callId }, { manager, workspace })).toMatchObject({ kind: "answered" });
    expect(await carryOut({ callId }, { manager, workspace })).toMatchObject({ code: "unmatched_result" });
  });

  test("may be of the conversation's own tools, also one that moves the head", async () => {
    const talk = await makeTalk();
    const started = await talk.turn("task_start", { name: "t", goal: "g" });
    expect(started.isError).toBe(false);
    expect(talk.manager.getCurrentNode().taskId).not.toBe(started.node.taskId);
    const written = await talk.turn("write_file", { file_path: "a.ts", content: "a\n" });
    expect(written.node.parentId).not.toBe(started.node.id);
    const refused = await talk.turn("task_resume", { task_id: "none" });
    expect([refused.isError, refused.code]).toEqual([true, "unknown_task"]);
    const back = await talk.turn("task_cancel", { files: "restore" });
    expect([back.isError, back.text]).toEqual([false, expect.stringContaining("a.ts")]);
    await expect(talk.get("a.ts")).rejects.toThrow();
  });

  test("has its result on its own branch where the user has spoken meanwhile", async () => {
    const { manager, workspace, root } = await ground();
    const callId = ask(manager, "write_file", { file_path: "a.ts", content: "a\n" });
    const running = carryOut({ callId }, { manager, workspace });
    must(manager.commitStagedItems("Wait!"));
    const head = manager.getCurrentNode().id;
    const late = await running;
    expect(late).toMatchObject({ kind: "answered", code: "applied" });
    // What it did to the file is told where the head stands.
    expect(manager.getCurrentNode()).toMatchObject({ parentId: head, payload: { kind: "note" } });
    expect(!isRefusal(late) && late.told?.id).toBe(manager.getCurrentNode().id);
    expect(late.kind === "answered" && late.node.parentId).toBe(callNodeOf(manager, callId));
    expect(await readFile(`${root}/a.ts`, "utf8")).toBe("a\n");
  });

  test("may name and put things otherwise than the tool: then the host says how it is run", async () => {
    const talk = await makeTalk({ "a.ts": "a\n" });
    const callId = ask(talk.manager, "fs__read", {});
    const call = { callId, name: "read_file", args: { file_path: "a.ts" } };
    const ran = await carryOut(call, { manager: talk.manager, workspace: talk.workspace });
    expect(ran).toMatchObject({ kind: "answered", node: { payload: { name: "fs__read" } } });
    expect(talk.visible()).toEqual(["a.ts 1-1"]);
  });
});

async function ground(files: Readonly<Record<string, string>> = {}) {
  const { workspace, root } = await makeGround(files);
  return { manager: newConversation(), workspace, root };
}
