import type { ToolCall } from "@holdfast/core/conversation";
import type { FileRequest } from "@holdfast/core/files";
import {
  conversationName,
  findConversationTool,
  findTool,
  type ToolName,
  tools as usualTools,
} from "@holdfast/core/tools";
import type { CallNames } from "./gate.js";
import { requestOf } from "./judged-call.js";
import type { ToolSet } from "./offered-tools.js";

/**
 * What a call is judged by, where it may be made at all: it names a tool that is offered, or another that is accepted and
 * does only what others do that are: such as one of another vendor's vocabulary, which models know by heart.
 *
 * @returns why it may not be made, in one sentence with the names of those that are offered.
 */
export function calledTool(
  call: ToolCall,
  { offered, accepted }: Pick<ToolSet, "offered" | "accepted">,
): CallNames | string {
  const { name } = call;
  const also = standsFor(call);
  const isOffered = offered.some((one) => one.name === name);
  if (isOffered || [name, ...also].every((one) => accepted.includes(one))) return { tool: name, also };
  return `there is no tool of this name here; those you have are ${offered.map((one) => one.name).join(", ")}.`;
}

/** The usual tools whose work a call of another one does; none where it is one of them, or says nothing. */
function standsFor({ name, args }: ToolCall): readonly string[] {
  if (findConversationTool(name) !== undefined) return [conversationName];
  const tool = findTool(name);
  if (tool === undefined || usualTools.includes(tool)) return [];
  const request = requestOf(tool, args);
  return request === undefined ? [] : [...new Set(doersOf(request))];
}

/** The tools that ask this of a workspace. */
function doersOf(request: FileRequest): readonly ToolName[] {
  if (request.kind === "apply_changes" && "changes" in request) return request.changes.flatMap(doersOfChange);
  // An empty old text makes a new file.
  return [request.kind === "replace" && request.oldString === "" ? "write_file" : doers[request.kind]];
}

const doers: Readonly<Record<FileRequest["kind"], ToolName>> = {
  read: "read_file",
  read_many: "read_many_files",
  list: "list_files",
  find: "list_files",
  search: "search_files",
  write: "write_file",
  replace: "edit_file",
  edit: "edit_file",
  apply_edit: "edit_file",
  insert_lines: "edit_file",
  edit_lines: "edit_file",
  append: "append_to_file",
  prepend: "append_to_file",
  patch: "safe_patch",
  update_section: "update_section",
  undo: "undo_edit",
  restore: "undo_edit",
  apply_changes: "safe_patch",
};

type OneOfSet = Extract<FileRequest, { readonly changes: unknown }>["changes"][number];

function doersOfChange({ renameTo, content }: OneOfSet): readonly ToolName[] {
  if (content.kind === "delete") return ["delete_file"];
  const moved: readonly ToolName[] = renameTo === undefined ? [] : ["move_file"];
  if (content.kind === "same") return moved;
  return [...moved, content.kind === "text" ? "write_file" : "edit_file"];
}
