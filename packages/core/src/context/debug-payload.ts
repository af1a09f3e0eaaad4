import type { ContextManagement, FileContent, OverlayForm, TurnPayload } from "../conversation/index.js";
import { escapeForDisplay, quoteForDisplay } from "../text/index.js";
import { oneLine } from "./debug-text.js";
import { shortHash } from "./texts.js";

/** One line on what a node is and says. @param width of the text in it, in UTF-16 units. */
export function describePayload(payload: TurnPayload, width: number): string {
  const said = (text: string) => oneLine(text, width);
  switch (payload.kind) {
    case "user_message":
      return `user: ${said(payload.text)}${media(payload.media?.length ?? 0)}`;
    case "model_message":
      return `model: ${said(payload.text === "" ? (payload.thought ?? "") : payload.text)}${thought(payload)}`;
    case "tool_call":
      return `call ${name(payload.callId)}: ${name(payload.name)} ${said(JSON.stringify(payload.args))}`;
    case "tool_result":
      return `${payload.isError === true ? "error" : "result"} ${name(payload.callId)}: ${said(payload.output)}`;
    case "file_content":
      return fileLine(payload);
    case "context_management":
      return managementLine(payload);
    case "task_boundary":
      return `task ${quoteForDisplay(payload.name)} (${payload.transformation.kind})${goal(payload.goal, said)}`;
    case "task_summary":
      return `task summary ${quoteForDisplay(payload.name)}, ${counted(payload.files.length)}: ${said(payload.summary)}`;
    case "summary":
      return `${payload.of === "branch" ? "branch summary" : "compaction"}: ${said(payload.text)}`;
    case "restore":
      return `restore ${counted(payload.files.length)}: ${name(payload.fromId)} → ${name(payload.toId)}`;
    case "note":
      return `note for the ${payload.audience}: ${said(payload.text)}`;
    case "unknown":
      return `unknown kind ${name(payload.type)}: ${said(JSON.stringify(payload.data))}`;
    default:
      return payload satisfies never;
  }
}

function media(count: number): string {
  return count === 0 ? "" : ` (+${count} media)`;
}

function thought({ thought, redactedThought }: Extract<TurnPayload, { kind: "model_message" }>): string {
  return thought === undefined && redactedThought === undefined ? "" : " (with thought)";
}

function fileLine({ path, version, sha256, lines, form }: FileContent): string {
  return `file ${name(path)} v${version} ${name(shortHash(sha256))} lines ${lines.from}-${lines.to} of ${lines.total} (${form})`;
}

function managementLine(payload: ContextManagement): string {
  return payload.action === "overlay"
    ? `overlay on ${name(payload.targetId)}: ${formName(payload.form)}`
    : `${payload.action.replace("_", " ")} ${name(payload.path)}`;
}

function formName(form: OverlayForm): string {
  return form.form === "replaced" ? `replaced (${form.by})` : form.form;
}

function goal(text: string | undefined, said: (text: string) => string): string {
  return text === undefined ? "" : `: ${said(text)}`;
}

function name(text: string): string {
  return escapeForDisplay(text);
}

function counted(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}
