import type { Rendering, RenderRule } from "../context/index.js";
import { pathTo } from "../conversation/index.js";
import {
  type ConversationContext,
  effectsOf,
  formChangesOf,
  type TurnNode,
} from "../conversation/values/index.js";
import { charsPerToken, estimateTokens, type MeasuredPart, measure } from "./blocks.js";
import type { PromptUsage } from "./types.js";

/** What fills a prompt, by what it is and by the file it is of. In estimated tokens. */
export interface ContextMap {
  readonly tokens: number;
  /** System text and tools. */
  readonly headTokens: number;
  /** The largest first. */
  readonly kinds: readonly { readonly rule: RenderRule; readonly parts: number; readonly tokens: number }[];
  /** Files whose text, or words about them, stand in results and attachments; the largest first. */
  readonly files: readonly { readonly path: string; readonly tokens: number }[];
}

/** Adds up what fills a prompt. */
export function contextMap(
  context: ConversationContext,
  rendering: Rendering,
  usage: Pick<PromptUsage, "last"> & { readonly headChars?: number },
): ContextMap {
  const { last, headChars = 0 } = usage;
  const prompt = measure(rendering);
  const perToken = charsPerToken(last);
  const kinds = new Map<RenderRule, { parts: number; chars: number }>();
  const files = new Map<string, number>();
  for (const part of prompt.parts) {
    const { rule, nodeId } = part.origin;
    const kind = kinds.get(rule) ?? { parts: 0, chars: 0 };
    kinds.set(rule, { parts: kind.parts + 1, chars: kind.chars + part.chars });
    const path = rule === "cleared" ? undefined : fileOf(context.nodes.get(nodeId));
    if (path !== undefined) files.set(path, (files.get(path) ?? 0) + part.chars);
  }
  const inTokens = (chars: number) => Math.round(chars / perToken);
  return {
    tokens: estimateTokens(prompt.chars + headChars, last),
    headTokens: inTokens(headChars),
    kinds: [...kinds]
      .map(([rule, { parts, chars }]) => ({ rule, parts, tokens: inTokens(chars) }))
      .sort((one, other) => other.tokens - one.tokens),
    files: [...files]
      .map(([path, chars]) => ({ path, tokens: inTokens(chars) }))
      .sort((one, other) => other.tokens - one.tokens),
  };
}

/** The one file that a result or an attachment is of. */
function fileOf(node: TurnNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (node.payload.kind === "file_content") return node.payload.path;
  if (node.payload.kind !== "tool_result") return undefined;
  return node.payload.shows?.[0]?.path ?? effectsOf(node.payload)[0]?.path;
}

/** How a node stands in a prompt, and who decided so. */
export interface NodeReason {
  readonly nodeId: string;
  /** `summed_up`: a compaction, or the beginning of a task, stands for it. */
  readonly state: "shown" | "replaced" | "hidden" | "summed_up" | "off_path";
  /** The rules that made its parts. */
  readonly rules: readonly RenderRule[];
  /** The node that decided its form, where it is not as it was at first. */
  readonly decidedBy?: string;
  readonly tokens: number;
  /** Tokens that stand after its first part: what a change of it would write to the cache again. */
  readonly tokensAfter: number;
}

/** Why a node is rendered as it is; undefined where there is no such node. */
export function whyNode(
  context: ConversationContext,
  rendering: Rendering,
  nodeId: string,
  usage: Pick<PromptUsage, "last"> = {},
): NodeReason | undefined {
  const node = context.nodes.get(nodeId);
  if (node === undefined) return undefined;
  const prompt = measure(rendering);
  const own = prompt.parts.filter(({ origin }) => origin.nodeId === nodeId);
  const perToken = charsPerToken(usage.last);
  const chars = own.reduce((sum, part) => sum + part.chars, 0);
  const { boundaries, start } = rendering.report;
  const decided = boundaries.findLast(({ targetId }) => targetId === nodeId)?.nodeId;
  const isOnPath = pathTo(context, context.currentNodeId).some(({ id }) => id === nodeId);
  const isBefore = own.length === 0 && decided === undefined && start.rule !== "root";
  const state = stateOf(own, { isOnPath, isBefore, isDecided: isChanged(context, nodeId, decided) });
  const by = state === "summed_up" ? start.nodeId : decided;
  return {
    nodeId,
    state,
    rules: [...new Set(own.map(({ origin }) => origin.rule))],
    ...(by === undefined ? {} : { decidedBy: by }),
    tokens: Math.round(chars / perToken),
    tokensAfter: own[0] === undefined ? 0 : Math.round((prompt.chars - own[0].before - chars) / perToken),
  };
}

/** Whether a decision gives the node another form than its first. */
function isChanged({ nodes }: ConversationContext, nodeId: string, decided: string | undefined): boolean {
  const payload = decided === undefined ? undefined : nodes.get(decided)?.payload;
  if (payload?.kind !== "context_management") return payload !== undefined;
  return formChangesOf(payload).findLast(({ targetId }) => targetId === nodeId)?.form.form !== "original";
}

function stateOf(
  own: readonly MeasuredPart[],
  { isOnPath, isBefore, isDecided }: { isOnPath: boolean; isBefore: boolean; isDecided: boolean },
): NodeReason["state"] {
  if (!isOnPath) return "off_path";
  if (own.length > 0) return isDecided ? "replaced" : "shown";
  return isBefore ? "summed_up" : "hidden";
}
