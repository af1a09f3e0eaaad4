import type { ShapedHunk } from "./hunk.js";
import type { Finding } from "./placement.js";

/** A numbered hunk repeated to the letter, header included, is one change written twice. */
export function dropRepeated(hunks: readonly ShapedHunk[]): {
  readonly kept: readonly ShapedHunk[];
  readonly repeated: readonly number[];
} {
  if (ascend(hunks)) return { kept: hunks, repeated: [] };
  const seen = new Map<string, ShapedHunk[]>();
  const repeated: number[] = [];
  const kept = hunks.filter((hunk) => {
    const { header, number } = hunk.hunk;
    if (header.numbers === undefined) return true;
    const alike = seen.get(header.raw);
    if (alike === undefined) {
      seen.set(header.raw, [hunk]);
      return true;
    }
    if (alike.some((other) => sameLines(hunk, other))) {
      repeated.push(number);
      return false;
    }
    // So many different hunks under one header are none that was repeated by mistake.
    if (alike.length < alikeLimit) alike.push(hunk);
    return true;
  });
  return { kept, repeated };
}

/** Whether each number is larger than the one before, so that no two headers are the same. */
function ascend(hunks: readonly ShapedHunk[]): boolean {
  let last = -1;
  for (const { hunk } of hunks) {
    const { oldStart = last + 1 } = hunk.header.numbers ?? {};
    if (oldStart <= last) return false;
    if (hunk.header.numbers !== undefined) last = oldStart;
  }
  return true;
}

/** The same without numbers: as many places as copies means all of them, one place means once. */
export function mergeRepeated(findings: readonly Finding[]): Merged {
  if (areApart(findings)) return { kept: findings, repeated: [], unclear: undefined };
  const groups = groupAlike(findings.filter(({ hunk }) => hunk.hunk.header.numbers === undefined));
  const left = new Set<Finding>();
  for (const group of groups) {
    const [first, ...others] = group;
    if (first === undefined || others.length === 0 || first.starts.length === group.length) continue;
    if (first.starts.length > 1) return { kept: findings, repeated: [], unclear: first };
    for (const other of others) left.add(other);
  }
  const repeated = [...left].map((finding) => finding.hunk.hunk.number);
  return { kept: findings.filter((finding) => !left.has(finding)), repeated, unclear: undefined };
}

/** Whether each has one place, below the one before: hunks that are the same would have the same places. */
function areApart(findings: readonly Finding[]): boolean {
  let last = -1;
  for (const { starts } of findings) {
    const start = starts[0] ?? -1;
    if (starts.length !== 1 || start <= last) return false;
    last = start;
  }
  return true;
}

/** Groups of hunks that are the same to the letter; one that stands alone may be left out. */
function groupAlike(findings: readonly Finding[]): Iterable<readonly Finding[]> {
  // Most hunks differ in length or in their first line, so that few have to be spelled out.
  const sketches = findings.map(({ hunk }) => `${hunk.hunk.count} ${hunk.hunk.textOf(0)}`);
  const amounts = new Map<string, number>();
  for (const sketch of sketches) amounts.set(sketch, (amounts.get(sketch) ?? 0) + 1);
  const groups = new Map<string, Finding[]>();
  for (const [at, finding] of findings.entries()) {
    if (amounts.get(sketches[at] ?? "") === 1) continue;
    const letters = spell(finding.hunk);
    const group = groups.get(letters);
    if (group === undefined) groups.set(letters, [finding]);
    else group.push(finding);
  }
  return groups.values();
}

export interface Merged {
  readonly kept: readonly Finding[];
  readonly repeated: readonly number[];
  readonly unclear: Finding | undefined;
}

function sameLines({ hunk }: ShapedHunk, { hunk: other }: ShapedHunk): boolean {
  return (
    hunk.count === other.count &&
    hunk.lines.every((line, at) => line.kind === other.lines[at]?.kind && line.text === other.lines[at]?.text)
  );
}

const alikeLimit = 50;

function spell({ hunk }: ShapedHunk): string {
  let letters = hunk.header.raw;
  for (let at = 0; at < hunk.count; at++) letters += `\n${hunk.kindOf(at)}:${hunk.textOf(at)}`;
  return letters;
}
