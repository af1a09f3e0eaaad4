import type { BesideFile } from "@holdfast/core/conversation/import";
import { type ImportProblem, readLines, type SourceLine } from "@holdfast/core/conversation/import";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import type { Advancing } from "@holdfast/core/text";
import { objectOf, textOf } from "../lines/fields.js";
import { incompleteLines } from "./incomplete.js";

/** The rollout of a subagent of Codex. */
export interface CodexAgentFile {
  readonly name: string;
  readonly id: string;
  /** The thread that began it; undefined where the line that says so is lost. */
  readonly parentId: string | undefined;
  /** The session of which all of them are. */
  readonly rootId: string | undefined;
  /** It began with all that was said before it, which it repeats. */
  readonly isFork: boolean;
  /** Its name among the agents, such as `/root/first`. */
  readonly path: string | undefined;
  readonly nickname: string | undefined;
  readonly lines: readonly SourceLine[];
}

/** The thread that a rollout is of, and that which began it; undefined where no thread did. */
export function codexParentOf(
  meta: JsonObject,
): { readonly id: string; readonly parentId: string } | undefined {
  const id = textOf(meta, "id");
  const parentId = textOf(meta, "parent_thread_id") ?? textOf(spawnIn(meta), "parent_thread_id");
  return id === undefined || parentId === undefined ? undefined : { id, parentId };
}

function spawnIn(meta: JsonObject): JsonObject {
  const subagent = objectOf(objectOf(meta, "source") ?? {}, "subagent") ?? {};
  return objectOf(subagent, "thread_spawn") ?? {};
}

/** Those among the files that are rollouts of subagents; each id once. */
export function* agentFiles(
  beside: readonly BesideFile[],
): Advancing<{ readonly files: readonly CodexAgentFile[]; readonly problems: readonly ImportProblem[] }> {
  const files = new Map<string, CodexAgentFile>();
  const problems: ImportProblem[] = [];
  for (const { name, text } of beside) {
    const read = yield* readLines(text, { file: name });
    const named = namedIn(name);
    const headers = read.lines.filter(({ value }) => value.type === "session_meta");
    const metas = headers.map(({ value }) => objectOf(value, "payload")).filter((one) => one !== undefined);
    // A fork repeats the headers of those that it came from.
    const meta = named === undefined ? metas[0] : metas.find(({ id }) => id === named.id);
    const ids = meta === undefined ? named : codexParentOf(meta);
    if (ids === undefined || files.has(ids.id)) continue;
    const spawn = spawnIn(meta ?? {});
    const [path, nickname] = [textOf(spawn, "agent_path"), textOf(spawn, "agent_nickname")];
    const isFork =
      metas.some(({ id }) => id !== ids.id) || textOf(meta ?? {}, "forked_from_id") !== undefined;
    const rootId = meta && textOf(meta, "session_id");
    files.set(ids.id, { name, ...ids, rootId, isFork, path, nickname, lines: read.lines });
    for (const problem of read.problems) problems.push(problem);
    for (const problem of incompleteLines("codex", read.lines, name)) problems.push(problem);
  }
  return { files: [...files.values()], problems };
}

/** A rollout bears the id of its thread in its name. */
function namedIn(name: string): { readonly id: string; readonly parentId: undefined } | undefined {
  const [id] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\.jsonl$)/.exec(name) ?? [];
  return id === undefined ? undefined : { id, parentId: undefined };
}

/** What the task of a subagent is called. */
export function nameOf({ path, nickname, id }: CodexAgentFile): string {
  return `subagent ${path ?? nickname ?? id}`;
}

/** The records that a thread forked from this one repeats. */
export function inheritedIn(lines: readonly SourceLine[]): ReadonlySet<string> {
  const kept = lines.filter(({ value }) => value.type === "response_item" || value.type === "compacted");
  return new Set(kept.flatMap(({ value }) => keyOf(objectOf(value, "payload") ?? {})));
}

/** By what a record is known again: its id, or all of it. */
export function keyOf(payload: JsonObject): string {
  return textOf(payload, "id") ?? JSON.stringify(payload);
}

/** Which call began which subagent, by what the program notes and by what it answered the model. */
export class SpawnedAgents {
  private readonly callOfThread = new Map<string, string>();
  private readonly callOfPath = new Map<string, string>();

  callOf({ id, path }: CodexAgentFile): string | undefined {
    return this.callOfThread.get(id) ?? (path === undefined ? undefined : this.callOfPath.get(path));
  }

  addEvent(event: JsonObject): void {
    const item = objectOf(event, "item") ?? event;
    const begins = item.tool === "spawn_agent" || item.kind === "started";
    const isOld = event.type === "collab_agent_spawn_end";
    const callId = textOf(item, isOld ? "call_id" : "id");
    if (callId === undefined || !(begins || isOld)) return;
    const receivers = Array.isArray(item.receiver_thread_ids) ? item.receiver_thread_ids : [];
    this.add(callId, [...receivers, item.agent_thread_id, item.new_thread_id]);
  }

  addResult(callId: string, output: JsonValue | undefined): void {
    if (typeof output !== "string" || !output.startsWith("{")) return;
    const value = parsedObject(output);
    if (value === undefined) return;
    this.add(callId, [value.agent_id]);
    const path = textOf(value, "task_name");
    if (path !== undefined && !this.callOfPath.has(path)) this.callOfPath.set(path, callId);
  }

  private add(callId: string, threads: readonly (JsonValue | undefined)[]): void {
    for (const thread of threads)
      if (typeof thread === "string" && !this.callOfThread.has(thread)) this.callOfThread.set(thread, callId);
  }
}

function parsedObject(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
