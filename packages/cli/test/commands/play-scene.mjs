/**
 * Plays a session that has edited one file, deleted one and made one, in a folder and a state folder that are named, and
 * prints where it began (`sessions-files.test.ts` starts this file).
 */
import { randomBytes } from "node:crypto";
import { createConversation } from "@holdfast/core/conversation";
import { namesFrom, timeSortedIds } from "@holdfast/core/conversation/values";
import { openJournalStore, openWorkspace } from "@holdfast/core/node";
import { carryOut, followFiles } from "@holdfast/core/tools";

const [folder, stateDir, hashOfGone] = process.argv.slice(2);

function must(value) {
  if (value?.kind === "refusal") throw new Error(`${value.code}: ${value.message}`);
  return value;
}

const workspace = must(await openWorkspace({ roots: [folder], stateDir }));
const store = must(openJournalStore({ stateDir }));
const newId = timeSortedIds(Date.now, randomBytes);
const sources = { ids: newId, now: Date.now, naming: namesFrom(folder) };
const { manager, close } = must(await createConversation(store, sources));
async function does(name, args) {
  const callId = newId();
  manager.addNode({ kind: "tool_call", callId, name, args });
  const files = followFiles(manager, workspace, newId);
  const carried = must(await carryOut({ callId }, { manager, workspace, files }));
  if (carried.isError) throw new Error(carried.text);
}
manager.commitStagedItems("Tidy up.");
const { sessionId: session, currentNodeId: start } = manager.context;
await does("read_file", { file_path: "edited.txt" });
await does("edit_file", { file_path: "edited.txt", edits: [{ old_string: "two", new_string: "TWO" }] });
await does("read_file", { file_path: "gone.txt" });
await does("delete_file", { file_path: "gone.txt", base_content_sha256: hashOfGone });
await does("write_file", { file_path: "made.txt", content: "made\n" });
manager.commitStagedItems("Thanks.");
must(await close());
await store.close();
await workspace.close();
console.log(JSON.stringify({ session, start }));
