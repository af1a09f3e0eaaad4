import type { ReadOutcome } from "../../files/values/index.js";
import type { ContextManager } from "../tree/manager.js";
import { openCalls } from "../tree/path.js";
import { fileContentOf } from "../values/file-content.js";
import type { FileContent, TurnPayload } from "../values/payload.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";

/** What the refresh of tracked files needs of its host. */
interface RefreshTracked {
  readonly manager: ContextManager;
  /** The workspace's read: it hands out version and hash, and the session's ledger learns of it. */
  readonly read: (request: { readonly path: string }) => Promise<ReadOutcome>;
  /** Whether these lines stand in the prompt as it would be now; without it, what was shown counts as seen. */
  readonly isVisible?: (shown: {
    readonly path: string;
    readonly sha256: string;
    readonly from: number;
    readonly to: number;
  }) => boolean;
  /** The file as it is put before the model, such as without what the prompt shows already; as it was read unless given. */
  readonly asShown?: (payload: FileContent) => FileContent;
  /** `staging` before the user's message is committed, `branch` between the steps of a turn. */
  readonly into: "staging" | "branch";
}

/** What became of each tracked file that is not as the model knows it. */
interface Refreshed {
  readonly kind: "refreshed";
  readonly files: readonly {
    readonly path: string;
    readonly state: "shown" | "gone" | "unreadable";
    readonly message?: string;
  }[];
}

/**
 * Looks at the tracked files before a request, and puts the newest state of those that have changed, or are
 * no longer before the model, at the end: an ambient file need not be read by a call (seed 4).
 */
export async function refreshTrackedFiles(request: RefreshTracked): Promise<Refreshed | ConversationRefusal> {
  const { manager, read, into } = request;
  if (into === "branch" && openCalls(manager.context, manager.context.currentNodeId).length > 0)
    return refuse("open_calls", "Calls are waiting for their results; tracked files come after them.");
  const { context } = manager;
  const manifest = manager.manifests.at(context, context.currentNodeId);
  const files: Refreshed["files"][number][] = [];
  for (const path of manager.trackedFiles()) {
    if (context.stagingArea.some(({ payload }) => isStateOf(payload, path))) continue;
    const found = await read({ path });
    const known = manifest.get(manager.manifests.naming(path));
    const news = found.kind === "read" ? stateNews(found, path, known, request) : absence(found, path, known);
    if (news === undefined) continue;
    files.push(news.file);
    if (news.payload === undefined) continue;
    const added = into === "staging" ? manager.addToStagingArea(news.payload) : manager.addNode(news.payload);
    if (isRefusal(added)) return added;
  }
  return { kind: "refreshed", files };
}

interface News {
  /** Absent where only the host is told. */
  readonly payload?: TurnPayload;
  readonly file: Refreshed["files"][number];
}

function isStateOf(payload: TurnPayload, path: string): boolean {
  return payload.kind === "file_content" && payload.path === path;
}

function stateNews(
  found: Extract<ReadOutcome, { kind: "read" }>,
  path: string,
  known: string | null | undefined,
  { isVisible, asShown = (payload) => payload }: RefreshTracked,
): News | undefined {
  const { sha256, facts, lines } = found.state;
  const total = facts?.totalLines ?? 0;
  const { from, to } = lines ?? { from: 1, to: total };
  const seen = isVisible === undefined || total === 0 || isVisible({ path, sha256, from, to });
  if (known === sha256 && seen) return undefined;
  const payload = asShown(fileContentOf(found, { form: "tracked", path }));
  return { payload, file: { path, state: "shown" } };
}

/** Told to the model once: as long as it knows of a state that is there no more. */
function absence(
  refusal: Exclude<ReadOutcome, { kind: "read" }>,
  path: string,
  known: string | null | undefined,
): News | undefined {
  const { message } = refusal;
  if (refusal.code !== "file_missing") return { file: { path, state: "unreadable", message } };
  if (known === null) return undefined;
  const text = `The tracked file ${path} is not there any more.`;
  const files = [{ path, after: null, by: "seen" }] as const;
  return {
    payload: { kind: "note", text, audience: "model", files },
    file: { path, state: "gone", message },
  };
}
