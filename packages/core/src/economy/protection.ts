import type { PromptBlock } from "./blocks.js";
import type { MeasuredPrompt } from "./measure.js";
import type { EconomySettings } from "./settings.js";

/** What protection goes by. */
interface ProtectionScope {
  readonly settings: EconomySettings;
  readonly keepPaths: readonly string[];
  readonly charsPerToken: number;
  /** All that is new may hold no more, where the window demands it. */
  readonly mostTokens?: number;
  /** Whether the last block stays also where it is larger than that: nobody has seen it yet. */
  readonly keepsLast?: boolean;
}

/**
 * The blocks that stay whatever it costs: the last tool uses, the newest tokens and messages, the last turns of
 * the user, results of protected tools, and files that are to be kept. Messages and turns whose results together hold more
 * than a small share of what the trigger allows are protected by the other rules only: an agent may work for hours on
 * one sentence, and one message may hold ten files. Where the window is full, new blocks stay up to a share of it only.
 */
export function protectedBlocks(
  prompt: MeasuredPrompt,
  blocks: readonly PromptBlock[],
  { settings, keepPaths, charsPerToken, mostTokens, keepsLast = true }: ProtectionScope,
): ReadonlySet<PromptBlock> {
  const kept = new Set<PromptBlock>();
  const tools = new Set(settings.excludeTools);
  const paths = new Set(keepPaths);
  const lastContent = prompt.parts.at(-1)?.content ?? 0;
  const turns = lastTurns(prompt, settings.keepTurns);
  const limit =
    (settings.trigger.type === "input_tokens" ? settings.trigger.value : 100_000) * settings.keepShare;
  const most = limit * charsPerToken;
  const turnsFit = prompt.chars - (turns.from ?? prompt.chars) <= most;
  let uses = 0;
  let chars = 0;
  for (const block of blocks.toReversed()) {
    const { measured, name } = block;
    if (name !== undefined) uses += 1;
    chars += measured.chars;
    const fits =
      mostTokens === undefined ||
      chars <= mostTokens * charsPerToken ||
      (keepsLast && block === blocks.at(-1));
    const isNew =
      (name !== undefined && uses <= settings.keep) ||
      chars <= settings.keepTokens * charsPerToken ||
      (chars <= most && lastContent - measured.content < settings.keepMessages);
    const isOfTurn =
      turns.contents.has(measured.content) ||
      (turnsFit && measured.before >= (turns.from ?? Number.POSITIVE_INFINITY));
    if ((fits && (isNew || isOfTurn)) || isPinned(block, tools, paths)) kept.add(block);
  }
  return kept;
}

/** Whether a block stays for good: of a protected tool, of a file that is to be kept, or of a tracked one. */
export function isPinned(
  { name, node, paths: own }: PromptBlock,
  tools: ReadonlySet<string>,
  paths: ReadonlySet<string>,
): boolean {
  if (name !== undefined && tools.has(name)) return true;
  if (own.some((path) => paths.has(path))) return true;
  return node.payload.kind === "file_content" && node.payload.form === "tracked";
}

/**
 * Where the last turns of the user begin, and the contents in which the user spoke. A result may stand before the words
 * in the same content: it belongs to the turn before.
 */
function lastTurns({ parts }: MeasuredPrompt, turns: number) {
  const contents = new Set<number>();
  let from: number | undefined;
  for (const { origin, content, role, before } of parts.toReversed()) {
    if (role !== "user" || origin.rule !== "message") continue;
    if (contents.size >= turns && !contents.has(content)) break;
    contents.add(content);
    from = before;
  }
  return { contents, from };
}
