import type { ToolName, ToolWorkspace } from "@holdfast/core/tools";
import { type ArgumentSchema, argumentSchema } from "./argument-schema.js";
import { type OfferOptions, textTools } from "./text-tools.js";

/**
 * The tools of the catalogue for Mastra's agents: `new Agent({ tools: holdfastTools(workspace, createTool) })`.
 * What the model is sent is the text of an answer, as it is.
 *
 * @param createTool Mastra's own.
 */
export function holdfastTools<Made>(
  workspace: ToolWorkspace,
  createTool: (fields: MastraToolFields) => Made,
  options: OfferOptions = {},
): Record<string, Made> {
  return Object.fromEntries(
    textTools(workspace, options).map(({ name, description, parameters, run }) => {
      const inputSchema = argumentSchema(parameters);
      return [name, createTool({ id: name, description, inputSchema, execute: run })];
    }),
  );
}

/** What Mastra's `createTool` takes. */
export interface MastraToolFields {
  readonly id: ToolName;
  readonly description: string;
  readonly inputSchema: ArgumentSchema;
  execute(args: unknown): Promise<string>;
}
