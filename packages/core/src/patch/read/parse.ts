import type { Hunk } from "../model/hunk.js";
import { LineTable } from "../model/line-table.js";
import type { Steps } from "../model/steps.js";
import type { Repair } from "../model/types.js";
import { LineAccount, type LineKind } from "./account.js";
import { type Dialect, dialectNames, findDialect } from "./dialect.js";
import { DiffReader, type ReadingContext } from "./diff-reader.js";
import { readBlocks } from "./parse-blocks.js";
import { findHeredocEnd } from "./parse-envelope.js";
import { findDiffSpans } from "./parse-fences.js";
import type { FileSection } from "./sections.js";

/** What a model sent, read as far as it can be read without the file. */
export interface ParsedDiff {
  readonly dialect: Dialect;
  readonly hunks: readonly Hunk[];
  /** What it says about each file, in the order of the diff; a file may have several sections. */
  readonly sections: readonly FileSection[];
  /** What each of its lines is. */
  readonly account: readonly LineKind[];
  readonly repairs: readonly Repair[];
  /** What makes it unreadable, in words; no hunk counts then. */
  readonly flaw: string | undefined;
}

/**
 * Reads a diff as models write it: fences and prose around it, headers damaged or missing, counts wrong,
 * context lines without their space; or another dialect, whose changes become the same hunks. Never fails;
 * what is no diff has no hunks. Once the deadline has passed, what is returned is incomplete and means
 * nothing.
 */
export function* parseDiff(diff: string, context: ReadingContext): Steps<ParsedDiff> {
  const lines = new LineTable(diff.startsWith("\ufeff") ? diff.slice(1) : diff);
  return yield* parseLines(lines, context);
}

/** The same for a diff that was split into lines before. */
export function* parseLines(lines: LineTable, context: ReadingContext): Steps<ParsedDiff> {
  const dialect = findDialect(lines);
  yield;
  const dialectRepairs: readonly Repair[] =
    dialect === "unified" ? [] : [{ kind: "dialect", detail: `read as ${dialectNames[dialect]}` }];
  if (dialect === "search_replace") {
    const account = new LineAccount(lines);
    const read = yield* readBlocks(lines, context, account);
    const repairs = [...dialectRepairs, ...account.describeText()];
    return { dialect, repairs, account: account.kinds, ...read };
  }
  const reader = new DiffReader(lines, context, dialect === "v4a");
  const end = dialect === "v4a" ? findHeredocEnd(lines) : lines.count;
  const spans = findDiffSpans(lines, end, context.deadline);
  yield;
  const [first] = spans;
  if (first !== undefined && (first.from > 0 || spans.length > 1))
    reader.repairs.push({ kind: "fence_removed", detail: "Markdown fence left out" });
  let at = 0;
  for (const span of spans) {
    reader.leaveOutSpan({ from: at, to: span.from });
    yield* reader.readSpan(span);
    at = span.to;
  }
  reader.leaveOutSpan({ from: at, to: lines.count });
  if (dialect === "unified" && reader.hunks.length === 0)
    for (const span of spans) yield* reader.readBareSpan(span);
  reader.account.take("text", lines.count);
  const sections = reader.finish();
  return {
    dialect,
    hunks: reader.hunks,
    sections,
    account: reader.account.kinds,
    repairs: [...dialectRepairs, ...reader.repairs, ...reader.account.describeText()],
    flaw: reader.flaw,
  };
}
