import type { FileEffect } from "@holdfast/core/conversation";

/**
 * Looks at tracked and shown files once more, after something may have changed them that is no tool of ours: a command,
 * a tool of an MCP server.
 *
 * @returns a text for the model, empty where nothing has changed, and what was found, for the result of the call.
 */
export type FileCheck = (
  signal?: AbortSignal,
) => Promise<{ readonly text: string; readonly files: readonly FileEffect[] }>;
