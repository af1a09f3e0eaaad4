import { readFileSync } from "node:fs";
import {
  type ImportedSession,
  type ImportOptions,
  type JournalRecord,
  type Replayed,
  replay,
  type TurnNode,
} from "../../../packages/core/src/conversation/index.js";
import { isRefusal } from "../../../packages/core/src/files/index.js";
import { readSessionFile } from "../src/index.js";

/** A session that a real program wrote; see `imports/README.md`. */
export function sessionOf(name: string): string {
  return readFileSync(new URL(`imports/${name}`, import.meta.url), "utf8");
}

export function importedText(text: string, options: Partial<ImportOptions> = {}): ImportedSession {
  let count = 0;
  const newId = () => {
    count += 1;
    return `n${String(count).padStart(4, "0")}`;
  };
  const session = readSessionFile(text, { from: "file", newId, now: 5_000, ...options });
  if (isRefusal(session)) throw new Error(session.message);
  return session;
}

export function importedLines(lines: readonly (object | string)[]): ImportedSession {
  return importedText(
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );
}

export function folded({ sessionId, events }: ImportedSession): Replayed {
  const records = events.map(({ ts, event }, at): JournalRecord => ({ v: 1, seq: at + 1, ts, event }));
  return replay(sessionId, records);
}

/** Every node, in the order of the tree. */
export function nodesOf(session: ImportedSession): readonly TurnNode[] {
  return [...folded(session).context.nodes.values()];
}

/** The tree: one line a node, deeper where a node is not an only child; the root and what was folded are left out. */
export function outlineOf(session: ImportedSession): readonly string[] {
  const { context, problems } = folded(session);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const lines: string[] = [];
  const visit = (id: string, level: number) => {
    const node = context.nodes.get(id);
    if (node === undefined) throw new Error("a child is missing");
    const head = context.currentNodeId === id ? " <" : "";
    const told = tell(node);
    if (!told.startsWith("person Not in the tree:")) lines.push(`${"  ".repeat(level)}${told}${head}`);
    for (const child of node.childIds) visit(child, level + (node.childIds.length > 1 ? 1 : 0));
  };
  visit(context.rootNode.id, 0);
  return lines.slice(1);
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
