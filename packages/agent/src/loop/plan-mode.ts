import type { OfferedTool, Rendering } from "@holdfast/core/context";
import type { ConversationContext } from "@holdfast/core/conversation/values";
import { type HostToolResult, meantCall, moreToolsName } from "@holdfast/core/tools";
import type { ApprovalMode } from "../config/approval.js";
import { planToolName } from "../host/plan.js";

/**
 * What the model has to be told of the mode before the next request: plan mode, and its end. It is a message, so that
 * tools and system text stay as they are. Pure.
 */
export function wordsOnMode(
  { mode, tools: { offered, accepted } }: ModeOfAgent,
  rendering: Rendering,
  context: ConversationContext,
): readonly string[] {
  const isPlan = mode === "plan";
  if (isPlan === isToldOfPlan(context, rendering)) return [];
  if (!isPlan) return [`${overWords(mode)} Files can be changed and commands run.`];
  const isListed = offered.some(({ name }) => name === planToolName);
  const how = isListed ? "" : `: ${moreToolsName} with {"name": "${planToolName}", "args": {"plan": …}}`;
  const end = accepted.includes(planToolName)
    ? `hand in a plan with ${planToolName}${how}.`
    : "say what you would do, step by step.";
  return [
    `${planBegin} no file is changed, and no command can write anything, until the user approves. Look at what you need, then ${end}`,
  ];
}

/** An agent, as far as words on its mode go. */
interface ModeOfAgent {
  readonly mode: ApprovalMode;
  readonly tools: { readonly offered: readonly OfferedTool[]; readonly accepted: readonly string[] };
}

/** A plan that a person approved, for the model. @param edited as the person edited it. */
export function planApproved(mode: ApprovalMode, edited: string | undefined): HostToolResult {
  const plan = edited === undefined ? "." : `, edited:\n${edited}`;
  return { code: "ok", text: `${overWords(mode)} Do the work: the user approved the plan${plan}` };
}

/** One that a person did not approve. Without a word for the model it ends the turn: the next word is the person's. */
export function planRefused(said: string | undefined, plan: string): HostToolResult {
  if (said === undefined) return { code: "ok", text: "The user does not approve the plan.", final: plan };
  return {
    code: "ok",
    text: `The user does not approve the plan: ${said}\nPlan mode goes on; hand in another one.`,
  };
}

const planBegin = "Plan mode:";
const overBegin = "Plan mode is over";
const overWords = (mode: ApprovalMode) => `${overBegin}; the mode is ${mode}.`;

/** By the latest words on it that the prompt shows. */
function isToldOfPlan({ nodes }: ConversationContext, { provenance }: Rendering): boolean {
  for (const { nodeId } of provenance.flat().reverse()) {
    const payload = nodes.get(nodeId)?.payload;
    const isAnswer =
      payload?.kind === "tool_result" &&
      [planToolName, moreToolsName].includes(meantCall({ name: payload.name, args: {} }).name);
    const text = payload?.kind === "note" ? payload.text : isAnswer ? payload.output : "";
    if (text.startsWith(overBegin)) return false;
    if (text.startsWith(planBegin)) return true;
  }
  return false;
}
