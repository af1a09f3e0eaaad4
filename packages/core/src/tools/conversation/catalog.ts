import type * as z from "zod";
import type { ConversationTool } from "./conversation-tool.js";
import { historyTools } from "./history-tools.js";
import { taskTools } from "./task-tools.js";
import { trackingTools } from "./tracking-tools.js";

const all = [...taskTools, ...trackingTools, ...historyTools] as const;

/** The name of a tool that works on the conversation. */
export type ConversationToolName = (typeof all)[number]["name"];

/** A tool of ours. */
type OwnConversationTool = ConversationTool<z.ZodRawShape, ConversationToolName>;

/** The tools with which the model, and by commands the user, works on the conversation itself. */
export const conversationTools: readonly OwnConversationTool[] = all;

/** Their names, in the same order. */
export const conversationToolNames: readonly ConversationToolName[] = conversationTools.map(
  ({ name }) => name,
);

/** The conversation tool of this name; undefined where there is none. */
export function findConversationTool(name: string): OwnConversationTool | undefined {
  return conversationTools.find((tool) => tool.name === name);
}
