import type { ShapedHunk } from "./hunk.js";
import type { Finding } from "./placement.js";

/** A numbered hunk repeated to the letter, header included, is one change written twice. */
export function dropRepeated(hunks: readonly ShapedHunk[]): {
  readonly kept: readonly ShapedHunk[];
  readonly repeated: readonly number[];
} {
  const seen = new Set<string>();
  const repeated: number[] = [];
  const kept = hunks.filter((hunk) => {
    if (hunk.hunk.header.numbers === undefined) return true;
    const letters = spell(hunk);
    const isNew = !seen.has(letters);
    seen.add(letters);
    if (!isNew) repeated.push(hunk.hunk.number);
    return isNew;
  });
  return { kept, repeated };
}

/** The same without numbers: as many places as copies means all of them, one place means once. */
export function mergeRepeated(findings: readonly Finding[]): Merged {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    if (finding.hunk.hunk.header.numbers !== undefined) continue;
    const letters = spell(finding.hunk);
    const group = groups.get(letters);
    if (group === undefined) groups.set(letters, [finding]);
    else group.push(finding);
  }
  const left = new Set<Finding>();
  for (const group of groups.values()) {
    const [first, ...others] = group;
    if (first === undefined || others.length === 0 || first.starts.length === group.length) continue;
    if (first.starts.length > 1) return { kept: findings, repeated: [], unclear: first };
    for (const other of others) left.add(other);
  }
  const repeated = [...left].map((finding) => finding.hunk.hunk.number);
  return { kept: findings.filter((finding) => !left.has(finding)), repeated, unclear: undefined };
}

export interface Merged {
  readonly kept: readonly Finding[];
  readonly repeated: readonly number[];
  readonly unclear: Finding | undefined;
}

function spell({ hunk }: ShapedHunk): string {
  return [hunk.header.raw, ...hunk.lines.map((line) => `${line.kind}:${line.text}`)].join("\n");
}
