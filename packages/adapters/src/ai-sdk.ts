import {
  allTools,
  tools as defaultTools,
  jsonSchema,
  type ResultContent,
  runTool,
  type Tool,
  type ToolName,
  type ToolReply,
  type ToolWorkspace,
} from "@holdfast/core";

/** What `holdfastTools` offers to the AI SDK, and how its answers are shown. */
export interface AiSdkOptions {
  /** The tools to offer; those of the catalogue's default unless given. */
  readonly tools?: readonly ToolName[];
  /** Offer only the tools that change nothing. */
  readonly readOnly?: boolean;
  /** Ask before every change, by the AI SDK's own approval requests. */
  readonly approval?: boolean;
  /** How much of a file an answer shows; `auto` unless given. */
  readonly resultContent?: ResultContent;
  /** Told what was thrown, for the host's log; the model never sees it. Must not throw. */
  readonly onError?: (error: unknown, toolName: string) => void;
}

/**
 * The tools of the catalogue as tools of the AI SDK: `generateText({ tools: holdfastTools(workspace) })`.
 * The model is sent the text of a reply, the host has its code, too. It imports nothing of the SDK: a tool
 * is a plain object there, and its schema a Standard Schema.
 */
export function holdfastTools(workspace: ToolWorkspace, options: AiSdkOptions = {}): AiSdkTools {
  return Object.fromEntries(
    offered(options).map((tool) => [tool.name, toAiSdkTool(tool, workspace, options)]),
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

/** A Standard Schema that can tell its JSON Schema. */
export interface ArgumentSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "holdfast";
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

function offered({ tools: names, readOnly }: AiSdkOptions): readonly Tool[] {
  const named = names === undefined ? defaultTools : allTools.filter((tool) => names.includes(tool.name));
  return readOnly === true ? named.filter((tool) => tool.annotations.readOnly) : named;
}

function toAiSdkTool(tool: Tool, workspace: ToolWorkspace, options: AiSdkOptions): AiSdkTool {
  const { resultContent = "auto", readOnly = false, approval = false, onError } = options;
  const given = { resultContent, readOnly, offered: offered(options), ...(onError && { onError }) };
  const context = { workspace, wire: "text", ...given } as const;
  return {
    title: tool.title,
    description: tool.description,
    inputSchema: toSchema(tool),
    needsApproval: approval && !tool.annotations.readOnly,
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

/** Everything passes: `runTool` judges the arguments, and its refusals are written for the model. */
function toSchema(tool: Tool): ArgumentSchema {
  const published = () => jsonSchema(tool.parameters);
  return {
    "~standard": {
      version: 1,
      vendor: "holdfast",
      validate: (value) => ({ value }),
      jsonSchema: { input: published, output: published },
    },
  };
}
