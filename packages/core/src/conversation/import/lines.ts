import { type Advancing, defined } from "../../text/index.js";
import { isJsonObject, type JsonObject } from "../values/json.js";

/** One line of a JSON Lines file that holds an object. */
export interface SourceLine {
  /** 1-based. */
  readonly line: number;
  readonly value: JsonObject;
}

/** What was wrong in a file that was imported, and what became of it. */
export interface ImportProblem {
  /** 1-based, of the file. */
  readonly line: number;
  /** The name of the file, where it is one beside the session's. */
  readonly file?: string;
  readonly what:
    | "unreadable_line"
    | "unreadable_file"
    | "joined_line"
    | "incomplete_line"
    | "long_line"
    | "foreign_line"
    | "tamed_value"
    | "duplicate_id"
    | "missing_parent"
    | "cycle"
    | "broken_pair"
    | "lost_reference"
    | "missing_id"
    | "invalid_time"
    | "missing_record"
    | "truncated";
  readonly message: string;
}

/** The lines of a session file, and those that could not be read. */
export interface SourceLines {
  readonly lines: readonly SourceLine[];
  readonly problems: readonly ImportProblem[];
}

/** Where something stands, for messages: "Line 3", or "agent-1.jsonl, line 3" in a file beside the session's. */
export function whereOf({ line, file }: { readonly line: number; readonly file?: string }): string {
  return file === undefined ? `Line ${line}` : `${file}, line ${line}`;
}

/** What is known of a text that is read by lines. */
interface LinesOptions {
  /** Its name, where it is a file beside the session's. */
  readonly file?: string;
  /** How many lines of the file stand before it. */
  readonly before?: number;
}

/**
 * Reads a file line by line. A line that is no object is told and left out, but for whole records that were joined in
 * it; empty lines are nothing. What no line of ours could hold is kept as text and told. A carriage return alone ends a
 * line too, where the whole is no object.
 */
export function* readLines(text: string, { file, before = 0 }: LinesOptions = {}): Advancing<SourceLines> {
  const lines: SourceLine[] = [];
  const problems: ImportProblem[] = [];
  const tell = (line: number, { what, said }: Flaw) => {
    const where = { line, ...defined({ file }) };
    problems.push({ ...where, what, message: `${whereOf(where)} ${said}` });
  };
  const take = (raw: string, line: number) => {
    const read = parsed(raw);
    const { values, flaws } =
      read === undefined ? joinedIn(raw) : { values: [read.value], flaws: [read.flaw] };
    for (const value of values) lines.push({ line, value });
    for (const flaw of flaws) if (flaw !== undefined) tell(line, flaw);
  };
  let told = 0;
  let line = before;
  for (let from = 0; from <= text.length; ) {
    const newline = text.indexOf("\n", from);
    const end = newline < 0 ? text.length : newline;
    for (const raw of partsOf(text.slice(from, end))) {
      line += 1;
      if (raw.trim() !== "") take(raw, line);
      if (end - told < stepUnits) continue;
      told = end;
      yield { done: end, of: text.length };
    }
    from = end + 1;
  }
  return { lines, problems };
}

/** What of a line that is no object can be read: the records that were joined in it, whole or behind one that was cut. */
function joinedIn(raw: string): {
  readonly values: readonly JsonObject[];
  readonly flaws: readonly (Flaw | undefined)[];
} {
  const pieces = partsOfJoined(raw.trim(), (text) => parsed(text) !== undefined);
  if (pieces === undefined) return { values: [], flaws: [unreadable(raw)] };
  const reads = pieces.flatMap(({ text }) => parsed(text) ?? []);
  const cut = pieces.filter(({ isCut }) => isCut).reduce((sum, { text }) => sum + text.length, 0);
  const flaw: Flaw =
    cut === 0
      ? {
          what: "joined_line",
          said: `holds ${reads.length} records without a line end between them; all were kept.`,
        }
      : {
          what: "unreadable_line",
          said: `begins with a record that was cut (${cut} characters), which was left out; what is written behind it was kept.`,
        };
  return { values: reads.map(({ value }) => value), flaws: [flaw, ...reads.map((read) => read.flaw)] };
}

/** Raw carriage returns stand in no text of JSON, so that nothing is cut there that was whole. */
function partsOf(raw: string): readonly string[] {
  const lone = raw.indexOf("\r");
  if (lone < 0 || lone === raw.length - 1 || parsed(raw) !== undefined) return [raw];
  return raw.replace(/\r$/u, "").split("\r");
}

/** In UTF-16 units: parsed in some milliseconds. */
const stepUnits = 64 * 1024;

/** What of a line was not kept as it was. */
export interface Flaw {
  readonly what: ImportProblem["what"];
  readonly said: string;
}

/**
 * Reads a line, or a part of a document. Undefined: it is no JSON object.
 *
 * @param levels how many it may have, where it stands deep in a document.
 */
export function parsed(
  raw: string,
  levels = mostLevels,
): { readonly value: JsonObject; readonly flaw: Flaw | undefined } | undefined {
  try {
    // A mark of the order of bytes may stand before any line of files that were put together.
    const value: unknown = JSON.parse(raw.trim());
    if (levels === mostLevels && isJsonObject(value)) return { value, flaw: undefined };
    const changed = new Set<string>();
    const plain = tamed(value, levels, changed);
    if (!isJsonObject(plain)) return undefined;
    const said = `holds ${[...changed].join(" and ")}.`;
    return { value: plain, flaw: changed.size === 0 ? undefined : { what: "tamed_value", said } };
  } catch {
    return undefined;
  }
}

/** What JSON can write and no line of ours can hold, as something that it can. */
function tamed(value: unknown, levels: number, changed: Set<string>): unknown {
  if (typeof value === "number") {
    // A zero below zero is the same number.
    if (Number.isFinite(value)) return Object.is(value, -0) ? 0 : value;
    changed.add("a number that is too great, which was kept as text");
    return String(value);
  }
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) {
    changed.add("more levels than are kept; the deeper ones were kept as text");
    return deepToJson(value);
  }
  if (Array.isArray(value)) return value.map((item) => tamed(item, levels - 1, changed));
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    if (key === "__proto__") changed.add("a key __proto__, which was kept as (__proto__)");
    return [key === "__proto__" ? "(__proto__)" : key, tamed(item, levels - 1, changed)];
  });
  return Object.fromEntries(entries);
}

/** In a line of ours a value stands a few levels deeper than in theirs. */
export const mostLevels = 150;

function unreadable(raw: string): Flaw {
  return { what: "unreadable_line", said: `is no JSON object (${raw.length} characters); it was left out.` };
}

/** As `JSON.stringify`, for a value of any number of levels that JSON was parsed to: that one runs out of stack. */
function deepToJson(value: unknown): string {
  const written: string[] = [];
  const waiting: WaitingJson[] = [{ value }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "string") written.push(next);
    else if (typeof next.value !== "object" || next.value === null) written.push(JSON.stringify(next.value));
    else {
      // What comes last is written first.
      const parts = jsonParts(next.value);
      for (let at = parts.length - 1; at >= 0; at -= 1) waiting.push(parts[at] ?? "");
    }
  }
  return written.join("");
}

/** A text that is written as it is, or a value. */
type WaitingJson = string | { readonly value: unknown };

function jsonParts(value: object): readonly WaitingJson[] {
  const parts: WaitingJson[] = [Array.isArray(value) ? "[" : "{"];
  for (const [at, [key, item]] of Object.entries(value).entries()) {
    if (at > 0) parts.push(",");
    if (!Array.isArray(value)) parts.push(`${JSON.stringify(key)}:`);
    parts.push({ value: item });
  }
  parts.push(Array.isArray(value) ? "]" : "}");
  return parts;
}

/** A piece of a line that holds more than one record, or the end of one behind the beginning of another. */
interface LinePiece {
  readonly text: string;
  /** It is the beginning of a record that was cut. */
  readonly isCut: boolean;
}

/**
 * Parts a line that is no JSON where the line end between two records was lost, or where one was written behind
 * another that had been cut, as after a kill. Where a second record begins is certain: it is the bracket at which, or
 * right before which, the grammar of JSON breaks, and all behind it is whole.
 *
 * `{"a":1}{"b":2}` breaks at the second bracket. `{"a":"on{"b":2}` breaks at the `b`, since the quote before it ended
 * the text that had begun with `on`.
 *
 * @param isWhole whether a text is a record.
 * @returns undefined where no record is whole.
 */
function partsOfJoined(raw: string, isWhole: (text: string) => boolean): readonly LinePiece[] | undefined {
  // What a file system had not written yet when the power went is zeros.
  const zeros = zerosOf(raw);
  const pieces: LinePiece[] = zeros === 0 ? [] : [{ text: raw.slice(0, zeros), isCut: true }];
  let rest = raw.slice(zeros);
  if (zeros > 0 && isWhole(rest)) return [...pieces, { text: rest, isCut: false }];
  // A line of thousands of records would be broken at each of them, and parsed to its end each time.
  for (let tries = 0; tries < mostPieces; tries += 1) {
    const at = breakIn(rest);
    const begin = at === undefined ? -1 : rest.lastIndexOf("{", at);
    if (begin <= 0) return undefined;
    const first = rest.slice(0, begin);
    pieces.push({ text: first, isCut: !isWhole(first) });
    rest = rest.slice(begin);
    if (isWhole(rest)) return [...pieces, { text: rest, isCut: false }];
  }
  return undefined;
}

const mostPieces = 64;

function zerosOf(raw: string): number {
  let at = 0;
  while (raw.charCodeAt(at) === 0) at += 1;
  return at;
}

/** Where a text stops to be JSON; undefined where it only ends too early. */
function breakIn(text: string): number | undefined {
  const open: string[] = [];
  let awaits: "value" | "key" | "colon" | "next" = "value";
  for (let at = 0; at < text.length; ) {
    const sign = text.charAt(at);
    if (/\s/u.test(sign)) at += 1;
    else if (sign === '"' && (awaits === "value" || awaits === "key")) {
      const end = endOfText(text, at);
      if (end.isBroken) return end.at;
      at = end.at;
      awaits = awaits === "key" ? "colon" : "next";
    } else if ((sign === "{" || sign === "[") && awaits === "value") {
      open.push(sign);
      awaits = sign === "{" ? "key" : "value";
      at += 1;
    } else if (sign === "}" || sign === "]") {
      if (open.pop() !== (sign === "}" ? "{" : "[") || awaits === "colon") return at;
      awaits = "next";
      at += 1;
    } else if (sign === ":" && awaits === "colon") {
      awaits = "value";
      at += 1;
    } else if (sign === "," && awaits === "next" && open.length > 0) {
      awaits = open.at(-1) === "{" ? "key" : "value";
      at += 1;
    } else if (awaits === "value" && /[-\w]/.test(sign)) {
      at = endOfWord(text, at);
      awaits = "next";
    } else return at;
  }
  return undefined;
}

function endOfText(text: string, from: number): { readonly at: number; readonly isBroken: boolean } {
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '"') return { at: at + 1, isBroken: false };
    if (sign !== "\\") continue;
    at += 1;
    const hex = text.charAt(at) === "u" ? /[\da-f]{0,4}/iy : undefined;
    if (hex === undefined && !/["\\/bfnrt]/.test(text.charAt(at))) return { at, isBroken: true };
    if (hex === undefined) continue;
    hex.lastIndex = at + 1;
    const digits = hex.exec(text)?.[0].length ?? 0;
    if (digits < 4) return { at: at + 1 + digits, isBroken: true };
    at += 4;
  }
  return { at: text.length, isBroken: false };
}

/** Of a number or a word such as `true`. */
function endOfWord(text: string, from: number): number {
  let at = from;
  while (/[-+.\w]/.test(text.charAt(at))) at += 1;
  return at;
}
