import type { ToolName, ToolWorkspace } from "@holdfast/core/tools";
import { type OfferOptions, textTools } from "./text-tools.js";

/**
 * The tools of the catalogue for agents of Google's ADK:
 * `new LlmAgent({ tools: holdfastTools(workspace, (fields) => new FunctionTool(fields)) })`. The workspace stays
 * open for the conversation; the ADK's MCP toolset starts a server for each call.
 */
export function holdfastTools<Made>(
  workspace: ToolWorkspace,
  makeTool: (fields: AdkToolFields) => Made,
  options: OfferOptions = {},
): Made[] {
  return textTools(workspace, options).map(({ name, description, parameters, run: execute }) =>
    makeTool({ name, description, parameters: { $schema: dialect, ...parameters }, execute }),
  );
}

/** What `FunctionTool` of the ADK takes. What `execute` gives comes to the model as `{ result }`. */
export interface AdkToolFields {
  readonly name: ToolName;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
  execute(args: unknown): Promise<string>;
}

/** By this Google's client knows a JSON Schema, and sends it as it is; else it drops what Gemini's own has no word for. */
const dialect = "https://json-schema.org/draft/2020-12/schema";
