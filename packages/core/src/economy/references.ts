import type { Referral, Rendering, ShownPlace } from "../context/index.js";
import type { ConversationContext, FormChange, ShownText } from "../conversation/index.js";
import { type LineSpan, outsideSpans } from "../files/index.js";
import { escapeForDisplay, splitLines } from "../text/index.js";
import type { MeasuredPart, MeasuredPrompt } from "./measure.js";

/** A reference that would dangle once certain parts are gone. */
export interface Dangling {
  readonly referral: Referral;
  /** Lines that nothing else shows; none where only something of the state has to be there. */
  readonly missing: readonly LineSpan[];
  /** The parts that show them and are to go. */
  readonly providers: readonly MeasuredPart[];
}

/** The references that dangle once `gone` is gone. Those of texts that go themselves do not count. */
export function danglingWithout(
  rendering: Rendering,
  { parts }: MeasuredPrompt,
  gone: ReadonlySet<MeasuredPart>,
): readonly Dangling[] {
  if (rendering.referrals.length === 0 || gone.size === 0) return [];
  const goneNodes = new Set([...gone].map(({ origin }) => origin.nodeId));
  const at = new Map([...gone].map((part) => [placeKey(part), part]));
  if (parts.length === 0) return [];
  return rendering.referrals.flatMap((referral) => {
    if (goneNodes.has(referral.nodeId)) return [];
    const { lines } = referral;
    const places = rendering.visibility.state(lines.path, lines.sha256, lines.encoding)?.places ?? [];
    const providers = places.flatMap((place) => at.get(placeKey(place)) ?? []);
    if (providers.length === 0) return [];
    const left = places.filter((place) => !at.has(placeKey(place)));
    const missing = outsideSpans(
      lines,
      left.filter(({ chars }) => chars === undefined),
    );
    const isWhole = lines.to < lines.from ? left.length > 0 : missing.length === 0;
    return isWhole ? [] : [{ referral, missing, providers: [...new Set(providers)] }];
  });
}

function placeKey({ content, part }: { readonly content: number; readonly part: number }): string {
  return `${content}:${part}`;
}

/** The text of a node with lines that it spoke of put behind it. */
export interface WrittenOut {
  readonly change: FormChange;
  /** UTF-16 units that it is longer. */
  readonly chars: number;
}

/**
 * A result that referred to lines which go, with these lines written out behind it; undefined where it cannot be:
 * the node is no result as it was, or the lines are not shown whole.
 */
export function writeOut(
  context: ConversationContext,
  rendering: Rendering,
  nodeId: string,
  dangling: readonly Dangling[],
): WrittenOut | undefined {
  const payload = context.nodes.get(nodeId)?.payload;
  if (payload?.kind !== "tool_result" || isReplaced(rendering, nodeId)) return undefined;
  let text = payload.output;
  const shows: ShownText[] = [...(payload.shows ?? [])];
  for (const { referral, missing } of dangling) {
    const { path, sha256, encoding } = referral.lines;
    if (missing.length === 0) return undefined;
    for (const { from, to } of missing) {
      const lines = linesOf(rendering, referral, { from, to });
      if (lines === undefined) return undefined;
      text += `\n\nLines ${from}-${to} of ${escapeForDisplay(path)} that this speaks of:\n`;
      const start = text.length;
      text += lines;
      const state = encoding === undefined ? { path, sha256 } : { path, sha256, encoding };
      shows.push({ ...state, from, to, start, end: text.length });
    }
  }
  const { refers } = payload;
  const form = {
    form: "replaced",
    by: "delta",
    text,
    shows,
    ...(refers === undefined ? {} : { refers }),
  } as const;
  return { change: { targetId: nodeId, form }, chars: text.length - payload.output.length };
}

function isReplaced({ provenance }: Rendering, nodeId: string): boolean {
  return !provenance.some((origins) => origins.some((one) => one.nodeId === nodeId && one.rule === "result"));
}

/** The bytes of these lines, from wherever they stand in the prompt. */
function linesOf(
  { contents, visibility }: Rendering,
  { lines }: Referral,
  { from, to }: LineSpan,
): string | undefined {
  const places = visibility.state(lines.path, lines.sha256, lines.encoding)?.places ?? [];
  const found = new Map<number, string>();
  for (const place of places) {
    if (place.chars !== undefined || place.to < from || place.from > to) continue;
    const shown = fieldOf(contents, place)?.slice(place.start, place.end);
    if (shown === undefined) continue;
    const { contents: split, endings } = splitLines(shown);
    if (split.length !== place.to - place.from + 1) continue;
    for (const [at, line] of split.entries()) found.set(place.from + at, line + (endings[at] ?? ""));
  }
  let text = "";
  for (let line = from; line <= to; line += 1) {
    const one = found.get(line);
    if (one === undefined || (line < to && !/[\r\n]$/u.test(one))) return undefined;
    text += one;
  }
  return text;
}

function fieldOf(contents: Rendering["contents"], { content, part }: ShownPlace): string | undefined {
  const value = contents[content]?.parts[part];
  if (value === undefined) return undefined;
  if ("text" in value) return value.text;
  if (!("functionResponse" in value)) return undefined;
  const { response } = value.functionResponse;
  return "output" in response ? response.output : response.error;
}
