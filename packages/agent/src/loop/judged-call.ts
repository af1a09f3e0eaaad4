import type { ToolCall } from "@holdfast/core/conversation";
import { compileGlob, type FileRequest, isLook, isRefusal, type Workspace } from "@holdfast/core/files";
import {
  type ConversationTool,
  type FileTool,
  type HostTool,
  intentOf,
  pathsOfCall,
  toolOfName,
} from "@holdfast/core/tools";
import type { CallNames, JudgedCall } from "./gate.js";

/**
 * A call as rules judge it before it is carried out; undefined where it runs something, takes files back, or asks for a look
 * that means nothing: then whoever carries it out asks, or refuses it.
 */
export function judgedCall(
  { name, args }: ToolCall,
  names: CallNames,
  { hostTools, workspace }: { readonly hostTools: readonly HostTool[]; readonly workspace: Workspace },
): JudgedCall | undefined {
  const tool = toolOfName(name, hostTools);
  if (tool === undefined || tool.kind === "host") return undefined;
  const asked = { ...names, request: hostRequest(name, args) };
  if (tool.kind === "conversation") return onConversation(tool, args, asked);
  const request = requestOf(tool, args);
  if (request === undefined && tool.annotations.readOnly) return undefined;
  // Of one with wrong arguments the refusal may show the file.
  if (request === undefined || !isLook(request))
    return { ...asked, kind: "change", paths: async () => pathsOfCall(tool, args).paths };
  return { ...asked, kind: "look", paths: () => pathsOf(request, workspace) };
}

/** What a call of a file tool asks of the workspace; undefined where its arguments say nothing. */
export function requestOf(tool: FileTool, args: unknown): FileRequest | undefined {
  const intent = intentOf(tool, args);
  return isRefusal(intent) ? undefined : intent.request;
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
