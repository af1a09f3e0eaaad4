/** Never run: what the adapter makes is held against the types of the SDK. */
import { memory, runnable, textEditor } from "@holdfast/adapters/anthropic";

/** @typedef {Parameters<typeof runnable>[1]} Workspace */

/** @type {(workspace: Workspace) => import("@anthropic-ai/sdk/lib/tools/BetaRunnableTool").BetaRunnableTool[]} */
export const forTheRunner = (workspace) => [runnable(textEditor, workspace), runnable(memory, workspace)];
