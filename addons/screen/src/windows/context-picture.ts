import { cellsOf, elastic, type Line, type PromptMap, span } from "@holdfast/agent/shown";
import type { ClearingReport } from "@holdfast/core/economy";

/** The prompt as bars, by kind and by file, and what a clearing would bring. Pure. @param columns of the window. */
export function contextPicture(
  map: PromptMap,
  clearing: ClearingReport | undefined,
  columns: number,
): readonly Line[] {
  const { tokens, headTokens, kinds, files, windowTokens } = map;
  const ofWindow =
    windowTokens === undefined
      ? ""
      : ` of ${count(windowTokens)} (${Math.round((100 * tokens) / windowTokens)} %)`;
  const named = kinds.map(
    ({ rule, parts, tokens: own }) => [`${rule.replaceAll("_", " ")}, ${parts}`, own] as const,
  );
  const bars = [["system text and tools", headTokens] as const, ...named];
  return [
    [span("Prompt", "heading"), span(`  about ${count(tokens)} tokens${ofWindow}`)],
    ...(windowTokens === undefined ? [] : [[span(bar(tokens, windowTokens, columns - 2), "accent")]]),
    [],
    [span("By kind, with the number of parts", "heading")],
    ...barLines(bars, tokens, columns),
    [],
    [span("By file", "heading")],
    ...barLines(
      files.map(({ path, tokens: own }) => [path, own] as const),
      tokens,
      columns,
    ),
    [],
    ...clearingLines(clearing),
  ];
}

function barLines(
  rows: readonly (readonly [string, number])[],
  whole: number,
  columns: number,
): readonly Line[] {
  if (rows.length === 0) return [[span("  nothing", "faint")]];
  const room = Math.max(4, Math.min(40, columns - 46));
  return rows.map(([name, tokens]) => {
    const share = `${Math.round((100 * tokens) / Math.max(1, whole))} %`.padStart(5);
    const drawn = bar(tokens, whole, room);
    return [
      span(`${count(tokens).padStart(11)} ${share} `),
      span(drawn, "accent"),
      span(" ".repeat(Math.max(0, room - cellsOf(drawn)) + 1)),
      elastic(name),
    ];
  });
}

function clearingLines(clearing: ClearingReport | undefined): readonly Line[] {
  if (clearing === undefined) return [[span("A clearing would bring nothing now.", "faint")]];
  const { cleared, tokensBefore, tokensAfter, requestsToPay } = clearing;
  const pays = requestsToPay === 0 ? "it costs nothing" : `it pays after ${requestsToPay} further requests`;
  return [
    [span("What a clearing would bring", "heading")],
    [span(`  ${cleared.length} results, ${count(tokensBefore)} → ${count(tokensAfter)} tokens; ${pays}`)],
    ...cleared
      .slice(0, mostCleared)
      .map(
        ({ name, paths, tokens }): Line => [
          span(`${count(tokens).padStart(11)}  `),
          elastic([name ?? "", ...paths].join(" ")),
        ],
      ),
  ];
}

const mostCleared = 20;

/** Eighths of a cell. */
function bar(part: number, whole: number, cells: number): string {
  const eighths = Math.round(Math.min(1, part / Math.max(1, whole)) * cells * 8);
  return "█".repeat(Math.floor(eighths / 8)) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
