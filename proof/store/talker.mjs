/**
 * Goes on with a session until it is killed: calls, alone and in batches, whose results are not always flushed; users
 * who speak while a tool runs; tasks, rewinds and restores; and beside it a shell and another session that write into
 * the same folder. Each text says who wrote it. Arguments: root, state folder, session, seed.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listTasks } from "@holdfast/core/conversation";
import { currentBase, isRefusal } from "@holdfast/core/files/values";
import { openWorkspace } from "@holdfast/core/node";
import { carryOut, followFiles, runConversationTool } from "@holdfast/core/tools";
import { hold, paths, randomFrom } from "./files-talk.mjs";

const [root = "", stateDir = "", session = "", seed = "0"] = process.argv.slice(2);
const random = randomFrom(Number(seed));
/** @template Item @param {readonly Item[]} items @returns {Item} */
const pick = (items) => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
};

const held = await hold({ root, stateDir }, session);
const { manager, workspace, newId } = held;
const other = await openWorkspace({ roots: [root], stateDir });
if (isRefusal(other)) throw new Error(other.message);
const host = { manager, workspace, files: followFiles(manager, workspace, newId) };
let count = 0;
/** @param {string} who */
function text(who) {
  count += 1;
  return `${who} ${seed}.${count}
`;
}

/** The state that a change names: what stands there now. @param {string} path */
function baseOf(path) {
  try {
    return {
      base_content_sha256: createHash("sha256")
        .update(readFileSync(join(root, path)))
        .digest("hex"),
    };
  } catch {
    return {};
  }
}

async function readsAll() {
  const step = newId();
  const calls = paths.map((path) => {
    const callId = newId();
    manager.addNode({ kind: "tool_call", callId, name: "read_file", args: { file_path: path }, step });
    return callId;
  });
  await Promise.all(calls.map((callId) => carryOut({ callId }, host)));
}

/** @param {string} [step] @returns {string} */
function call(step) {
  const callId = newId();
  const path = pick(paths);
  const base = random() < 0.9 ? baseOf(path) : {};
  const args = { file_path: path, content: text("ours"), ...base };
  const [name, given] =
    random() < 0.15
      ? ["delete_file", { file_path: path, ...base }]
      : random() < 0.3
        ? ["read_file", { file_path: path }]
        : ["write_file", args];
  manager.addNode({
    kind: "tool_call",
    callId,
    name: String(name),
    args: Object(given),
    ...(step === undefined ? {} : { step }),
  });
  return callId;
}

/** A tool of ours that is certain to write: it holds no state of the file. @param {string} callId */
async function writesBlindly(callId) {
  const node = manager.getCurrentNode();
  const caller = { conversation: manager.context.sessionId, call: node.id };
  const path = pick(paths);
  if (random() < 0.2) await workspace.delete({ path, base: currentBase, hashless: true }, { caller });
  else await workspace.write({ path, content: text("ours"), base: currentBase }, { caller });
  return callId;
}

/** @type {readonly (() => Promise<unknown>)[]} */
const steps = [
  async () => manager.commitStagedItems("go on"),
  readsAll,
  readsAll,
  async () => carryOut({ callId: call() }, host),
  async () => carryOut({ callId: call() }, host),
  async () => {
    const step = newId();
    const calls = [call(step), call(step), call(step)];
    await Promise.all(calls.map((callId) => carryOut({ callId }, host)));
  },
  async () => {
    const running = carryOut({ callId: call() }, host);
    manager.commitStagedItems("stop!");
    await running;
  },
  // A result that never comes.
  async () => writesBlindly(call()),
  async () => {
    await writesBlindly(call());
    manager.commitStagedItems("never mind");
  },
  async () => writeFileSync(join(root, pick(paths)), text("shell")),
  async () => other.write({ path: pick(paths), content: text("other"), base: currentBase }),
  async () => command("task_start", { name: `task ${count}` }),
  async () => command("task_complete", { summary: "done" }),
  async () => command("task_pop", {}),
  async () => command("task_restart", { hint: "again" }),
  async () => command("task_cancel", {}),
  async () =>
    command("task_resume", {
      task_id: pick([session, ...listTasks(manager.context).tasks.map(({ id }) => id)]),
    }),
  async () => command("rewind", { turn_id: pick([...manager.context.nodes.keys()]) }),
  async () =>
    runConversationTool(
      "restore_files",
      { turn_id: pick([...manager.context.nodes.keys()]), conflicts: "leave" },
      host,
    ),
];

/** @param {string} name @param {Record<string, unknown>} args */
async function command(name, args) {
  const files = pick([{}, { files: "restore" }, { files: "restore", conflicts: "leave" }]);
  return runConversationTool(name, { ...args, ...files }, host);
}

process.stdout.write("ready\n");
for (;;) {
  await pick(steps)();
  if (random() < 0.3) await manager.flush();
  await new Promise((resolve) => setImmediate(resolve));
}
