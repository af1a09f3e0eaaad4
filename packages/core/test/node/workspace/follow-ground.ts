import { randomBytes } from "node:crypto";
import {
  createConversation,
  openConversation,
  type StoredConversation,
} from "../../../src/conversation/index.js";
import { type JsonObject, namesFrom, timeSortedIds } from "../../../src/conversation/values/index.js";
import { isRefusal } from "../../../src/files/values/index.js";
import { type OpenedWorkspace, openJournalStore, openWorkspace } from "../../../src/node/index.js";
import { type Carried, carryOut, followFiles, runConversationTool } from "../../../src/tools/index.js";
import { must as mustTurn } from "../../conversation/support.js";
import { must } from "../support.js";
import type { Place } from "./restore-ground.js";

/** A session as a host keeps it: a conversation of the journal, and its workspace. */
export interface Host {
  readonly place: Place;
  readonly conversation: StoredConversation;
  readonly workspace: OpenedWorkspace;
  /** Ids of nodes and restores. */
  readonly newId: () => string;
  close(): Promise<void>;
}

/** Opens a place as a host does; without a session a conversation is begun. */
export async function openHost(place: Place, session?: string): Promise<Host> {
  const workspace = must(await openWorkspace({ roots: [place.root], stateDir: place.stateDir }));
  const store = mustTurn(openJournalStore({ stateDir: place.stateDir }));
  const newId = timeSortedIds(() => Date.now(), randomBytes);
  const sources = { ids: newId, now: () => Date.now(), naming: namesFrom(place.root) };
  const conversation = mustTurn(
    session === undefined
      ? await createConversation(store, sources)
      : await openConversation(store, session, "write", { ...sources, files: workspace }),
  );
  const close = async () => {
    mustTurn(await conversation.close());
    await store.close();
    await workspace.close();
  };
  return { place, conversation, workspace, newId, close };
}

/** The model calls a tool, and it is carried out. */
export async function does(host: Host, name: string, args: JsonObject): Promise<Carried> {
  const { conversation, workspace, newId } = host;
  const { manager } = conversation;
  const callId = newId();
  mustTurn(manager.addNode({ kind: "tool_call", callId, name, args }));
  const files = followFiles(manager, workspace, newId);
  const carried = await carryOut({ callId }, { manager, workspace, files });
  if (isRefusal(carried)) throw new Error(`${carried.code}: ${carried.message}`);
  return carried;
}

/** A person gives the command of a tool. */
export async function commands(host: Host, name: string, args: JsonObject) {
  const { conversation, workspace, newId } = host;
  const { manager } = conversation;
  return runConversationTool(name, args, { manager, files: followFiles(manager, workspace, newId) });
}

export const writes = (host: Host, path: string, content: string) =>
  does(host, "write_file", { file_path: path, content });

export const edits = (host: Host, path: string, from: string, to: string) =>
  does(host, "edit_file", { file_path: path, edits: [{ old_string: from, new_string: to }] });

export const reads = (host: Host, path: string) => does(host, "read_file", { file_path: path });

export function headOf({ conversation }: Host): string {
  return conversation.manager.context.currentNodeId;
}
