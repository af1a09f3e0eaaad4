import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { ImportedSession, ImportOptions } from "../../../packages/core/src/conversation/import/index.js";
import { type Replayed, replay } from "../../../packages/core/src/conversation/journal/index.js";
import type { JournalRecord, TurnNode } from "../../../packages/core/src/conversation/values/index.js";
import { isRefusal } from "../../../packages/core/src/files/values/index.js";
import { readSessionFile } from "../src/index.js";

/** Ids in the order in which they are asked for. */
export function countingIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `n${String(count).padStart(4, "0")}`;
  };
}

export function read(lines: readonly (object | string)[], options: Partial<ImportOptions> = {}) {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  return readSessionFile(text, { from: "file.jsonl", newId: countingIds(), now: 5_000, ...options });
}

export function imported(lines: readonly (object | string)[], options: Partial<ImportOptions> = {}) {
  const session = read(lines, options);
  if (isRefusal(session)) throw new Error(session.message);
  return session;
}

export function folded({ sessionId, events }: ImportedSession): Replayed {
  const records = events.map(({ ts, event }, at): JournalRecord => ({ v: 1, seq: at + 1, ts, event }));
  return replay(sessionId, records);
}

/** The tree as an outline: one line a node, deeper where a node is not an only child. */
export function outline(session: ImportedSession, tell = told): readonly string[] {
  const { context, problems } = folded(session);
  expect(problems).toEqual([]);
  const lines: string[] = [];
  const visit = (id: string, level: number) => {
    const node = context.nodes.get(id);
    if (node === undefined) throw new Error("a child is missing");
    const head = context.currentNodeId === id ? " <" : "";
    lines.push(`${"  ".repeat(level)}${tell(node)}${head}`);
    for (const child of node.childIds) visit(child, level + (node.childIds.length > 1 ? 1 : 0));
  };
  visit(context.rootNode.id, 0);
  return lines;
}

function told({ payload, metadata }: TurnNode): string {
  const label = metadata.label === undefined ? "" : ` [${metadata.label}]`;
  switch (payload.kind) {
    case "user_message":
      return `user ${payload.text}${label}`;
    case "model_message":
      return `model ${payload.thought === undefined ? "" : `(${payload.thought}) `}${payload.text}${label}`;
    case "tool_call":
      return `call ${payload.callId} ${payload.name}${label}`;
    case "tool_result":
      return `result ${payload.callId} ${payload.name} ${payload.output}${label}`;
    case "note":
      return `note for ${payload.audience}: ${payload.text}`;
    case "summary":
      return `summary of ${payload.of}: ${payload.text}`;
    case "unknown":
      return `unknown ${payload.type}`;
    case "task_boundary":
      return `task ${payload.name}`;
    default:
      return payload.kind;
  }
}

export const piHeader = {
  type: "session",
  version: 3,
  id: "p-1",
  timestamp: "2026-01-02T03:04:05.000Z",
  cwd: "/srv/app",
};
export const at = (id: string, parentId: string | null) => ({
  id,
  parentId,
  timestamp: "2026-01-02T03:04:06.000Z",
});
export const piUser = (id: string, parentId: string | null, text: string) => ({
  type: "message",
  ...at(id, parentId),
  message: { role: "user", content: [{ type: "text", text }] },
});
export const piAnswer = (id: string, parentId: string | null, ...content: object[]) => ({
  type: "message",
  ...at(id, parentId),
  message: {
    role: "assistant",
    content,
    provider: "anthropic",
    model: "m-1",
    usage: { input: 3, output: 4, cacheRead: 5, cacheWrite: 6 },
  },
});
export const piCall = (id: string, name: string) => ({
  type: "toolCall",
  id,
  name,
  arguments: { path: "a.txt" },
});
export const piResult = (id: string, parentId: string | null, call: string, text: string) => ({
  type: "message",
  ...at(id, parentId),
  message: {
    role: "toolResult",
    toolCallId: call,
    toolName: "read",
    content: [{ type: "text", text }],
    isError: false,
  },
});

export const line = (
  uuid: string,
  parentUuid: string | null,
  type: string,
  message: object,
  more: object = {},
) => ({
  type,
  uuid,
  parentUuid,
  isSidechain: false,
  sessionId: "s",
  cwd: "/srv/app",
  timestamp: "2026-01-02T03:04:06.000Z",
  message,
  ...more,
});
export const said = (uuid: string, parent: string | null, content: unknown, more: object = {}) =>
  line(uuid, parent, "user", { role: "user", content }, more);
export const answered = (
  uuid: string,
  parent: string | null,
  step: string,
  block: object,
  more: object = {},
) =>
  line(
    uuid,
    parent,
    "assistant",
    {
      id: step,
      role: "assistant",
      model: "claude-x",
      content: [block],
      usage: { input_tokens: 1, output_tokens: 2 },
    },
    more,
  );
export const use = (id: string, name = "Read") => ({ type: "tool_use", id, name, input: { file_path: "a" } });
export const result = (id: string, text: string) => [{ type: "tool_result", tool_use_id: id, content: text }];

/** A session that a real program wrote; see `imports/README.md`. */
export function sessionOf(name: string): string {
  return readFileSync(new URL(`imports/${name}`, import.meta.url), "utf8");
}

export function importedText(text: string, options: Partial<ImportOptions> = {}): ImportedSession {
  const session = readSessionFile(text, { from: "file.jsonl", newId: countingIds(), now: 5_000, ...options });
  if (isRefusal(session)) throw new Error(session.message);
  return session;
}

export function importedLines(lines: readonly (object | string)[]): ImportedSession {
  return importedText(
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );
}

/** Every node, in the order of the tree. */
export function nodesOf(session: ImportedSession): readonly TurnNode[] {
  return [...folded(session).context.nodes.values()];
}

/** The tree: one line a node, deeper where a node is not an only child; the root and what was folded are left out. */
export function outlineOf(session: ImportedSession): readonly string[] {
  return outline(session, tell)
    .filter((line) => !line.trim().startsWith("person Not in the tree:"))
    .slice(1);
}

function tell({ payload }: TurnNode): string {
  switch (payload.kind) {
    case "user_message":
      return `user ${firstLine(payload.text)}${media(payload.media)}`;
    case "model_message":
      return `model ${payload.thought === undefined ? "" : `(${payload.thought}) `}${payload.text}`;
    case "tool_call":
      return `call ${payload.name} ${JSON.stringify(payload.args)}`;
    case "tool_result":
      return `result ${payload.name}${payload.isError === true ? " error" : ""} ${firstLine(payload.output)}${media(payload.media)}`;
    case "note":
      return `${payload.audience} ${firstLine(payload.text)}`;
    case "summary":
      return `summary ${payload.text.split("\n").at(-1)}`;
    case "task_boundary":
      return `task ${payload.name}`;
    case "unknown":
      return `unknown ${payload.type}`;
    default:
      return payload.kind;
  }
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}

function media(list: readonly object[] | undefined): string {
  return list === undefined ? "" : ` +${list.length}`;
}
