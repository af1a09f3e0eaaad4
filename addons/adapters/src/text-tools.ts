// Shared by the frameworks whose tools answer with a text.
import {
  allTools,
  tools as defaultTools,
  type FileTool,
  jsonSchema,
  type ResultContent,
  runTool,
  type ToolContext,
  type ToolName,
  type ToolWorkspace,
} from "@holdfast/core/tools";

/** Which tools a framework is offered, and how their answers are shown. */
export interface OfferOptions {
  /** The tools to offer; those of the catalogue's default unless given. */
  readonly tools?: readonly ToolName[];
  /** Offer only the tools that change nothing. */
  readonly readOnly?: boolean;
  /** How much of a file an answer shows; `auto` unless given. */
  readonly resultContent?: ResultContent;
  /** Told what was thrown, for the host's log; the model never sees it. Must not throw. */
  readonly onError?: (error: unknown, toolName: string) => void;
}

/** A tool of the catalogue, bound to a workspace. */
interface TextTool {
  readonly name: ToolName;
  /** The prompt of the model. */
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly parameters: Record<string, unknown>;
  /** Judges the arguments itself. Never rejects: a refusal is a text, too. */
  run(args: unknown): Promise<string>;
}

/** The tools that a framework is offered, in the order of the catalogue. */
export function textTools(workspace: ToolWorkspace, options: OfferOptions): readonly TextTool[] {
  const context = contextOf(workspace, options);
  return offeredBy(options).map(({ name, description, parameters }) => ({
    name,
    description,
    parameters: jsonSchema(parameters),
    run: async (args) => (await runTool(name, args, context)).text,
  }));
}

/** The tools of the catalogue that these options name. */
export function offeredBy({ tools: names, readOnly }: OfferOptions): readonly (FileTool & OwnName)[] {
  const named = names === undefined ? defaultTools : allTools.filter((tool) => names.includes(tool.name));
  return readOnly === true ? named.filter((tool) => tool.annotations.readOnly) : named;
}

interface OwnName {
  readonly name: ToolName;
}

/** How `runTool` carries out the calls of these tools. */
export function contextOf(workspace: ToolWorkspace, options: OfferOptions): ToolContext {
  const { resultContent = "auto", readOnly = false, onError } = options;
  const offered = offeredBy(options);
  return { workspace, wire: "text", resultContent, readOnly, offered, ...(onError && { onError }) };
}
