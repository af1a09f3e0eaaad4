import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { renderContext } from "../../../src/context/index.js";
import {
  driftedFiles,
  openCalls,
  planRestore,
  type RestorePlan,
  settleWrites,
} from "../../../src/conversation/index.js";
import { currentBase, isRefusal } from "../../../src/files/values/index.js";
import { carryOut, followFiles } from "../../../src/tools/index.js";
import { must } from "../../conversation/support.js";
import { commands, does, edits, type Host, headOf, openHost, reads, writes } from "./follow-ground.js";
import { newPlace, type Place, treeOf } from "./restore-ground.js";

const opened: Host[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function open(place: Place, session?: string): Promise<Host> {
  const host = await openHost(place, session);
  opened.push(host);
  return host;
}

async function begun(files: Readonly<Record<string, string>>): Promise<Host & { readonly start: string }> {
  const host = await open(newPlace(files));
  host.conversation.manager.commitStagedItems("go");
  return { ...host, start: headOf(host) };
}

/** The session ends, and is opened again as after a kill: whatever was not flushed is gone. */
async function again(host: Host): Promise<Host> {
  const session = host.conversation.manager.context.sessionId;
  await host.close();
  opened.splice(opened.indexOf(host), 1);
  for (const [at, each] of opened.entries())
    if (each.conversation === host.conversation) opened.splice(at, 1);
  return open(host.place, session);
}

async function planTo(host: Host, toId: string): Promise<RestorePlan> {
  const { manager } = host.conversation;
  return must(
    await planRestore(manager.context, { fromId: headOf(host), toId }, host.workspace, manager.manifests),
  );
}

function kinds(plan: RestorePlan): Record<string, string> {
  return Object.fromEntries(
    plan.files.map((file) => [file.path, file.kind === "conflict" ? file.why : file.kind]),
  );
}

function apart({ conversation: { manager }, workspace }: Host) {
  return driftedFiles(manager.context, workspace, manager.manifests);
}

function text({ place }: Host, path: string): string | null {
  const name = join(place.root, path);
  return existsSync(name) ? readFileSync(name, "utf8") : null;
}

/** What a tool did before the process was killed: the write is recorded for the call, its result is not. */
async function writesUnheard(host: Host, callId: string): Promise<void> {
  const { manager } = host.conversation;
  const open = openCalls(manager.context, headOf(host)).find(({ call }) => call.callId === callId);
  if (open === undefined) throw new Error("no such call is open");
  const caller = { conversation: manager.context.sessionId, call: open.nodeId };
  const { file_path: path, content } = open.call.args;
  const request = { path: String(path), content: String(content) };
  const written = await host.workspace.write(
    { ...request, base: currentBase, tool: "write_file" },
    { caller },
  );
  expect(written.code).toBe("applied");
}

describe("a write whose result was never recorded", () => {
  it("is a result on the branch once the conversation is opened again, and a rewind takes it back", async () => {
    const host = await begun({ "a.txt": "alpha\n" });
    const { manager } = host.conversation;
    await reads(host, "a.txt");
    const step = "s";
    const call = (callId: string, file_path: string) =>
      must(
        manager.addNode({
          kind: "tool_call",
          callId,
          name: "write_file",
          args: { file_path, content: "MINE\n" },
          step,
        }),
      );
    call("2", "a.txt");
    call("3", "mine.txt");
    must(await manager.flush());
    await writesUnheard(host, "2");
    await writesUnheard(host, "3");
    const later = await again(host);
    const { files } = later.conversation;
    expect(files?.writes).toMatchObject({ kind: "settled", nodes: [{}, {}], left: [] });
    expect(files?.apart).toEqual([]);
    expect(openCalls(later.conversation.manager.context, headOf(later))).toEqual([]);
    const shown = JSON.stringify(renderContext(later.conversation.manager.context).contents);
    expect(shown).toContain("it took effect: a.txt (changed, now");
    expect(shown).not.toContain("Whether it took effect is not known");
    expect(kinds(await planTo(later, host.start))).toEqual({ "a.txt": "restore", "mine.txt": "created" });
    expect(await commands(later, "rewind", { turn_id: host.start, files: "restore" })).toMatchObject({
      code: "ok",
    });
    expect(treeOf(later.place.root)).toEqual({ "a.txt": "alpha\n" });
    expect(await settleWrites(later.conversation.manager, later.workspace)).toMatchObject({
      nodes: [],
      left: [],
    });
  });

  it("is a note at once where the user spoke while the tool ran", async () => {
    const host = await begun({ "b.txt": "b\n" });
    const { manager } = host.conversation;
    await reads(host, "b.txt");
    const args = { file_path: "b.txt", edits: [{ old_string: "b", new_string: "LATE" }] };
    must(manager.addNode({ kind: "tool_call", callId: "z", name: "edit_file", args }));
    const late = carryOut({ callId: "z" }, { manager, workspace: host.workspace });
    must(manager.commitStagedItems("stop!"));
    const carried = await late;
    if (isRefusal(carried)) throw new Error(carried.message);
    expect(carried).toMatchObject({ kind: "answered", told: { payload: { kind: "note" } } });
    expect(text(host, "b.txt")).toBe("LATE\n");
    expect(await apart(host)).toEqual([]);
    expect((await planTo(host, host.start)).files).toMatchObject([
      { path: "b.txt", kind: "restore", others: false, by: { who: "this_conversation", here: true } },
    ]);
    expect(await settleWrites(manager, host.workspace)).toMatchObject({ nodes: [] });
  });

  it("of a call that is still carried out is left to it", async () => {
    const host = await begun({ "else.txt": "else\n" });
    const { manager } = host.conversation;
    const args = { file_path: "new.txt", content: "x\n" };
    const { id } = must(manager.addNode({ kind: "tool_call", callId: "z", name: "write_file", args }));
    const running = carryOut({ callId: "z" }, { manager, workspace: host.workspace });
    const settled = settleWrites(manager, host.workspace);
    expect([await settled, (await running).kind]).toMatchObject([{ nodes: [] }, "answered"]);
    expect(manager.context.nodes.get(headOf(host))?.parentId).toBe(id);
  });

  it("and whose branch was pruned meanwhile is told where the head stands", async () => {
    const host = await begun({ "a.txt": "alpha\n" });
    const { manager } = host.conversation;
    must(manager.startTask({ name: "try" }));
    const args = { file_path: "new.txt", content: "MINE\n" };
    must(manager.addNode({ kind: "tool_call", callId: "1", name: "write_file", args, step: "s" }));
    await writesUnheard(host, "1");
    manager.commitStagedItems("never mind");
    must(manager.cancelTask());
    must(await manager.flush());
    const later = await again(host);
    expect(later.conversation.files?.writes).toMatchObject({ kind: "settled", nodes: [{}], left: [] });
    const { context, manifests } = later.conversation.manager;
    expect([...manifests.at(context, headOf(later)).keys()]).toContain("new.txt");
    expect(later.conversation.files?.apart).toEqual([]);
    expect((await again(later)).conversation.files?.writes).toMatchObject({ nodes: [], left: [] });
  });

  it("and whose call was never recorded either is told where the head stands", async () => {
    const host = await begun({ "a.txt": "alpha\n" });
    const { manager } = host.conversation;
    must(await manager.flush());
    const caller = { conversation: manager.context.sessionId, call: "lost" };
    await reads(host, "a.txt");
    await host.workspace.write({ path: "a.txt", content: "x\n", base: currentBase }, { caller });
    await host.workspace.delete({ path: "a.txt", base: currentBase }, { caller });
    const later = await again(host);
    expect(later.conversation.files?.apart).toEqual([]);
    expect(later.conversation.manager.getCurrentNode().payload).toMatchObject({
      kind: "note",
      settles: "lost",
    });
    expect(kinds(await planTo(later, host.start))).toEqual({ "a.txt": "deleted" });
  });
});

describe("a task that is tried again", () => {
  const tried = async () => {
    const host = await begun({ "a.txt": "alpha\nbeta\n" });
    await reads(host, "a.txt");
    await does(host, "task_start", { name: "try", goal: "g" });
    await edits(host, "a.txt", "beta", "WRONG");
    await writes(host, "junk.txt", "junk\n");
    return host;
  };

  it("keeps the files unless asked, and says which are not as they were", async () => {
    const host = await tried();
    const { text: told } = await does(host, "task_restart", { hint: "do not write WRONG" });
    expect(told).toContain("not as they were there: a.txt, junk.txt");
    expect(text(host, "a.txt")).toBe("alpha\nWRONG\n");
    // The retry finds a state that it did not make, and writes nothing.
    await edits(host, "a.txt", "beta", "RIGHT");
    await does(host, "task_complete", { summary: "done" });
    expect(host.conversation.manager.getCurrentNode().payload).toMatchObject({
      kind: "task_summary",
      files: [],
    });
    const plan = await planTo(host, host.start);
    expect(kinds(plan)).toEqual({ "a.txt": "restore", "junk.txt": "created" });
    for (const file of plan.files)
      expect(file).toMatchObject({ by: { who: "this_conversation", branch: "try", here: false } });
    await does(host, "rewind", { turn_id: host.start, files: "restore" });
    expect(treeOf(host.place.root)).toEqual({ "a.txt": "alpha\nbeta\n" });
  });

  it("begins with the files of its beginning, and that is taken back to the byte", async () => {
    const host = await tried();
    const before = treeOf(host.place.root);
    const carried = await does(host, "task_restart", { hint: "again", files: "restore" });
    expect(carried).toMatchObject({ kind: "answered", code: "ok" });
    expect(carried.text).toContain("put back: a.txt, junk.txt");
    expect(treeOf(host.place.root)).toEqual({ "a.txt": "alpha\nbeta\n" });
    const { manager } = host.conversation;
    // A note to the model stands below it.
    const restore = manager.context.nodes.get(manager.getCurrentNode().parentId ?? "");
    expect(restore?.payload.kind).toBe("restore");
    expect(manager.context.nodes.get(manager.getCurrentNode().taskId)?.payload).toMatchObject({
      hint: "again",
    });
    expect(await apart(host)).toEqual([]);
    const undone = await commands(host, "restore_files", { restore_id: restore?.id ?? "" });
    expect(undone.code).toBe("ok");
    expect(treeOf(host.place.root)).toEqual(before);
    expect(await apart(host)).toEqual([]);
  });

  it("is credited with what it did, from the state that it found", async () => {
    const host = await tried();
    await does(host, "task_restart", { hint: "again" });
    await reads(host, "a.txt");
    await edits(host, "a.txt", "WRONG", "RIGHT");
    const { files } = must(await planned(host));
    expect(kinds({ files } as RestorePlan)).toEqual({ "junk.txt": "created" });
    await does(host, "task_complete", { summary: "done", files: "restore" });
    expect(treeOf(host.place.root)).toEqual({ "a.txt": "alpha\nRIGHT\n" });
    const { context } = host.conversation.manager;
    const restore = context.nodes.get(headOf(host));
    const summary = context.nodes.get(restore?.parentId ?? "")?.payload;
    const wrong = (await host.workspace.log({ path: "a.txt" })) as { entries: readonly { before: string }[] };
    expect(summary).toMatchObject({
      kind: "task_summary",
      files: [{ path: "a.txt", from: wrong.entries[0]?.before }],
    });
    expect(await apart(host)).toEqual([]);
  });

  async function planned(host: Host): Promise<RestorePlan> {
    const { manager } = host.conversation;
    const there = must(manager.foresee({ kind: "complete", summary: "done" }));
    const since = there.nodes.get(there.currentNodeId)?.parentId ?? "";
    const way = { fromId: headOf(host), toId: there.currentNodeId, since };
    return must(await planRestore(there, way, host.workspace, manager.manifests));
  }
});

describe("a task that is left", () => {
  it("takes its files along when it is paused, and brings them back when it goes on", async () => {
    const host = await begun({ "a.txt": "alpha\n" });
    await reads(host, "a.txt");
    await does(host, "task_start", { name: "aside" });
    const task = host.conversation.manager.getCurrentNode().taskId;
    await edits(host, "a.txt", "alpha", "omega");
    await writes(host, "new.txt", "new\n");
    const before = treeOf(host.place.root);
    const preview = await does(host, "task_pop", { files: "preview" });
    expect(preview.text).toContain("a.txt: put back; this conversation changed it.");
    expect(treeOf(host.place.root)).toEqual(before);
    await does(host, "task_pop", { files: "restore" });
    expect(treeOf(host.place.root)).toEqual({ "a.txt": "alpha\n" });
    expect(await apart(host)).toEqual([]);
    await does(host, "task_resume", { task_id: task, files: "restore" });
    expect(treeOf(host.place.root)).toEqual(before);
    expect(await apart(host)).toEqual([]);
    await does(host, "task_cancel", { files: "restore" });
    expect(treeOf(host.place.root)).toEqual({ "a.txt": "alpha\n" });
    await does(host, "task_resume", { task_id: task, files: "restore" });
    expect(treeOf(host.place.root)).toEqual(before);
    expect(host.conversation.manager.getCurrentNode().taskId).toBe(task);
  });

  it("and whose files stayed is in the plan of a rewind to before it", async () => {
    const host = await begun({ "else.txt": "else\n" });
    await does(host, "task_start", { name: "aside" });
    await writes(host, "left.txt", "left\n");
    await does(host, "task_pop", {});
    host.conversation.manager.commitStagedItems("now what?");
    expect(kinds(await planTo(host, host.start))).toEqual({ "left.txt": "created" });
  });

  it("and whose files were kept on purpose keeps them at later moves", async () => {
    const host = await begun({ "else.txt": "else\n" });
    await does(host, "task_start", { name: "aside" });
    await writes(host, "kept.txt", "kept\n");
    await does(host, "task_pop", {});
    host.conversation.manager.commitStagedItems("now what?");
    const here = headOf(host);
    await writes(host, "more.txt", "more\n");
    expect(kinds(await planTo(host, here))).toEqual({ "more.txt": "created" });
  });
});

describe("files only", () => {
  it("go back to a node while the head stays, and that is taken back to the byte", async () => {
    const host = await begun({ "a.txt": "one\n", "b.txt": "b\n" });
    await reads(host, "a.txt");
    await edits(host, "a.txt", "one", "two");
    await writes(host, "made.txt", "made\n");
    const before = treeOf(host.place.root);
    const preview = await commands(host, "restore_files", { turn_id: host.start, preview: true });
    expect(preview.data).toMatchObject({
      files: [
        { path: "a.txt", kind: "restore" },
        { path: "made.txt", kind: "created" },
      ],
    });
    expect(treeOf(host.place.root)).toEqual(before);
    const head = headOf(host);
    expect((await commands(host, "restore_files", { turn_id: host.start })).code).toBe("ok");
    expect(treeOf(host.place.root)).toEqual({ "a.txt": "one\n", "b.txt": "b\n" });
    const { parentId, payload } = host.conversation.manager.getCurrentNode();
    expect([parentId, payload.kind]).toEqual([head, "restore"]);
    expect(await apart(host)).toEqual([]);
    expect((await commands(host, "restore_files", { restore_id: headOf(host) })).code).toBe("ok");
    expect(treeOf(host.place.root)).toEqual(before);
    expect(await apart(host)).toEqual([]);
    expect((await commands(host, "restore_files", { restore_id: headOf(host) })).code).toBe("ok");
    expect(treeOf(host.place.root)).toEqual({ "a.txt": "one\n", "b.txt": "b\n" });
  });

  it("are put back by a call of the model, whose result stands before the restore", async () => {
    const host = await begun({ "else.txt": "else\n" });
    await writes(host, "made.txt", "made\n");
    const carried = await does(host, "restore_files", { turn_id: host.start });
    expect(carried).toMatchObject({ kind: "answered", code: "ok" });
    expect(host.conversation.manager.getCurrentNode()).toMatchObject({
      parentId: carried.kind === "answered" ? carried.node.id : "",
      payload: { kind: "restore", stateOf: host.start },
    });
    expect(treeOf(host.place.root)).toEqual({ "else.txt": "else\n" });
    // A rewind over it takes nothing twice.
    expect(kinds(await planTo(host, host.start))).toEqual({});
  });
});

describe("two sessions and a shell in one folder", () => {
  it("each of them is named, and only what the session did itself moves", async () => {
    const place = newPlace({
      "ours.txt": "0\n",
      "theirs.txt": "0\n",
      "shells.txt": "0\n",
      "both.txt": "0\n",
    });
    const one = await open(place);
    const other = await open(place);
    for (const host of [one, other]) host.conversation.manager.commitStagedItems("go");
    const start = headOf(one);
    for (const path of ["ours.txt", "theirs.txt", "shells.txt", "both.txt"]) await reads(one, path);
    await edits(one, "ours.txt", "0", "1");
    await edits(one, "both.txt", "0", "1");
    for (const path of ["theirs.txt", "both.txt"]) await reads(other, path);
    await edits(other, "theirs.txt", "0", "2");
    await edits(other, "both.txt", "1", "2");
    execFileSync("sh", ["-c", "echo 3 > shells.txt"], { cwd: place.root });
    writeFileSync(join(place.root, "aside.txt"), "4\n");
    const session = other.conversation.manager.context.sessionId;
    expect((await apart(one)).map(({ path, by }) => [path, by])).toEqual([
      ["both.txt", { who: "another_session", session }],
      ["shells.txt", { who: "someone_else" }],
      ["theirs.txt", { who: "another_session", session }],
    ]);
    const plan = await planTo(one, start);
    expect(kinds(plan)).toEqual({ "both.txt": "changed", "ours.txt": "restore" });
    expect(plan.files[0]).toMatchObject({ by: { who: "another_session", session } });
    await does(one, "rewind", { turn_id: start, files: "restore", conflicts: "leave" });
    expect(treeOf(place.root)).toEqual({
      "aside.txt": "4\n",
      "both.txt": "2\n",
      "ours.txt": "0\n",
      "shells.txt": "3\n",
      "theirs.txt": "2\n",
    });
  });
});

it("a cancelled task stays cancelled where taking it up again is refused", async () => {
  const host = await begun({ "a.txt": "alpha\n" });
  const { manager } = host.conversation;
  await does(host, "task_start", { name: "try" });
  const { taskId } = manager.getCurrentNode();
  await writes(host, "b.txt", "tried\n");
  expect(await commands(host, "task_cancel", { files: "restore" })).toMatchObject({ code: "ok" });
  must(
    manager.addNode({ kind: "tool_call", callId: "open", name: "read_file", args: { file_path: "a.txt" } }),
  );
  const { context } = manager;
  expect(await commands(host, "task_resume", { task_id: taskId, files: "restore" })).toMatchObject({
    code: "open_calls",
  });
  expect(manager.context).toBe(context);
  expect(treeOf(host.place.root)).toEqual({ "a.txt": "alpha\n" });
});

describe("a cancelled task", () => {
  it("stays cancelled where the files cannot be brought to its state", async () => {
    const host = await begun({ "a.txt": "alpha\n" });
    const { manager } = host.conversation;
    await does(host, "task_start", { name: "aside" });
    const { taskId } = manager.getCurrentNode();
    await writes(host, "made.txt", "made\n");
    const toId = headOf(host);
    await does(host, "task_cancel", { files: "restore" });
    const head = headOf(host);
    // Somebody else writes after the plan was made: the change set refuses.
    const newId = () => {
      writeFileSync(join(host.place.root, "made.txt"), "theirs\n");
      return "r-late";
    };
    const move = { kind: "go", toId, words: "Task resumed", tool: "task_resume", resumes: taskId } as const;
    const files = followFiles(manager, host.workspace, newId);
    expect(await files.follow({ move, consent: [], answering: undefined })).toMatchObject({
      code: "files_refused",
    });
    const { context } = manager;
    expect(context.tasks.get(taskId)?.outcome).toBe("cancelled");
    expect(context.pruned.has(taskId)).toBe(true);
    expect(headOf(host)).toBe(head);
    rmSync(join(host.place.root, "made.txt"));
    await does(host, "task_resume", { task_id: taskId, files: "restore" });
    expect(treeOf(host.place.root)).toEqual({ "a.txt": "alpha\n", "made.txt": "made\n" });
  });

  it("goes on where the restore that cancelled it is taken back at once", async () => {
    const host = await begun({ "a.txt": "alpha\n" });
    const { manager } = host.conversation;
    await does(host, "task_start", { name: "aside" });
    const { taskId } = manager.getCurrentNode();
    await writes(host, "made.txt", "made\n");
    const before = treeOf(host.place.root);
    await does(host, "task_cancel", { files: "restore" });
    const restore = [...manager.context.nodes.values()].find(({ payload }) => payload.kind === "restore");
    await does(host, "restore_files", { restore_id: restore?.id ?? "" });
    expect(treeOf(host.place.root)).toEqual(before);
    expect(manager.getCurrentNode().taskId).toBe(taskId);
    expect(manager.context.tasks.get(taskId)?.outcome).toBe("open");
    expect(await apart(host)).toEqual([]);
  });
});
