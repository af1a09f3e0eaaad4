import type { ModelFailure, Part, Rendering } from "@holdfast/core/context";
import type { ContextManager } from "@holdfast/core/conversation";
import type { FormChange, TurnNode } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import type { MendedPrompt } from "./context-economy.js";

/**
 * Leaves out of all later prompts what a provider refused to take: one medium, for which a sentence stands from then on, or
 * the thoughts of the model. All of it stays in the tree.
 *
 * @returns undefined where the prompt holds nothing of what was refused.
 */
export function leaveOut(
  manager: ContextManager,
  rendering: Rendering,
  failure: ModelFailure,
): MendedPrompt | undefined {
  const nodes = failure.about === "thoughts" ? thoughtsIn(manager, rendering, failure) : [];
  const medium = failure.about === "thoughts" ? undefined : mediumIn(manager, rendering, failure);
  const changes = [...nodes.map(withoutThought), ...(medium === undefined ? [] : [withoutMedium(medium)])];
  const changed = changes.flatMap((change) => change ?? []);
  if (changed.length === 0 || isRefusal(manager.reform(changed))) return undefined;
  const what = medium === undefined ? "The thoughts of the model are" : `${wordsFor(medium)} is`;
  const notice = `${failure.message} ${what} left out from now on, and it is asked again.`;
  return { done: [], isOther: true, notice };
}

/** A part of a prompt that a node of the branch has in it. */
interface BranchPart {
  readonly part: Part;
  /** Of which content it is a part, counted from 0. */
  readonly content: number;
  readonly nodeId: string;
  readonly rule: Rendering["provenance"][number][number]["rule"];
}

/** The parts of a prompt. What an expanded task shows is not on the branch, so that nothing can be chosen for it. */
export function partsOnBranch({ contents, provenance }: Rendering): readonly BranchPart[] {
  return contents.flatMap(({ parts }, content) =>
    parts.flatMap((part, at) => {
      const origin = provenance[content]?.[at];
      if (origin === undefined || origin.within !== undefined) return [];
      return [{ part, content, nodeId: origin.nodeId, rule: origin.rule }];
    }),
  );
}

/** Nodes whose parts a test fits, in the order of the prompt. */
export function nodesOf(
  { nodes }: ContextManager["context"],
  rendering: Rendering,
  fits: (part: BranchPart) => boolean,
): readonly TurnNode[] {
  const found = partsOnBranch(rendering).filter(fits);
  return [...new Set(found.map(({ nodeId }) => nodeId))].flatMap((id) => nodes.get(id) ?? []);
}

/** Gemini signs calls and words as well, and does not say which signature it refuses. */
function thoughtsIn({ context }: ContextManager, rendering: Rendering, { message }: ModelFailure) {
  const isSigned = (part: Part) => "thoughtSignature" in part && /thought.?signature/i.test(message);
  const isThought = (part: Part) => "redactedThought" in part || ("text" in part && !!part.thought);
  return nodesOf(context, rendering, ({ part }) => isThought(part) || isSigned(part));
}

/** The one that the provider names by its message, else the last: what stands before it was taken earlier. */
function mediumIn(
  { context }: ContextManager,
  rendering: Rendering,
  { about, status, message }: ModelFailure,
): TurnNode | undefined {
  if (about !== "media" && status !== 413) return undefined;
  const named = Number(/messages\.(\d+)\./.exec(message)?.[1]);
  const isNamed = nodesOf(context, rendering, (one) => one.content === named && hasMedium(one));
  return isNamed.at(-1) ?? nodesOf(context, rendering, hasMedium).at(-1);
}

function hasMedium({ part }: BranchPart): boolean {
  if ("functionResponse" in part) return (part.functionResponse.parts ?? []).length > 0;
  return "inlineData" in part || "blobData" in part;
}

function withoutThought({ id, payload }: TurnNode): FormChange | undefined {
  if (payload.kind !== "model_message" && payload.kind !== "tool_call") return undefined;
  const text = payload.kind === "tool_call" ? JSON.stringify(payload.args) : payload.text;
  return { targetId: id, form: { form: "replaced", by: "stub", text } };
}

function withoutMedium(node: TurnNode): FormChange | undefined {
  const { id: targetId, payload } = node;
  const sentence = `[${wordsFor(node)} was left out here: the provider refuses it.]`;
  const after = (text: string) => (text.trim() === "" ? sentence : `${text}\n${sentence}`);
  if (payload.kind === "user_message")
    return { targetId, form: { form: "replaced", by: "stub", text: after(payload.text) } };
  if (payload.kind !== "tool_result") return undefined;
  const { output, shows, refers } = payload;
  return {
    targetId,
    form: { form: "replaced", by: "stub", text: after(output), ...defined({ shows, refers }) },
  };
}

function wordsFor({ payload }: TurnNode): string {
  const media = payload.kind === "user_message" || payload.kind === "tool_result" ? payload.media : undefined;
  return `A file of the type ${media?.[0]?.mimeType ?? "image"}`;
}
