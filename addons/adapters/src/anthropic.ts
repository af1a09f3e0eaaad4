import { runTool, type ToolReply, type ToolWorkspace } from "@holdfast/core/tools";

export { economyFromApi } from "./anthropic-settings.js";

/** Options that every function of this adapter takes. */
export interface AnthropicOptions {
  /** Told what was thrown, for the host's log; the model never sees it. Must not throw. */
  readonly onError?: (error: unknown, toolName: string) => void;
  /** The most characters that a view answers with, as in the tool's definition (`text_editor_20250728`). */
  readonly maxCharacters?: number;
}

/** The versions of the text editor, with the names that the API gives them. */
export const textEditors = {
  text_editor_20241022: "str_replace_editor",
  text_editor_20250124: "str_replace_editor",
  text_editor_20250429: "str_replace_based_edit_tool",
  text_editor_20250728: "str_replace_based_edit_tool",
} as const;

/** The text editor and the memory as they stand in `tools` of a request. */
export const textEditor = { type: "text_editor_20250728", name: "str_replace_based_edit_tool" } as const;
export const memory = { type: "memory_20250818", name: "memory" } as const;

/** A `tool_use` block of a message. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A `tool_result` block. */
export interface ToolUseResult {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
}

/**
 * Executes a call of Anthropic's text editor or memory on a workspace. A refusal is an error result: it
 * says why (such as how often `old_str` stands in the file), and brings the fresh state where that is news.
 * Where the memory lies in the workspace, and what an edit needs to have seen, is told in docs/adapters.md.
 *
 * @returns undefined for a tool that is neither of the two: it is the host's own.
 */
export async function executeToolUse(
  workspace: ToolWorkspace,
  block: ToolUse,
  options: AnthropicOptions = {},
): Promise<ToolUseResult | undefined> {
  const tool = toolOf(block.name);
  if (tool === undefined) return undefined;
  const { success, text } = await run(workspace, tool, block.input, options);
  const result = { type: "tool_result", tool_use_id: block.id } as const;
  return success ? { ...result, content: text } : { ...result, content: `Error: ${text}`, is_error: true };
}

/**
 * Executes all calls of a message that are for these tools, in their order: the content of the next user
 * message, to which a host with other tools adds their results.
 */
export async function executeToolUses(
  workspace: ToolWorkspace,
  content: readonly { readonly type: string }[],
  options: AnthropicOptions = {},
): Promise<ToolUseResult[]> {
  const results: ToolUseResult[] = [];
  for (const block of content) {
    const result = isToolUse(block) ? await executeToolUse(workspace, block, options) : undefined;
    if (result !== undefined) results.push(result);
  }
  return results;
}

/**
 * A definition with what the SDK's tool runner needs to execute it, for
 * `client.beta.messages.toolRunner({ tools })`: it makes an error result of what `run` throws.
 */
export function runnable<Definition extends typeof textEditor | typeof memory>(
  definition: Definition,
  workspace: ToolWorkspace,
  options: AnthropicOptions = {},
): Definition & { run(input: unknown): Promise<string>; parse(input: unknown): unknown } {
  return {
    ...definition,
    parse: (input) => input,
    async run(input) {
      const { success, text } = await run(workspace, definition.name, input, options);
      if (!success) throw new Error(text);
      return text;
    },
  };
}

/** The core's name for the tool; it knows the editor by its present name. */
function toolOf(name: string): string | undefined {
  if (name === memory.name) return name;
  return Object.values<string>(textEditors).includes(name) ? textEditor.name : undefined;
}

async function run(
  workspace: ToolWorkspace,
  tool: string,
  input: unknown,
  { onError, maxCharacters }: AnthropicOptions,
): Promise<ToolReply> {
  // The host's other tools are not ours to name.
  const context = { workspace, wire: "text", resultContent: "auto", offered: [] } as const;
  return runTool(tool, input, {
    ...context,
    ...(onError === undefined ? {} : { onError }),
    ...(maxCharacters === undefined || !isView(input) ? {} : { budgetChars: maxCharacters }),
  });
}

function isView(input: unknown): boolean {
  return typeof input === "object" && input !== null && "command" in input && input.command === "view";
}

function isToolUse(block: { readonly type: string }): block is { readonly type: "tool_use" } & ToolUse {
  return block.type === "tool_use";
}
