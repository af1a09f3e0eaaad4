import { type FileTool, jsonSchema, runTool, type ToolReply, type ToolWorkspace } from "@holdfast/core";
import { type ArgumentSchema, argumentSchema } from "./argument-schema.js";
import { contextOf, type OfferOptions, offeredBy } from "./text-tools.js";

/** What `holdfastTools` offers to the AI SDK, and how its answers are shown. */
export interface AiSdkOptions extends OfferOptions {
  /** Ask before every change, by the AI SDK's own approval requests. */
  readonly approval?: boolean;
}

/**
 * The tools of the catalogue as tools of the AI SDK: `generateText({ tools: holdfastTools(workspace) })`.
 * The model is sent the text of a reply, the host has its code, too. It imports nothing of the SDK: a tool
 * is a plain object there, and its schema a Standard Schema.
 */
export function holdfastTools(workspace: ToolWorkspace, options: AiSdkOptions = {}): AiSdkTools {
  return Object.fromEntries(
    offeredBy(options).map((tool) => [tool.name, toAiSdkTool(tool, workspace, options)]),
  );
}

/** The `tools` option of `generateText`: each tool under its own name. */
export type AiSdkTools = Readonly<Record<string, AiSdkTool>>;

/** A `Tool` of the AI SDK. */
export interface AiSdkTool {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ArgumentSchema;
  readonly needsApproval: boolean;
  execute(args: unknown): Promise<AiSdkReply>;
  toModelOutput(result: { readonly output: AiSdkReply }): {
    readonly type: "text" | "error-text";
    readonly value: string;
  };
}

/** What the host's code gets of a call: the code says what happened, the text is what the model is sent. */
export type AiSdkReply = Pick<ToolReply, "success" | "code" | "text">;

function toAiSdkTool(tool: FileTool, workspace: ToolWorkspace, options: AiSdkOptions): AiSdkTool {
  const context = contextOf(workspace, options);
  return {
    title: tool.title,
    description: tool.description,
    inputSchema: argumentSchema(jsonSchema(tool.parameters)),
    needsApproval: options.approval === true && !tool.annotations.readOnly,
    async execute(args) {
      const { success, code, text } = await runTool(tool.name, args, context);
      return { success, code, text };
    },
    toModelOutput: ({ output }) => ({
      type: output.code === "internal_error" ? "error-text" : "text",
      value: output.text,
    }),
  };
}
