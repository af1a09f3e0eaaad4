import type { ContextManagement, FormChange, LostNode, TurnPayload } from "./payload.js";

/** Every text of a payload that a person may look for, the one that says most first. */
export function textsOf(payload: TurnPayload): readonly string[] {
  switch (payload.kind) {
    case "user_message":
    case "note":
      return [payload.text];
    case "summary":
      return [payload.text];
    case "model_message":
      return [payload.text, payload.thought ?? ""];
    case "tool_call":
      return [payload.name, ...stringsIn(payload.args)];
    case "tool_result":
      return [payload.output, payload.name];
    case "file_content":
      return [payload.text, payload.path];
    case "context_management":
      return managed(payload);
    case "task_boundary":
      return [payload.name, payload.goal ?? "", payload.hint ?? ""];
    case "task_summary":
      return [payload.summary, payload.name, ...payload.files.map(({ path }) => path)];
    case "restore":
      return payload.files.map(({ path }) => path);
    case "lost":
      return [lostWords(payload)];
    case "unknown":
      return stringsIn(payload.data);
    default:
      return payload satisfies never;
  }
}

/** One line by which a node is recognised in lists and trees; at most about `most` characters. */
export function excerptOf(payload: TurnPayload, most = 80): string {
  const words = fullExcerpt(payload).replace(/\s+/g, " ").trim();
  const points = [...words.slice(0, most * 4)];
  return points.length <= most ? words : `${points.slice(0, most - 1).join("")}…`;
}

function fullExcerpt(payload: TurnPayload): string {
  switch (payload.kind) {
    case "model_message":
      return payload.text === "" ? (payload.thought ?? "") : payload.text;
    case "tool_call":
      return `${payload.name} ${stringsIn(payload.args).join(" ")}`;
    case "tool_result":
      return payload.output === "" ? payload.name : payload.output.slice(0, 1_000);
    case "file_content":
      return `${payload.path} lines ${payload.lines.from}-${payload.lines.to} of ${payload.lines.total}`;
    case "context_management":
      return managementExcerpt(payload);
    case "task_boundary":
      return payload.name === "" ? (payload.goal ?? "") : payload.name;
    case "restore":
      return payload.files.map(({ path }) => path).join(", ");
    case "unknown":
      return payload.type;
    default:
      return textsOf(payload)[0] ?? "";
  }
}

/** Whether a node stands in the place of one whose record is lost. */
export function isPlaceholder(payload: TurnPayload): boolean {
  return payload.kind === "lost" || (payload.kind === "task_boundary" && payload.lost !== undefined);
}

/** For a person: which records are lost. */
export function lostWords({ records: { from, to } }: LostNode): string {
  if (from === 0) return "lost: what stood here was in no record that is there";
  return from === to ? `lost: record ${from}` : `lost: one of the records ${from} to ${to}`;
}

/** The forms that a node gives to earlier ones, in their order. */
export function formChangesOf(payload: TurnPayload): readonly FormChange[] {
  if (payload.kind !== "context_management") return [];
  return payload.action === "overlay" ? [payload] : payload.action === "reform" ? payload.changes : [];
}

function managed(payload: ContextManagement): readonly string[] {
  return "path" in payload ? [payload.path] : formChangesOf(payload).map(({ targetId }) => targetId);
}

function managementExcerpt(payload: ContextManagement): string {
  const [first = "", ...others] = managed(payload);
  switch (payload.action) {
    case "overlay":
      return `${payload.form.form} ${first}`;
    case "reform":
      return others.length === 0 ? `reform ${first}` : `reform ${first} and ${others.length} more`;
    case "track_file":
    case "untrack_file":
      return `${payload.action.replace("_file", "")} ${first}`;
    default:
      return payload satisfies never;
  }
}

/** All strings in a JSON value, in their order. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
