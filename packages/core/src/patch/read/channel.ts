import type { BaseText } from "../model/base-text.js";
import type { Hunk, HunkLine } from "../model/hunk.js";
import { ListedHunk } from "../model/hunk-lines.js";
import { refusePatch } from "../model/refusal.js";
import type { Deadline } from "../model/steps.js";
import { mapSteps, type Steps } from "../model/steps.js";
import type { PatchRefusal, Repair } from "../model/types.js";

/** Hunks as they were before a channel changed all of their lines by one rule. */
interface RestoredText {
  readonly kind: "restored";
  readonly hunks: readonly Hunk[];
  readonly repairs: readonly Repair[];
}

/**
 * Takes back what a channel did to a whole diff: HTML entities in a diff for a file that has none, and the line
 * numbers of a reading tool pasted before every line. Each is one rule that can be taken back in one way, and
 * the file contradicts none of it. A hunk is decoded as a whole or not at all. Once the deadline has passed,
 * what is returned means nothing.
 *
 * @returns a refusal where a hunk has a character both as it is and encoded, so that no rule explains it.
 */
export function* restoreLines(
  base: BaseText,
  diff: string,
  hunks: readonly Hunk[],
  deadline: Deadline,
): Steps<RestoredText | PatchRefusal> {
  const plain = diff.includes("&") ? yield* withoutEntities(base, hunks, deadline) : undefined;
  if (plain !== undefined && "kind" in plain) return plain;
  const bare = yield* withoutNumbers(base, plain ?? hunks, deadline);
  const repairs: Repair[] = [];
  if (plain !== undefined)
    repairs.push({ kind: "entities", detail: "HTML entities read as the characters they stand for" });
  if (bare !== undefined)
    repairs.push({ kind: "pasted_numbers", detail: "line numbers before the lines of the diff left out" });
  return { kind: "restored", hunks: bare ?? plain ?? hunks, repairs };
}

/**
 * A diff that was escaped once too often is one long line in which every `\n` was a newline.
 *
 * @returns the diff as it was, or undefined where this is none of that kind.
 */
export function unescapeDiff(diff: string): string | undefined {
  const line = diff.trim();
  if (line.includes("\n") || !line.includes("\\n")) return undefined;
  const body = /^"(.*)"$/.exec(line)?.[1] ?? line;
  if (!/^(--- |\+\+\+ |@@|diff --git |```|\*\*\* |<{5,9} ?SEARCH)/.test(body)) return undefined;
  try {
    const text: unknown = JSON.parse(`"${body}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

const entity = /&(?:amp|lt|gt|quot|apos|#39|#x27|#34|#x22);/g;

const characters: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#34;": '"',
  "&#x22;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
};

function* withoutEntities(
  base: BaseText,
  hunks: readonly Hunk[],
  deadline: Deadline,
): Steps<readonly Hunk[] | PatchRefusal | undefined> {
  const encoded = findEncoded(hunks, deadline);
  if (encoded.size === 0 || base.text.search(entity) >= 0) return undefined;
  const plain: Hunk[] = [];
  for (const hunk of hunks) {
    yield;
    if (deadline.late()) return undefined;
    const [context, removed, added] = (["context", "removed", "added"] as const).map((kind) =>
      spellingOf(hunk, encoded, kind),
    );
    const mixed = [context, removed, added].find(
      (one) => one?.raw !== undefined && one.encoded !== undefined,
    );
    // Only context may be encoded alone: it is the file's own in any case.
    const isRaw =
      removed?.raw !== undefined || (removed?.encoded === undefined && context?.raw !== undefined);
    const kept = isRaw ? added?.encoded : undefined;
    const odd = context?.raw !== undefined ? removed?.encoded : undefined;
    const line = mixed?.encoded ?? kept ?? odd;
    if (line !== undefined) return refuseMixed(hunk, line);
    plain.push(decodeHunk(hunk));
  }
  return plain;
}

/** A line with an encoded character, and one that has such a character as it is; undefined where there is none. */
interface Spelling {
  readonly encoded: string | undefined;
  readonly raw: string | undefined;
}

function spellingOf(hunk: Hunk, characters: ReadonlySet<string>, kind: HunkLine["kind"]): Spelling {
  let encoded: string | undefined;
  let raw: string | undefined;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) !== kind) continue;
    const text = hunk.textOf(at);
    const rest = text.replace(entity, "");
    if (rest.length < text.length) encoded ??= text;
    if (raw === undefined && [...characters].some((char) => rest.includes(char))) raw = text;
  }
  return { encoded, raw };
}

function refuseMixed(hunk: Hunk, line: string): PatchRefusal {
  return refusePatch(
    "invalid_diff",
    `Invalid Diff: Hunk ${hunk.number} has characters such as < and & partly as they are and partly as HTML entities, as in ${JSON.stringify(line.trim().slice(0, 120))}, and the file has no entities. Nothing was changed. Write all lines with the characters themselves.`,
    { hunk: hunk.number },
  );
}

function decodeHunk(hunk: Hunk): Hunk {
  return new ListedHunk(
    hunk,
    hunk.lines.map((line) => ({ ...line, text: line.text.replace(entity, decode) })),
  );
}

/**
 * The characters that the lines have encoded, where the old lines have any: no added line says alone what was done to
 * it. One that only added lines have encoded must not stand in the old ones as it is.
 */
function findEncoded(hunks: readonly Hunk[], deadline: Deadline): ReadonlySet<string> {
  const encoded = new Set<string>();
  let inOld = false;
  for (const hunk of hunks) {
    for (let at = 0; at < hunk.count; at++) {
      if (!hunk.textOf(at).includes("&")) continue;
      if (deadline.passes()) return encoded;
      const names = hunk.textOf(at).match(entity) ?? [];
      if (names.length > 0 && hunk.kindOf(at) !== "added") inOld = true;
      for (const name of names) encoded.add(decode(name));
    }
  }
  return inOld ? encoded : new Set();
}

function decode(name: string): string {
  return characters[name] ?? name;
}

const numbered = /^ *(\d{1,9})(\| ?|: |:$|\t|→)/;

function* withoutNumbers(
  base: BaseText,
  hunks: readonly Hunk[],
  deadline: Deadline,
): Steps<readonly Hunk[] | undefined> {
  const [first] = hunks;
  if (first === undefined || first.count === 0 || !numbered.test(first.textOf(0))) return undefined;
  function* everyLine(matches: (line: HunkLine) => boolean): Steps<boolean> {
    let count = 0;
    for (const { lines } of hunks) {
      for (const line of lines) {
        if (++count % 4_096 === 0 || base.takeSearches()) yield;
        if (deadline.passes() || !matches(line)) return false;
      }
    }
    return true;
  }
  if (!(yield* everyLine(({ text }) => numbered.test(text))) || !hunks.every(countsOn)) return undefined;
  if (!(yield* everyLine((line) => line.kind === "added" || !base.hasLine(line.text)))) return undefined;
  return yield* mapSteps(hunks, (hunk) => rewriteLines(hunk, deadline));
}

/** Whether the old lines of a hunk are numbered one after the other. */
function countsOn({ lines }: Hunk): boolean {
  const old = lines
    .filter((line) => line.kind !== "added")
    .map(({ text }) => +(numbered.exec(text)?.[1] ?? 0));
  return old.every((number, at) => at === 0 || number === (old[at - 1] ?? 0) + 1);
}

function rewriteLines(hunk: Hunk, deadline: Deadline): Hunk {
  const rewrite = (line: HunkLine) => ({ ...line, text: line.text.replace(numbered, "") });
  return new ListedHunk(
    hunk,
    hunk.lines.map((line) => (deadline.passes() ? line : rewrite(line))),
  );
}
