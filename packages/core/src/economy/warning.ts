import type { Rendering } from "../context/index.js";
import type { ConversationContext } from "../conversation/values/index.js";
import type { ClearingCandidate } from "./clearing.js";
import { measure } from "./measure.js";
import { type ClearingClass, clearingClasses } from "./types.js";

/** Whether the model was warned since something was cleared last, by what stands in the prompt. */
export function wasWarned(context: ConversationContext, rendering: Rendering): boolean {
  const depthOf = (nodeId: string) => context.nodes.get(nodeId)?.depth ?? 0;
  const last = rendering.report.boundaries.reduce(
    (most, { rule, nodeId }) => (rule === "replaced" ? Math.max(most, depthOf(nodeId)) : most),
    -1,
  );
  return measure(rendering).notes.some(({ origin: { nodeId } }) => {
    const payload = context.nodes.get(nodeId)?.payload;
    return payload?.kind === "note" && payload.text.startsWith(seedWords) && depthOf(nodeId) > last;
  });
}

/** Seed 3's first words. */
const seedWords = "⚠️ CONTEXT APPROACHING LIMIT";

/**
 * The note to the model before something is cleared, in seed 3's words, with what will go.
 *
 * @param share of the trigger, or of the limit of the window, that is reached. @param memoryPath the file in which notes outlast the clearing.
 */
export function warningText(
  share: number,
  candidates: readonly ClearingCandidate[],
  charsPerToken: number,
  memoryPath: string | undefined,
): string {
  const percentage = Math.min(100, Math.floor(share * 100));
  const save =
    memoryPath === undefined
      ? "Say now what of them you still need."
      : `Save any critical information to ${memoryPath} now.`;
  return [
    seedWords,
    "",
    `You are at ${percentage}% of context capacity. Important tool results`,
    `will be cleared soon. ${save}`,
    "",
    "What will go:",
    ...clearingClasses.flatMap((of) => lineOf(of, candidates, charsPerToken)),
  ].join("\n");
}

const words: Readonly<Record<ClearingClass, string>> = {
  failed: "failed calls",
  superseded: "results that are shown again further down",
  large_output: "large outputs of commands and searches",
  file: "text of files that you have not touched lately",
  output: "older outputs",
};

function lineOf(
  of: ClearingClass,
  candidates: readonly ClearingCandidate[],
  charsPerToken: number,
): readonly string[] {
  const own = candidates.filter((one) => one.class === of);
  if (own.length === 0) return [];
  const tokens = Math.round(own.reduce((sum, { chars }) => sum + chars, 0) / charsPerToken);
  return [`- ${own.length} ${words[of]}, about ${tokens} tokens`];
}
