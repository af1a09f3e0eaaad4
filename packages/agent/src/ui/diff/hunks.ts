import { diffLines, type LineChange } from "@holdfast/core/patch";

/** Changes near one another, with the lines around them. All numbers count from 0; `to` is not included. */
export interface Hunk extends LineChange {
  readonly changes: readonly LineChange[];
}

/** Two texts as their lines, with what differs. */
export interface ComparedTexts {
  readonly old: readonly string[];
  readonly fresh: readonly string[];
  readonly hunks: readonly Hunk[];
}

/** Compares two texts. Pure. @param context unchanged lines around a change. */
export function comparedTexts(before: string, after: string, context = 3): ComparedTexts {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const groups: LineChange[][] = [];
  for (const change of diffLines(old, fresh, compareMs)) {
    const group = groups.at(-1);
    const gap = change.oldFrom - (group?.at(-1)?.oldTo ?? 0);
    if (group !== undefined && gap <= 2 * context) group.push(change);
    else groups.push([change]);
  }
  return { old, fresh, hunks: groups.map((changes) => hunkOf(changes, old.length, context)) };
}

const compareMs = 500;

function hunkOf(changes: readonly LineChange[], lines: number, context: number): Hunk {
  const [first, last] = [changes[0], changes.at(-1)];
  const above = Math.min(context, first?.oldFrom ?? 0);
  const below = Math.min(context, lines - (last?.oldTo ?? 0));
  return {
    changes,
    oldFrom: (first?.oldFrom ?? 0) - above,
    newFrom: (first?.newFrom ?? 0) - above,
    oldTo: (last?.oldTo ?? 0) + below,
    newTo: (last?.newTo ?? 0) + below,
  };
}

/** The old text with some of the hunks only, counted from 1. Pure. */
export function withHunks({ old, fresh, hunks }: ComparedTexts, taken: ReadonlySet<number>): string {
  const lines: string[] = [];
  let done = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of hunks.flatMap(({ changes }, at) =>
    taken.has(at + 1) ? changes : [],
  )) {
    lines.push(...old.slice(done, oldFrom), ...fresh.slice(newFrom, newTo));
    done = oldTo;
  }
  return [...lines, ...old.slice(done)].join("");
}

/** Numbers of hunks as a person types them: `1 3`, `1,3`, `2-4`; undefined where it is anything else, or names none. */
export function namedHunks(said: string, count: number): ReadonlySet<number> | undefined {
  if (!/^\s*\d+(?:\s*-\s*\d+)?(?:[\s,]+\d+(?:\s*-\s*\d+)?)*\s*$/u.test(said)) return undefined;
  const named = new Set<number>();
  for (const [, first = "", last = first] of said.matchAll(/(\d+)(?:\s*-\s*(\d+))?/gu)) {
    const [from, to] = [Number(first), Number(last)];
    if (from < 1 || from > to || to > count) return undefined;
    for (let at = from; at <= to; at += 1) named.add(at);
  }
  return named;
}

/** With their ends, so that together they are the text. */
function linesOf(text: string): readonly string[] {
  return text === "" ? [] : (text.match(/[^\n]*\n|[^\n]+$/gu) ?? []);
}
