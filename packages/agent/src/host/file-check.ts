import type { ContextManager, FileEffect } from "@holdfast/core/conversation";

/**
 * Looks at tracked and shown files once more, after something may have changed them that is no tool of ours: a command,
 * a tool of an MCP server.
 *
 * @param manager whose head the call stands at; that of the conversation unless given.
 * @returns a text for the model, empty where nothing has changed, and what was found, for the result of the call.
 */
export type FileCheck = (
  signal?: AbortSignal,
  manager?: ContextManager,
) => Promise<{ readonly text: string; readonly files: readonly FileEffect[] }>;
