import type { ToolName, ToolWorkspace } from "@holdfast/core/tools";
import { type OfferOptions, textTools } from "./text-tools.js";

/**
 * The tools of the catalogue for LlamaIndex: `new FunctionAgent({ tools: holdfastTools(workspace, tool) })`. Wrap
 * the agent with `withExactAnswers`, or the model is sent text of files without its quotes.
 *
 * @param tool LlamaIndex's own.
 */
export function holdfastTools<Made>(
  workspace: ToolWorkspace,
  tool: (run: (args: unknown) => Promise<string>, fields: LlamaIndexToolFields) => Made,
  options: OfferOptions = {},
): Made[] {
  return textTools(workspace, options).map(({ run, ...fields }) => tool(run, fields));
}

/** What LlamaIndex's `tool` takes beside the function. */
export interface LlamaIndexToolFields {
  readonly name: ToolName;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
}

/**
 * Gives the model the texts of tools as they were answered. LlamaIndex (0.12) writes each answer as JSON and
 * takes the quotes out, so that `"a"` comes as `\a\` and a newline as two characters. An edit that a model makes
 * from that fits no file.
 *
 * @returns the same agent, changed.
 */
export function withExactAnswers<Agent extends ToolCallingAgent>(agent: Agent): Agent {
  const handle = agent.handleToolCallResults.bind(agent);
  agent.handleToolCallResults = (state, results) => handle(state, results.map(exact));
  return agent;
}

/** What `withExactAnswers` needs of an agent of LlamaIndex's workflows. */
export interface ToolCallingAgent {
  // Methods, not properties: the states and results of the real agents have more than is named here.
  handleToolCallResults(state: object, results: ToolCallResult[]): Promise<void>;
}

/** A call that was carried out: `raw` is what the tool returned, `result` what LlamaIndex has made of it. */
export interface ToolCallResult {
  readonly raw: unknown;
  readonly toolOutput: { readonly result: string };
}

function exact(result: ToolCallResult): ToolCallResult {
  const { raw, toolOutput } = result;
  return typeof raw === "string" ? { ...result, toolOutput: { ...toolOutput, result: raw } } : result;
}
