import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  createConversation,
  openConversation,
  type StoredConversation,
} from "../../../src/conversation/index.js";
import { type FileEffect, type SessionStore, timeSortedIds } from "../../../src/conversation/values/index.js";
import { currentBase, type FileChange } from "../../../src/files/values/index.js";
import { type OpenedWorkspace, openJournalStore, openWorkspace } from "../../../src/node/index.js";
import { must as mustTurn } from "../../conversation/support.js";
import { freshFolder, must } from "../support.js";

/** A folder of files and a state folder with a conversation about them, both on a real disk. */
export interface Place {
  readonly root: string;
  readonly stateDir: string;
}

/** The same opened, with the lease on the conversation. */
export interface Opened extends Place {
  readonly workspace: OpenedWorkspace;
  readonly store: SessionStore;
  readonly conversation: StoredConversation;
  close(): Promise<void>;
}

export function newPlace(files: Readonly<Record<string, string>>): Place {
  const top = realpathSync(freshFolder("holdfast-restore-"));
  const place = { root: join(top, "root"), stateDir: join(top, "state") };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.root, path)), { recursive: true });
    writeFileSync(join(place.root, path), text);
  }
  return place;
}

export function copyOf({ root, stateDir }: Place): Place {
  const top = realpathSync(freshFolder("holdfast-restore-"));
  const place = { root: join(top, "root"), stateDir: join(top, "state") };
  cpSync(root, place.root, { recursive: true });
  cpSync(stateDir, place.stateDir, { recursive: true, verbatimSymlinks: true });
  return place;
}

/** Opens a place; without a session a conversation is begun. */
export async function open(place: Place, session?: string): Promise<Opened> {
  const workspace = must(
    await openWorkspace({
      roots: [place.root],
      stateDir: place.stateDir,
      guards: { wholeReplacement: "hash" },
    }),
  );
  const store = mustTurn(openJournalStore({ stateDir: place.stateDir }));
  const sources = { ids: timeSortedIds(() => Date.now(), randomBytes), now: () => Date.now() };
  const conversation = mustTurn(
    session === undefined
      ? await createConversation(store, sources)
      : await openConversation(store, session, "write", sources),
  );
  const close = async () => {
    mustTurn(await conversation.close());
    await store.close();
    await workspace.close();
  };
  return { ...place, workspace, store, conversation, close };
}

/** A tool of ours writes a file, or with `null` deletes it; the conversation records it. */
export async function write(opened: Opened, path: string, text: string | null): Promise<void> {
  const bytes = new Uint8Array(Buffer.from(text ?? ""));
  const content = text === null ? ({ kind: "delete" } as const) : ({ kind: "text", text: bytes } as const);
  const changes: readonly FileChange[] = [{ path, base: currentBase, content }];
  const outcome = (await opened.workspace.applyChanges({ changes })).files[0]?.outcome;
  if (outcome?.code !== "applied" || outcome.replaced === undefined) throw new Error(outcome?.message);
  record(opened, { path, before: outcome.replaced, after: outcome.state?.sha256 ?? null, by: "tool" });
}

/** The model reads a file. */
export async function look(opened: Opened, path: string): Promise<void> {
  const read = await opened.workspace.read({ path });
  if (read.kind === "refusal") throw new Error(read.message);
  record(opened, { path, after: read.state.sha256, by: "seen" });
}

function record({ conversation: { manager } }: Opened, file: FileEffect): void {
  const callId = manager.context.currentNodeId;
  mustTurn(manager.addNode({ kind: "tool_call", callId, name: "t", args: {} }));
  mustTurn(manager.addNode({ kind: "tool_result", callId, name: "t", output: "", files: [file] }));
}

/** Every file below a folder with its text. */
export function treeOf(folder: string, below = ""): Record<string, string> {
  const tree: Record<string, string> = {};
  if (!existsSync(folder)) return tree;
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((one, other) =>
    one.name < other.name ? -1 : 1,
  )) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) Object.assign(tree, treeOf(path, `${below}${entry.name}/`));
    else tree[below + entry.name] = readFileSync(path, "utf8");
  }
  return tree;
}
