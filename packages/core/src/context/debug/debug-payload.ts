import {
  type ContextManagement,
  type ConversationContext,
  type FileContent,
  lostWords,
  type OverlayForm,
  type TurnNode,
  type TurnPayload,
  taskState,
} from "../../conversation/index.js";
import { shortHash } from "../../text/index.js";
import type { Wording } from "./debug-text.js";

/** One line on what a node is and says. */
export function describePayload(payload: TurnPayload, wording: Wording): string {
  const { name, quote, excerpt } = wording;
  switch (payload.kind) {
    case "user_message":
      return `user: ${excerpt(payload.text)}${media(payload.media?.length ?? 0)}`;
    case "model_message":
      return `model: ${excerpt(payload.text === "" ? (payload.thought ?? "") : payload.text)}${thought(payload)}${media(payload.media?.length ?? 0)}`;
    case "tool_call":
      return `call ${name(payload.callId)}: ${name(payload.name)} ${excerpt(JSON.stringify(payload.args))}`;
    case "tool_result":
      return `${payload.isError === true ? "error" : "result"} ${name(payload.callId)}: ${excerpt(payload.output)}${media(payload.media?.length ?? 0)}`;
    case "file_content":
      return fileLine(payload, wording);
    case "context_management":
      return managementLine(payload, wording);
    case "task_boundary":
      return `${payload.lost === undefined ? "" : "lost "}task ${quote(payload.name)} (${payload.transformation.kind})${goal(payload.goal, excerpt)}`;
    case "task_summary":
      return `task summary ${quote(payload.name)}, ${counted(payload.files.length)}: ${excerpt(payload.summary)}`;
    case "summary":
      return `${payload.of === "branch" ? "branch summary" : "compaction"}: ${excerpt(payload.text)}`;
    case "restore":
      return `restore ${counted(payload.files.length)}: ${name(payload.fromId)} → ${name(payload.toId)}`;
    case "note":
      return `note for the ${payload.audience}: ${excerpt(payload.text)}`;
    case "lost":
      return lostWords(payload);
    case "unknown":
      return `unknown kind ${name(payload.type)}: ${excerpt(JSON.stringify(payload.data))}`;
    default:
      return payload satisfies never;
  }
}

/**
 * What is special about a node: the state of a task, what is not shown to a model, its label.
 *
 * @param active as `activeTasks` has them, so that nobody climbs for each node.
 */
export function marksOf(
  { id, depth, payload, metadata }: TurnNode,
  context: ConversationContext,
  active: ReadonlySet<string>,
  { quote }: Wording,
): readonly string[] {
  const task = payload.kind === "task_boundary" && depth > 0 ? context.tasks.get(id) : undefined;
  const marks = [
    ...(task === undefined ? [] : [taskState(context, task, active)]),
    ...(metadata.isHiddenFromLlm === true ? ["hidden"] : []),
    ...(context.pruned.has(id) ? ["pruned"] : []),
    ...(metadata.label === undefined ? [] : [`label ${quote(metadata.label)}`]),
  ];
  return marks.length === 0 ? [] : [`[${marks.join(", ")}]`];
}

function media(count: number): string {
  return count === 0 ? "" : ` (+${count} media)`;
}

function thought({ thought, redactedThought }: Extract<TurnPayload, { kind: "model_message" }>): string {
  return thought === undefined && redactedThought === undefined ? "" : " (with thought)";
}

function fileLine({ path, version, sha256, lines, form }: FileContent, { name }: Wording): string {
  return `file ${name(path)} v${version} ${name(shortHash(sha256))} lines ${lines.from}-${lines.to} of ${lines.total} (${form})`;
}

function managementLine(payload: ContextManagement, { name }: Wording): string {
  switch (payload.action) {
    case "overlay":
      return `overlay on ${name(payload.targetId)}: ${formName(payload.form)}`;
    case "reform":
      return `reform of ${payload.changes.map((change) => `${name(change.targetId)}: ${formName(change.form)}`).join(", ")}`;
    case "track_file":
    case "untrack_file":
      return `${payload.action.replace("_", " ")} ${name(payload.path)}`;
    default:
      return payload satisfies never;
  }
}

function formName(form: OverlayForm): string {
  return form.form === "replaced" ? `replaced (${form.by})` : form.form;
}

function goal(text: string | undefined, excerpt: (text: string) => string): string {
  return text === undefined ? "" : `: ${excerpt(text)}`;
}

function counted(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}
