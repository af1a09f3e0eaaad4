import {
  type FileTool,
  jsonSchema,
  questionOf,
  runTool,
  type ToolReply,
  type ToolWorkspace,
} from "@holdfast/core/tools";
import { type ApprovalQuestion, PreviewedCalls, questionFrom } from "./approval.js";
import { type ArgumentSchema, argumentSchema } from "./argument-schema.js";
import { contextOf, type OfferOptions, offeredBy } from "./text-tools.js";

export {
  type AiSdkCallOptions,
  type AiSdkModel,
  type AiSdkModelOptions,
  type AiSdkStream,
  modelFromAiSdk,
} from "./ai-sdk-model.js";
export type { AiSdkVersion } from "./ai-sdk-prompt.js";

/** What `holdfastTools` offers to the AI SDK, and how its answers are shown. */
export interface AiSdkOptions extends OfferOptions {
  /** Ask before every change that would be made, by the AI SDK's own approval requests. */
  readonly approval?: boolean;
}

/**
 * The tools of the catalogue as tools of the AI SDK: `generateText({ tools: holdfastTools(workspace) })`.
 * The model is sent the text of a reply, the host has its code, too. It imports nothing of the SDK: a tool
 * is a plain object there, and its schema a Standard Schema.
 */
export function holdfastTools(workspace: ToolWorkspace, options: AiSdkOptions = {}): AiSdkTools {
  const lookedAt = new PreviewedCalls();
  return Object.fromEntries(
    offeredBy(options).map((tool) => [tool.name, toAiSdkTool(tool, workspace, options, lookedAt)]),
  );
}

/**
 * The `toolApproval` option of `generateText` in ai 7: each approval request has the question with its diff as
 * `reason`. For ai 6, whose requests have no place for it, ask `tools[name].question(input)`.
 *
 * @param tools made with `approval: true`.
 */
export function approvalWithDiff(tools: AiSdkTools): AiSdkApproval {
  return async ({ toolCall: { toolCallId, toolName, input } }) => {
    const tool = tools[toolName];
    if (tool === undefined || !(await tool.needsApproval(input, { toolCallId }))) return undefined;
    const question = await tool.question(input);
    const reason = question === undefined ? {} : { reason: `${question.message}\n${question.diff}` };
    return { type: "user-approval", ...reason };
  };
}

/** A `GenericToolApprovalFunction` of ai 7. */
export type AiSdkApproval = (asked: {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
}) => Promise<{ type: "user-approval"; reason?: string } | undefined>;

/** The `tools` option of `generateText`: each tool under its own name. */
export type AiSdkTools = Readonly<Record<string, AiSdkTool>>;

/** A `Tool` of the AI SDK. */
export interface AiSdkTool {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ArgumentSchema;
  /** Whether a person is to be asked: not before a call that would be refused, for the model is told at once. */
  needsApproval(args: unknown, call: AiSdkCall): Promise<boolean>;
  /** What a person is to be shown of a call as it would be now; undefined where nobody has to be asked. */
  question(args: unknown): Promise<ApprovalQuestion | undefined>;
  execute(args: unknown, call?: AiSdkCall): Promise<AiSdkReply>;
  toModelOutput(result: { readonly output: AiSdkReply }): {
    readonly type: "text" | "error-text";
    readonly value: string;
  };
}

/** How the AI SDK names a call. */
export interface AiSdkCall {
  readonly toolCallId: string;
}

/** What the host's code gets of a call: the code says what happened, the text is what the model is sent. */
export type AiSdkReply = Pick<ToolReply, "success" | "code" | "text">;

function toAiSdkTool(
  tool: FileTool,
  workspace: ToolWorkspace,
  options: AiSdkOptions,
  lookedAt: PreviewedCalls,
): AiSdkTool {
  const context = contextOf(workspace, options);
  const isAsked = options.approval === true && !tool.annotations.readOnly;
  const previewOf = async (args: unknown) => (await questionOf(tool.name, args, context))?.preview;
  return {
    title: tool.title,
    description: tool.description,
    inputSchema: argumentSchema(jsonSchema(tool.parameters)),
    async needsApproval(args, { toolCallId }) {
      if (!isAsked) return false;
      try {
        const preview = await previewOf(args);
        lookedAt.remember(toolCallId, preview);
        return preview !== undefined;
      } catch {
        // Nobody knows what it would do: a person decides, and the call reports what is broken.
        return true;
      }
    },
    async question(args) {
      const preview = isAsked ? await previewOf(args) : undefined;
      return preview && questionFrom(preview);
    },
    async execute(args, call) {
      const approve = call && lookedAt.take(call.toolCallId);
      const { success, code, text } = await runTool(tool.name, args, {
        ...context,
        ...(approve && { approve }),
      });
      return { success, code, text };
    },
    toModelOutput: ({ output }) => ({
      type: output.code === "internal_error" ? "error-text" : "text",
      value: output.text,
    }),
  };
}
