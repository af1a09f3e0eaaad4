import { findTool } from "../file-tools/catalog.js";
import type { HostTool } from "../run/host-tool.js";
import type { FileTool } from "../tool/tool.js";
import { findConversationTool } from "./catalog.js";
import type { ConversationTool } from "./conversation-tool.js";

/** A tool of any kind: by its kind a host knows who carries its calls out. */
export type Tool = FileTool | ConversationTool | HostTool;

/** The tool that a call names; those of the host are asked for first. Undefined where there is none. */
export function toolOfName(name: string, hostTools: readonly HostTool[] = []): Tool | undefined {
  return hostTools.find((tool) => tool.name === name) ?? findConversationTool(name) ?? findTool(name);
}
