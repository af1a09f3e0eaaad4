import { describe } from "vitest";
import type { ContextManager } from "../../src/conversation/index.js";
import { Workspace } from "../../src/files/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import {
  conversationTools,
  findConversationTool,
  followFiles,
  runConversationTool,
  runTool,
} from "../../src/tools/index.js";
import { wholeSchema } from "../../src/tools/tool/tool.js";
import { countedIds, newManager, say } from "../conversation/support.js";
import { memoryWith } from "../support.js";
import { type Args, type DoorTool, holdArguments, type LawCall, type OpenDoor } from "./argument-law.js";
import { lawFiles, lawTools } from "./law-calls.js";

function openFiles() {
  const ports = memoryWith(lawFiles, countedIds());
  const workspace = new Workspace(ports, { applier: async ({ content }) => content.replace("one", "1") });
  const looker = new Workspace(ports);
  const state = async () => {
    const listed = await looker.list({ path: ".", depth: 9, limit: 99, all: true });
    if (isRefusal(listed)) throw new Error(listed.message);
    const texts = listed.entries.map(({ path }) => [
      path,
      Buffer.from(ports.disk.peek(path) ?? []).toString("latin1"),
    ]);
    return JSON.stringify(texts);
  };
  return { workspace, state };
}

describe("the tools of files", () => {
  const open = async (): Promise<OpenDoor> => {
    const { workspace, state } = openFiles();
    return { call: async (name, args) => (await runTool(name, args, { workspace })).text, state };
  };
  holdArguments({ tools: lawTools(), open, isWhole: true, runs: 250 });
});

/** A conversation of one message, in which a task was begun and left. */
async function openTalk(): Promise<OpenDoor & { readonly manager: ContextManager }> {
  const { workspace, state } = openFiles();
  const manager = newManager();
  say(manager, "go");
  const files = followFiles(manager, workspace, countedIds("restore"));
  const call = async (name: string, args: Args) =>
    (await runConversationTool(name, args, { manager, files })).text;
  await call("task_start", { name: "old" });
  await call("task_pop", {});
  return {
    manager,
    call,
    state: async () =>
      JSON.stringify([[...manager.context.nodes], manager.getCurrentNode().id, await state()]),
  };
}

const began = [["task_start", { name: "new" }]] as const;
const completed = [...began, ["task_complete", { summary: "done" }]] as const;

const { manager, call: ask } = await openTalk();
const turn_id = manager.context.sessionId;
const tasks = () => [...manager.context.tasks.keys()].filter((id) => id !== turn_id);
const [task_id] = tasks();
for (const [name, args] of completed) await ask(name, args);
const done = tasks().find((id) => id !== task_id);
const restore = { files: "restore", consent: ["a.txt"], conflicts: "leave" };
const tracked = [["track_file", { file_path: "a.txt" }]] as const;

const calls: Readonly<Record<string, readonly LawCall[]>> = {
  task_start: [
    { args: { name: "new", context: "compress", summary: "all" } },
    { args: { goal: "all", context: "clear" } },
  ],
  task_complete: [{ args: { summary: "done", ...restore }, first: began }],
  task_cancel: [{ args: restore, first: began }],
  task_pop: [{ args: restore, first: began }],
  task_resume: [{ args: { task_id, ...restore } }],
  task_restart: [{ args: { task_id, hint: "again", ...restore } }],
  task_list: [{ args: {} }],
  track_file: [{ args: { file_path: "a.txt" } }],
  untrack_file: [{ args: { file_path: "a.txt" }, first: tracked }],
  list_tracked_files: [{ args: {}, first: tracked }],
  history_view: [
    {
      args: {
        ...{ kinds: ["user_message"], text: "go", branch: turn_id },
        ...{ depth: 9, fold_tasks: true, limit: 9 },
      },
    },
    { args: { branch: "none" }, does: "refuses" },
  ],
  rewind: [{ args: { turn_id, ...restore } }],
  restore_files: [
    { args: { turn_id, consent: restore.consent, conflicts: "leave" } },
    { args: { turn_id, preview: true }, does: "looks" },
    { args: { restore_id: "none" }, does: "refuses" },
  ],
  summarize_branch: [{ args: { focus: "files", summary: "all" } }],
  expand_task_summary: [{ args: { task_id: done }, first: completed, does: "looks" }],
};

const byName = conversationTools.map(
  ({ name, parameters, annotations }): DoorTool => ({
    name,
    isReading: annotations.readOnly,
    schema: wholeSchema(parameters),
    calls: calls[name] ?? [],
  }),
);

describe("the tools of the conversation", () => {
  holdArguments({ tools: byName, open: openTalk, isWhole: true });
});

describe("the one tool that stands for them", () => {
  const open = async (): Promise<OpenDoor> => {
    const { call, ...talk } = await openTalk();
    const actionOf = (name: string) => findConversationTool(name)?.command;
    return { ...talk, call: (name, args) => call("conversation", { action: actionOf(name), ...args }) };
  };
  holdArguments({ tools: byName, open });
});
