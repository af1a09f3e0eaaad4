import type { OfferedTool } from "@holdfast/core/context";
import type { JsonObject, ToolCall } from "@holdfast/core/conversation/values";
import { compileGlob, type Workspace } from "@holdfast/core/files";
import { type FileRequest, isLook, isRefusal } from "@holdfast/core/files/values";
import {
  type ConversationTool,
  conversationName,
  findConversationTool,
  findTool,
  type HostTool,
  hintFor,
  intentOf,
  meantCall,
  nearestName,
  pathsOfCall,
  type Tool,
  type ToolName,
  toolOfName,
  tools as usualTools,
} from "@holdfast/core/tools";
import type { ApprovalRule } from "../config/approval.js";
import { type CallNames, Gate, type JudgedCall, nobody } from "./gate.js";

/** A call that waits for its result, as the tool that it means would be called: so it is judged, told and carried out. */
export interface ReadCall {
  readonly nodeId: string;
  readonly call: ToolCall;
  readonly tool: Tool | undefined;
  /** Of a tool of files, what it asks of the workspace; no request where its arguments say nothing. */
  readonly files?: ReturnType<typeof pathsOfCall> & {
    readonly request?: FileRequest;
    readonly isDryRun: boolean;
  };
}

/** Reads a call once for all that is to be known of it before it is carried out. */
export function readCall(nodeId: string, given: ToolCall, hostTools?: readonly HostTool[]): ReadCall {
  const { name, args } = meantCall(given, hostTools);
  // A cast: they are a part of the call's own, which are JSON.
  const call = { ...given, name, args: args as JsonObject };
  const tool = toolOfName(name, hostTools);
  if (tool?.kind !== "file") return { nodeId, call, tool };
  const intent = intentOf(tool, args);
  const asked = isRefusal(intent) ? {} : { request: intent.request };
  const isDryRun = !isRefusal(intent) && intent.isDryRun === true;
  return { nodeId, call, tool, files: { ...pathsOfCall(tool, args), ...asked, isDryRun } };
}

/**
 * What a call is judged by, where it may be made at all: it names a tool that is offered, or another that is accepted and
 * does only what others do that are: such as one of another vendor's vocabulary, which models know by heart.
 *
 * @returns why it may not be made, in one sentence with the names of those that are offered.
 */
export function calledTool(
  call: ToolCall,
  { offered, accepted }: { readonly offered: readonly OfferedTool[]; readonly accepted: readonly string[] },
): CallNames | string {
  const { name } = call;
  const also = standsFor(call);
  const isOffered = offered.some((one) => one.name === name);
  if (isOffered || [name, ...also].every((one) => accepted.includes(one))) return { tool: name, also };
  const near = hintFor(name) ?? nearestName(name, [...new Set(accepted)]);
  const meant = near === undefined ? "" : ` For what you mean it is ${near}.`;
  return `there is no tool of this name here; those you have are ${offered.map((one) => one.name).join(", ")}.${meant}`;
}

/** The usual tools whose work a call of another one does; none where it is one of them, or says nothing. */
function standsFor({ name, args }: ToolCall): readonly string[] {
  if (findConversationTool(name) !== undefined) return [conversationName];
  const tool = findTool(name);
  if (tool === undefined || usualTools.includes(tool)) return [];
  const intent = intentOf(tool, args);
  return isRefusal(intent) ? [] : [...new Set(doersOf(intent.request))];
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

/**
 * A call as rules judge it before it is carried out; undefined where it runs something, takes files back, or asks for a look
 * that means nothing: then whoever carries it out asks, or refuses it.
 */
export function judgedCall(
  { call: { name, args }, tool, files }: ReadCall,
  names: CallNames,
  workspace: Workspace,
): JudgedCall | undefined {
  const asked = { ...names, request: hostRequest(name, args) };
  if (tool?.kind === "conversation") return onConversation(tool, args, asked);
  if (tool?.kind !== "file" || files === undefined) return undefined;
  const { request, paths } = files;
  if (request === undefined && tool.annotations.readOnly) return undefined;
  // Of one with wrong arguments the refusal may show the file.
  if (request === undefined || !isLook(request))
    return { ...asked, kind: "change", paths: async () => paths };
  return { ...asked, kind: "look", paths: () => pathsOf(request, workspace) };
}

function onConversation(
  tool: ConversationTool,
  args: unknown,
  asked: Omit<JudgedCall, "kind" | "paths">,
): JudgedCall | undefined {
  // A task for a sub-agent is judged as any task: `agent` is no argument of the tool.
  const { agent: _, ...own }: { readonly agent?: unknown } = Object(args);
  const request = intentOf(tool, own);
  if (isRefusal(request)) return undefined;
  // Files that go back are judged with their paths, once it is known which.
  if ("files" in request && request.files.kind === "restore") return undefined;
  const paths = "path" in request ? [request.path] : [];
  return { ...asked, kind: tool.annotations.readOnly ? "look" : "move", paths: async () => paths };
}

function hostRequest(tool: string, args: unknown): JudgedCall["request"] {
  // A cast: an object's fields, or none.
  const fields = typeof args === "object" && args !== null ? (args as Readonly<Record<string, unknown>>) : {};
  return { kind: "host_request", tool, summary: JSON.stringify(fields), args: fields };
}

async function pathsOf(
  request: Extract<FileRequest, { kind: "read" | "read_many" | "list" | "find" | "search" }>,
  workspace: Workspace,
): Promise<readonly string[]> {
  if (request.kind !== "read_many") return [request.path ?? "."];
  const found = await Promise.all((request.globs ?? []).map((glob) => filesOf(glob, workspace)));
  return [...(request.paths ?? []), ...found.flat()];
}

/** The files that a glob of `read_many_files` means; whatever it leaves out again counts, too. */
async function filesOf(pattern: string, workspace: Workspace): Promise<readonly string[]> {
  const glob = await compileGlob(pattern);
  if (isRefusal(glob)) return [];
  const path = pattern.startsWith("/") ? `/${glob.folder}` : glob.folder || ".";
  const listing = await workspace.list({ path, depth: 64, limit: 100_000, all: true });
  if (listing.kind === "refusal") return [];
  const files = listing.entries.filter(({ isDirectory }) => !isDirectory).map((entry) => entry.path);
  return files.filter((file) => glob.matches(file.replace(/^\//, "")));
}

/** A tool, and the files that its call is about. */
export type FilteredCall = Pick<JudgedCall, "tool" | "also" | "paths">;

/** Why rules keep a call from being made, as the gate reads them: any name of a file counts. Undefined where none does. */
export function barredBy(
  rules: readonly ApprovalRule[],
  workspace: Pick<Workspace, "namesOf">,
  call: FilteredCall,
): Promise<string | undefined> {
  const namesOf = (path: string) => workspace.namesOf(path);
  const gate = new Gate({ mode: "yolo", rules, ask: nobody, harmless: [], namesOf });
  const request = { kind: "host_request", tool: call.tool, summary: "", args: {} } as const;
  return gate.barred({ ...call, kind: "look", request });
}
