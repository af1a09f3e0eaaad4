import { diffLines } from "../compare/line-diff.js";
import { type Hunk, type HunkLine, ListedHunk } from "../model/hunk.js";
import { LineTable } from "../model/line-table.js";
import type { Steps } from "../model/steps.js";
import type { Repair } from "../model/types.js";
import { DiffReader, type ReadingContext } from "./diff-reader.js";
import { findHeredocEnd } from "./parse-envelope.js";
import {
  type Dialect,
  dialectNames,
  findDialect,
  isOfDiff,
  opensBlock,
  startsHeader,
  strangeLine,
} from "./parse-header.js";
import {
  type FileSection,
  findDiffSpans,
  hunkLimit,
  LineAccount,
  type LineKind,
  SectionList,
} from "./sections.js";

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

/** What SEARCH/REPLACE blocks come to, or what is wrong with one of them. */
interface ReadBlocks {
  readonly hunks: readonly Hunk[];
  readonly sections: readonly FileSection[];
  readonly flaw: string | undefined;
}

/**
 * Reads SEARCH/REPLACE blocks. Each becomes a hunk: lines that both sides share are context, the others are
 * removed and added.
 */
function* readBlocks(lines: LineTable, context: ReadingContext, account: LineAccount): Steps<ReadBlocks> {
  const hunks: Hunk[] = [];
  const sections = new SectionList();
  const done = (flaw?: string) => ({ hunks, sections: sections.finish(), flaw });
  let last: string | undefined;
  let at = 0;
  while (at < lines.count && hunks.length <= hunkLimit && !context.deadline.passes()) {
    const line = lines.line(at);
    if (!opensBlock(line)) {
      if (isOfDiff(line) || startsHeader(lines, at)) return done(strangeLine(line, "search_replace"));
      at += 1;
      if (at % 1_024 === 0) yield;
      continue;
    }
    yield;
    if (context.deadline.late()) break;
    const block = findBlock(lines, at, hunks.length + 1);
    if (block.kind === "flaw") return done(block.text);
    hunks.push(toHunk(lines, block, hunks.length + 1));
    const above = lineAbove(lines, at);
    const name = namesFile(above) ? above : last;
    account.takeOuter(at, namesFile(above) ? above : undefined);
    account.take("hunk", block.to);
    const other = /[^\s/]+\.\w{1,8}$/.exec(above)?.[0];
    if (name === last && last?.endsWith(other ?? "") === false)
      return done(
        `SEARCH/REPLACE block ${hunks.length} may be for ${JSON.stringify(last)} or for ${JSON.stringify(other)}. Write the name of its file alone into the line above it; for a name with blanks send a unified diff.`,
      );
    if (name !== undefined && name !== last) sections.noteNames({ old: name, new: name });
    last = name;
    sections.notePiece(block.from, block.to, 1, 1, 1);
    at = block.to;
  }
  account.takeOuter(lines.count);
  return done();
}

interface Block {
  readonly kind: "block";
  readonly from: number;
  /** The first line that is searched for, and the line of the divider. */
  readonly search: number;
  readonly divider: number;
  /** The line of the closing marker, and the line after it. */
  readonly closing: number;
  readonly to: number;
  /** A line number that the block names; 0 for none. */
  readonly startLine: number;
}

function findBlock(
  lines: LineTable,
  from: number,
  number: number,
): Block | { readonly kind: "flaw"; readonly text: string } {
  const dividers: number[] = [];
  const flaw = (text: string) => ({ kind: "flaw", text: `SEARCH/REPLACE block ${number} ${text}` }) as const;
  for (let at = from + 1; at < lines.count; at++) {
    const line = lines.line(at);
    if (opensBlock(line)) break;
    if (/^={5,9}\s*$/.test(line)) dividers.push(at);
    if (!/^>{5,9} ?REPLACE\s*$/.test(line)) continue;
    const [divider, second] = dividers;
    if (divider === undefined)
      return flaw("has no line `=======` between what is searched and what replaces it.");
    if (second !== undefined)
      return flaw(
        "has more than one line `=======`, so it is not clear where its search ends. Send this change as a unified diff.",
      );
    return { kind: "block", from, divider, closing: at, to: at + 1, ...findSearch(lines, from, divider) };
  }
  return flaw("has no closing line `>>>>>>> REPLACE`.");
}

/** Some models head the searched lines with `:start_line:12` and a rule of dashes. */
function findSearch(
  lines: LineTable,
  from: number,
  divider: number,
): { readonly search: number; readonly startLine: number } {
  let search = from + 1;
  let startLine = 0;
  for (; search < divider; search++) {
    const [, name, value = ""] = /^:(start|end)_line:\s*(\d{1,9})\s*$/.exec(lines.line(search)) ?? [];
    if (name === undefined) break;
    if (name === "start") startLine = +value;
  }
  if (search > from + 1 && /^-{5,9}\s*$/.test(lines.line(search))) search += 1;
  return { search, startLine };
}

function toHunk(lines: LineTable, block: Block, number: number): Hunk {
  const { search, divider, closing, startLine } = block;
  const old = cut(lines, search, divider);
  const fresh = cut(lines, divider + 1, closing);
  const body: HunkLine[] = [];
  const put = (kind: HunkLine["kind"], first: number, from: number, to: number) => {
    for (let at = first + from; at < first + to; at++) {
      body.push({ kind, text: lines.line(at), ending: lines.ending(at) ?? "", bare: false });
    }
  };
  let at = 0;
  for (const change of diffLines(old, fresh, blockDiffMs)) {
    put("context", search, at, change.oldFrom);
    put("removed", search, change.oldFrom, change.oldTo);
    put("added", divider + 1, change.newFrom, change.newTo);
    at = change.oldTo;
  }
  put("context", search, at, old.length);
  const counts = { oldCount: old.length, newCount: fresh.length };
  const numbers = startLine === 0 ? undefined : { oldStart: startLine, newStart: startLine, ...counts };
  const header = { raw: "", numbers, anchors: [] };
  return new ListedHunk(
    { number, header, oldLacksNewline: false, newLacksNewline: false, atEnd: false },
    body,
  );
}

function cut(lines: LineTable, from: number, to: number): readonly string[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => lines.line(from + at));
}

/** The line before a block, before its fence or after it, without what marks it as a name; "" for none. */
function lineAbove(lines: LineTable, from: number): string {
  for (let at = from - 1; at >= Math.max(0, from - 3); at--) {
    const line = lines
      .line(at)
      .slice(0, nameLimit + 1)
      .trim();
    if (line.length > nameLimit) return "";
    if (line === "" || /^(`{3,}|~{3,})[\w+-]*$/.test(line)) continue;
    if (/^>{5,9} ?REPLACE$/.test(line)) return "";
    return line.replace(/^(#+|file(name)?:|path:)\s*/i, "").replace(/^[*`"']+|[*`"':]+$/g, "");
  }
  return "";
}

/** A word with a dot or a slash in it, or one such as `Makefile`. */
function namesFile(text: string): boolean {
  return /^([^\s:*?"<>|]+[./][^\s:*?"<>|]+|[A-Z]\w+)$/.test(text) && !/[.,;!]$/.test(text);
}

/** No name of a file is longer. */
const nameLimit = 1_024;
/** Comparing the two sides of one block may take this long; then all of it is one change. */
const blockDiffMs = 100;
