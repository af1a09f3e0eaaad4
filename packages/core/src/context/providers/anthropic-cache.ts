import type { Content } from "../layout/content.js";
import type { CacheBreakpoint, Caching, RequestSizes } from "./provider-request.js";

/** A block of a message in a request, and the part of the neutral form that it comes from. */
export interface PlacedBlock<Block extends { readonly type: string } = { readonly type: string }> {
  readonly message: number;
  /** Index of the block in its message. */
  readonly at: number;
  /** Counted over all contents. */
  readonly part: number;
  readonly block: Block;
}

/** Where a request may be marked, and what that comes to. */
interface CacheMarks {
  readonly at: ReadonlySet<PlacedBlock | "tools" | "system">;
  readonly caching: Caching;
}

/**
 * Where the cache of the Messages API is told to end: after the tools, after the system text, where the last
 * request ended, and where what is stable ends. Four are all that the API takes. It looks back 20 blocks from
 * each for one of an earlier request, so that the end of the last request is named again.
 *
 * @param chosen how many parts stand before each mark of the contents, where somebody knows better; tools and system text
 *   then share one mark, since both come before all else.
 */
export function marksOf(
  contents: readonly Content[],
  placed: readonly PlacedBlock[],
  sizes: RequestSizes,
  heads: { readonly system: boolean; readonly tools: boolean },
  chosen?: readonly number[],
): CacheMarks {
  const at = new Set<PlacedBlock | "tools" | "system">();
  const breakpoints: CacheBreakpoint[] = [];
  if (heads.tools && (chosen === undefined || !heads.system)) {
    at.add("tools");
    breakpoints.push({ after: "tools", parts: 0, chars: sizes.tools });
  }
  if (heads.system) {
    at.add("system");
    breakpoints.push({ after: "system", parts: 0, chars: sizes.head });
  }
  for (const end of chosen?.slice(-mostChosen) ?? endsOf(contents, sizes.stable)) {
    const block = placed.findLast((one) => one.part < end && canBeMarked(one.block));
    if (block === undefined || at.has(block)) continue;
    at.add(block);
    const parts = block.part + 1;
    const place = { message: block.message, block: block.at };
    breakpoints.push({ after: "contents", ...place, parts, chars: sizes.upTo(parts) });
  }
  return { at, caching: { kind: "breakpoints", breakpoints, says } };
}

/** The head has the fourth. */
const mostChosen = 3;

const says =
  "Anthropic keeps a request only up to the blocks that carry cache_control; at most four may, and thoughts cannot.";

/** How many parts come before the last answer of the model that is stable, and how many are stable. */
function endsOf(contents: readonly Content[], stable: number): readonly number[] {
  let before: number | undefined;
  let sum = 0;
  for (const { role, parts } of contents) {
    if (sum >= stable) break;
    if (role === "model" && sum > 0) before = sum;
    sum += parts.length;
  }
  return before === undefined ? [stable] : [before, stable];
}

function canBeMarked({ type }: { readonly type: string }): boolean {
  return type !== "thinking" && type !== "redacted_thinking";
}
