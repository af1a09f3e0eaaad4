import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ContextManager,
  createConversation,
  memorySessionStore,
  openConversation,
} from "@holdfast/core/conversation";
import { timeSortedIds } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { openJournalStore, openWorkspace } from "@holdfast/core/node";
import { applyDiff } from "@holdfast/core/patch";
import { openProject, sha256 } from "../ground.mjs";

/** Refusals that only a program that embeds the library can be given. @type {import("../run.mjs").Scene["default"]} */
export default async function library(ground) {
  /** @type {string[]} */
  const said = [];
  /** @param {string} what @param {unknown} answer */
  const tell = (what, answer) => void said.push(`> ${what}`, JSON.stringify(answer, withoutTheRest));
  await files(ground, tell);
  nodes(tell);
  await stores(ground, tell);
  return { "library.txt": `${said.join("\n")}\n` };
}

/** @typedef {(what: string, answer: unknown) => void} Tell */

/** Of an answer the refusal, or its kind. @param {string} key @param {any} value */
function withoutTheRest(key, value) {
  if (key !== "" || typeof value !== "object" || value === null) return value;
  const { kind, code, message } = value;
  return { kind, code, message };
}

/** @param {import("../run.mjs").Ground} ground @param {Tell} tell */
async function files(ground, tell) {
  const project = openProject(ground);
  project.put("a.txt", "one\n");
  const workspace = await openWorkspace({ roots: [project.root], stateDir: join(ground.folder, "state") });
  if (workspace.kind === "refusal") throw new Error(workspace.message);
  const base = sha256("one\n");
  const write = { kind: /** @type {const} */ ("write"), path: "a.txt", content: "two\n", base };
  await workspace.read({ path: "a.txt" });
  tell("a write that nobody wants any more", await workspace.write(write, { signal: AbortSignal.abort() }));
  const preview = await workspace.preview(write);
  tell("the preview of a write", preview);
  if (preview.kind !== "preview") throw new Error("no preview");
  const agreed = preview.files.map((file) => file.agreed);
  const other = { ...write, content: "three\n" };
  tell("another write than a person agreed to", await workspace.write(other, { agreed }));
  tell("the write that a person agreed to", await workspace.write(write, { agreed }));
  tell(
    "a diff without any time",
    applyDiff({ base: "one\n".repeat(50_000), diff: "@@\n-one\n+two\n", limitMs: -1 }),
  );
  await workspace.close();
}

/** @param {Tell} tell */
function nodes(tell) {
  const { manager, user, call } = openManager();
  tell("staging that is not there", manager.discardStaging(["none"]));
  const first = user("first");
  tell("a prompt that is hidden twice", manager.overlay(first, { form: "hidden" }));
  tell("again", manager.overlay(first, { form: "hidden" }));
  tell(
    "a summary that begins nowhere",
    manager.addSummary({ kind: "summary", of: "compaction", text: "s", keepFromId: "none" }),
  );
  call("c1");
  tell("a task while a call is open", manager.startTask({ name: "t" }));
  tell("a call with the same id", manager.addNode({ kind: "tool_call", callId: "c1", name: "x", args: {} }));
  const result = manager.addNode({ kind: "tool_result", callId: "c1", name: "x", output: "o" });
  tell("a result of no call", manager.addNode({ kind: "tool_result", callId: "c2", name: "x", output: "o" }));
  tell("metadata that nobody declared", manager.setMetadata(first, { custom: { "x/y": 1 } }));
  const cleared = {
    targetId: "id" in result ? result.id : "",
    form: /** @type {const} */ ({ form: "replaced", by: "cleared", text: "[cleared]" }),
  };
  const second = user("second");
  manager.rewind(first);
  tell("a form of a node of another branch", manager.reform([cleared]));
  tell("prune", manager.prune(second));
  tell("a rewind to what is pruned", manager.rewind(second));
  tell("a payload that is none", manager.addNode(/** @type {any} */ ({ kind: "user_message", text: 1 })));
  const task = manager.startTask({ name: "t" });
  const [id] = "id" in task ? [task.id] : [""];
  manager.completeTask({ summary: "s" });
  tell("a task that is complete", manager.resumeTask(id));
  tell("a restore", manager.beginRestore({ restoreId: "r", fromId: first, toId: first, files: [] }));
  tell("a second restore", manager.beginRestore({ restoreId: "r2", fromId: first, toId: first, files: [] }));
}

/** @param {import("../run.mjs").Ground} ground @param {Tell} tell */
async function stores({ folder }, tell) {
  const sources = openSources();
  /** @type {NonNullable<Parameters<typeof memorySessionStore>[0]>["refusal"]} */
  let refusal;
  const store = memorySessionStore({ refusal: () => refusal?.() });
  for (const code of /** @type {const} */ (["disk_full", "permission_denied", "store_failed"])) {
    refusal = () => ({ kind: "refusal", code, message: `The store says ${code}.` });
    tell(`a store that says ${code}`, await createConversation(store, sources));
  }
  refusal = undefined;
  const opened = await createConversation(store, sources);
  if (isRefusal(opened)) throw new Error(opened.message);
  const { id } = opened.session;
  tell("a session that is open", await openConversation(store, id, "write", sources));
  tell(
    "a session that there is none of",
    await openConversation(store, `${id.slice(0, -1)}1`, "read", sources),
  );
  const journals = openJournalStore({ stateDir: join(folder, "state") });
  if (isRefusal(journals)) throw new Error(journals.message);
  const kept = await createConversation(journals, sources);
  if (isRefusal(kept)) throw new Error(kept.message);
  await kept.close();
  const file = join(folder, "state", "conversations", `${kept.session.id}.jsonl`);
  writeFileSync(file, "none\n");
  tell(
    "a journal of which nothing can be read",
    await openConversation(journals, kept.session.id, "write", sources),
  );
  await journals.close();
}

function openSources() {
  let clock = Date.UTC(2026, 2, 2);
  const now = () => {
    clock += 1_000;
    return clock;
  };
  return { ids: timeSortedIds(now, (bytes) => new Uint8Array(bytes)), now };
}

function openManager() {
  const manager = new ContextManager(openSources());
  const user = (/** @type {string} */ text) => {
    const node = manager.commitStagedItems(text);
    if (!("id" in node)) throw new Error(node.message);
    return node.id;
  };
  const call = (/** @type {string} */ callId) =>
    manager.addNode({ kind: "tool_call", callId, name: "x", args: {} });
  return { manager, user, call };
}
