import { createHash } from "node:crypto";
import { applyEdits } from "@holdfast/core/files";
import { joinSpans, type LineSpan, lineEdits, placeSteps } from "@holdfast/core/files/seen";
import type { HostFact } from "@holdfast/core/node";
import { diffTexts } from "@holdfast/core/patch";
import { splitLines } from "@holdfast/core/text";
import type { GuardedFile } from "./guarded-file.js";
import type { HookEvent, ReadWindow, TextEdit, ToolCall } from "./hook-event.js";
import { countLines, decode, lfEdit, withLf } from "./host-text.js";

/**
 * What a host's session knows after a call, if its tool does exactly what it was asked to: facts, each to be
 * believed if the file is then in the state that it is about. Hosts differ in what they do about byte order
 * marks and line endings, so there are several. What is none of them (a match that was not exact, a
 * formatter) was not seen by anybody.
 */
export function expectedFacts(call: ToolCall, file: GuardedFile): readonly HostFact[] {
  const { sha256, bytes } = file;
  switch (call.kind) {
    case "read":
      return sha256 === null ? [] : [linesRead(sha256, decode(bytes), call.window)];
    case "overwrite":
      return variants(call.content, bytes).map((text) => written(sha256, text));
    case "edit": {
      const text = decode(bytes);
      return text === undefined ? [] : editedFacts(sha256, text, call.edits);
    }
    case "command":
    case "search":
    case "own":
    case "other":
      return [];
    default:
      return call satisfies never;
  }
}

/** Nobody can say which of its lines are known. */
export function someOf(sha256: string): HostFact {
  return { kind: "shown", sha256, lines: [], someText: true };
}

/** All lines of a text that was shown whole. */
export function wholeText(sha256: string, text: string): HostFact {
  const total = countLines(text);
  return { kind: "shown", sha256, lines: total === 0 ? [] : [{ from: 1, to: total }], total };
}

/** What a tool says that it made of a file. */
export function factsOfMade({ before, after }: NonNullable<HookEvent["made"]>) {
  const changes = lineEdits(diffTexts(before, after, compareMs));
  const states = { before: hash(before), after: hash(after) };
  return { kind: "changed", ...states, version: 0, total: countLines(after), changes } as const;
}

/** How many lines a file has, where it is UTF-8 text. */
export function totalLines({ bytes }: GuardedFile): number | undefined {
  const text = decode(bytes);
  return text === undefined ? undefined : countLines(text);
}

/** Hosts cut long files and long lines without asking. */
const mostLines = 2_000;
const mostUnits = 2_000;

function linesRead(sha256: string, text: string | undefined, window: ReadWindow | undefined): HostFact {
  const shown = { kind: "shown", sha256, someText: true } as const;
  if (text === undefined || window === undefined) return { ...shown, lines: [] };
  const { contents } = splitLines(text);
  const total = contents.length;
  const { from } = window;
  const to = Math.min(window.to, from + mostLines - 1, total);
  // Hosts do not take a lone carriage return for the end of a line: their numbers are others.
  if (/\r(?!\n)/.test(text) && (from > 1 || to < total)) return { ...shown, lines: [], total };
  const lines: LineSpan[] = [];
  for (let line = from; line <= to; line++) {
    if ((contents[line - 1] ?? "").length <= mostUnits) lines.push({ from: line, to: line });
  }
  return { ...shown, lines: joinSpans(lines), total };
}

/** All of the text stood in the call. */
function written(before: string | null, text: string): HostFact {
  const total = countLines(text);
  const authored = total === 0 ? [] : [{ from: 1, to: total }];
  return { kind: "changed", before, after: hash(text), version: 0, total, authored };
}

function editedFacts(sha256: string | null, text: string, edits: readonly TextEdit[]): readonly HostFact[] {
  const exact = applyAll(text, edits);
  const plainText = withLf(text);
  const plainEdits = edits.map(lfEdit);
  const plain = applyAll(plainText, plainEdits);
  const facts = exact === undefined ? [] : [edited(sha256, text, edits, exact, exact)];
  if (plain === undefined) return facts;
  const variant = (after: string) => edited(sha256, plainText, plainEdits, plain, after);
  const others = [plain, withCrlf(plain)].filter((after) => after !== exact);
  return [...facts, ...others.map(variant)];
}

/** @param after the same lines as `plain`, in the endings that the host leaves. */
function edited(
  before: string | null,
  text: string,
  edits: readonly TextEdit[],
  plain: string,
  after: string,
): HostFact {
  if (text === "") return written(before, after);
  const total = countLines(after);
  const edited = editsOf(text, edits, plain) ?? {
    changes: lineEdits(diffTexts(text, plain, compareMs)),
    authored: [],
  };
  return { kind: "changed", before, after: hash(after), version: 0, total, ...edited, derived: true };
}

/** Where exactly the edits were made, if our own exact edits come to the same text. */
function editsOf(text: string, edits: readonly TextEdit[], after: string) {
  const exact = edits.map(({ oldText, newText, all }) => ({
    oldString: oldText,
    newString: newText,
    replaceAll: all,
  }));
  const done = applyEdits(text, exact, { path: "" });
  return done.kind === "edited" && done.text === after ? placeSteps(done.steps) : undefined;
}

const compareMs = 200;

function applyAll(text: string, edits: readonly TextEdit[]): string | undefined {
  let edited = text;
  for (const { oldText, newText, all } of edits) {
    if (oldText === "") {
      if (edited !== "") return undefined;
      edited = newText;
      continue;
    }
    const parts = edited.split(oldText);
    if (parts.length === 1) return undefined;
    edited = all ? parts.join(newText) : `${parts[0]}${newText}${parts.slice(1).join(oldText)}`;
  }
  return edits.length === 0 ? undefined : edited;
}

function variants(content: string, before: Uint8Array | undefined): readonly string[] {
  const endings = [content, withLf(content), withCrlf(content)];
  const marked = before?.[0] === 0xef && before[1] === 0xbb && before[2] === 0xbf;
  return marked ? [...endings, ...endings.map((text) => `\ufeff${text}`)] : endings;
}

function withCrlf(text: string): string {
  return withLf(text).replaceAll("\n", "\r\n");
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
