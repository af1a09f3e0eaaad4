import type { ToolCall } from "@holdfast/core/conversation";
import type { FileRequest } from "@holdfast/core/files";
import { dialectTools, findTool, type ToolName } from "@holdfast/core/tools";
import type { CallNames } from "./gate.js";
import { requestOf } from "./judged-call.js";
import type { ToolSet } from "./offered-tools.js";

/**
 * What a call is judged by, where it may be made at all: it names a tool that is offered, or one of another vendor's
 * vocabulary, which models know by heart, that does what an offered one does.
 *
 * @returns why it may not be made, in one sentence with the names of those that are offered.
 */
export function calledTool(call: ToolCall, { offered }: Pick<ToolSet, "offered">): CallNames | string {
  const { name } = call;
  const has = (tool: string) => offered.some((one) => one.name === tool);
  const also = standsFor(call);
  if (has(name)) return { tool: name, also };
  if (also.length > 0 && also.every(has)) return { tool: name, also };
  return `there is no tool of this name here; those you have are ${offered.map((one) => one.name).join(", ")}.`;
}

/** The tools of ours whose work a call of another vendor's does; none where it is a tool of ours, or says nothing. */
function standsFor({ name, args }: ToolCall): readonly ToolName[] {
  const tool = findTool(name);
  if (tool === undefined || !dialectTools.includes(tool)) return [];
  const request = requestOf(tool, args);
  return request === undefined ? [] : [...new Set(doersOf(request))];
}

/** The tools that ask this of a workspace. */
function doersOf(request: FileRequest): readonly ToolName[] {
  switch (request.kind) {
    case "read":
      return ["read_file"];
    case "read_many":
      return ["read_many_files"];
    case "list":
      return ["list_files"];
    case "find":
      return ["find_files"];
    case "search":
      return ["search_files"];
    case "write":
      return ["write_file"];
    case "replace":
      // An empty old text makes a new file.
      return [request.oldString === "" ? "write_file" : "edit_file"];
    case "edit":
    case "apply_edit":
    case "insert_lines":
    case "edit_lines":
      return ["edit_file"];
    case "append":
    case "prepend":
      return ["append_to_file"];
    case "patch":
      return ["safe_patch"];
    case "update_section":
      return ["update_section"];
    case "undo":
    case "restore":
      return ["undo_edit"];
    case "apply_changes":
      return "changes" in request ? request.changes.flatMap(doersOfChange) : ["safe_patch"];
    default:
      return request satisfies never;
  }
}

type OneOfSet = Extract<FileRequest, { readonly changes: unknown }>["changes"][number];

function doersOfChange({ renameTo, content }: OneOfSet): readonly ToolName[] {
  if (content.kind === "delete") return ["delete_file"];
  const moved: readonly ToolName[] = renameTo === undefined ? [] : ["move_file"];
  return content.kind === "same" ? moved : [...moved, "edit_file"];
}
