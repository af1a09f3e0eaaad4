import { type ImportProblem, mostLevels, parsed, type SourceLine } from "@holdfast/core/conversation/import";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import type { Advancing } from "@holdfast/core/text";
import { endOfString } from "./json-scan.js";

/** Members whose items are records of their own. */
export const listNames: ReadonlySet<string> = new Set(["messages", "history", "items"]);

/** What can be read of a document. */
interface IndentedDocument {
  readonly header: JsonObject;
  readonly items: readonly SourceLine[];
  /** By row, each that is not kept. */
  readonly problems: readonly ImportProblem[];
}

/**
 * Reads a damaged JSON document by its indentation: each member and each item stands on rows of its own, so that what
 * is damaged costs its row, and not what follows. A row that opened a list or an object and is lost is known by what
 * stands deeper behind it; its name is taken for the one that opencode writes there.
 */
export function* readIndented(text: string): Advancing<IndentedDocument> {
  const reader = new IndentedReader(text);
  const header: Record<string, JsonValue> = {};
  const items: SourceLine[] = [];
  for (const { key, row, value } of reader.top()) {
    const isList = listNames.has(key) ? Array.isArray(value) : holdsRecords(value);
    if (isList && !listNames.has(key))
      reader.tell(row, "bears another name than a list of messages; it was taken for one");
    if (isList) for (const item of reader.itemsOf(value)) items.push(item);
    else header[key] = value;
    yield { done: row, of: reader.rows.length };
  }
  return { header, items, problems: reader.problems };
}

/** Whether it is a list of messages, whatever it is called. */
export function holdsRecords(value: JsonValue): boolean {
  const isRecord = (item: JsonValue) =>
    isJsonObject(item) &&
    (isJsonObject(item.info) || (typeof item.id === "string" && typeof item.type === "string"));
  return Array.isArray(value) && value.length > 0 && (value as readonly JsonValue[]).every(isRecord);
}

/** Where something is that was read. */
interface DocumentPiece {
  readonly key: string;
  /** From 0. */
  readonly row: number;
  readonly value: JsonValue;
}

class IndentedReader {
  readonly problems: ImportProblem[] = [];
  readonly rows: readonly string[];
  /** The rows in which the items of a list begin. */
  private readonly rowsOf = new WeakMap<object, readonly number[]>();
  private readonly indents: readonly number[];
  private readonly step: number;
  /** In UTF-16 units: what may yet be parsed in vain. Behind it all is read by rows, which costs each of them once. */
  private left: number;

  constructor(text: string) {
    this.rows = text.split("\n").map((row) => withoutStray(row.trimEnd()));
    this.indents = this.rows.map(indentOf);
    this.step = stepOf(this.indents);
    this.left = triesOfAll * text.length;
  }

  *top(): Generator<DocumentPiece> {
    const first = this.rows.findIndex((row) => row !== "");
    const whole = this.rows[first] ?? "";
    if (whole === "[")
      yield { key: "messages", row: first, value: this.items(first + 1, this.rows.length, this.step) };
    else yield* this.members(whole === "{" ? first + 1 : first, this.rows.length, this.step, "messages");
  }

  /** The objects in a list, as if each were a line. */
  itemsOf(list: JsonValue): readonly SourceLine[] {
    if (!Array.isArray(list)) return [];
    const rows = this.rowsOf.get(list) ?? [];
    return (list as readonly JsonValue[]).flatMap((value, at) =>
      isJsonObject(value) ? [{ line: (rows[at] ?? 0) + 1, value }] : [],
    );
  }

  /** @param lostList what a list is called whose first row is lost. */
  private *members(from: number, to: number, indent: number, lostList: string): Generator<DocumentPiece> {
    for (let row = from; row < to; ) {
      const text = this.rows[row] ?? "";
      const own = this.indentAt(row);
      const begun = own === indent + this.step ? kindOf(text) : undefined;
      const end = this.endOfMember(row, to, indent, begun !== undefined);
      if (begun !== undefined) {
        this.tell(row, "stands in what has lost its beginning; it was kept");
        const value = begun === "[" ? this.items(row, end, own) : this.object(row, end, own);
        yield { key: begun === "[" ? lostList : "info", row, value };
      } else if (own === indent && !isClosing(text)) yield* this.member(row, end, indent, lostList);
      else if (text !== "" && !isClosing(text)) this.tell(row, lost);
      row = end;
    }
  }

  /** The next row that may begin another one. */
  private endOfMember(row: number, to: number, indent: number, isBegun: boolean): number {
    const isOwn = this.indentAt(row) === indent && !isClosing(this.rows[row] ?? "");
    if (!isOwn && !isBegun) return row + 1;
    let end = row + 1;
    for (; end < to; end += 1) {
      const text = this.rows[end] ?? "";
      if (text === "" || this.indentAt(end) > indent) continue;
      // What closes it is its own.
      return isClosing(text) && this.indentAt(end) === indent ? end + 1 : end;
    }
    return end;
  }

  private *member(row: number, end: number, indent: number, lostList: string): Generator<DocumentPiece> {
    const text = (this.rows[row] ?? "").trim();
    const named = namedIn(text);
    if (named !== undefined) {
      const value = this.value(row, end, named.head, indent);
      if (value !== undefined) yield { key: this.keyOf(named.key, row), row, value };
      return;
    }
    this.tell(row, lost);
    const opened = this.openedBy(row, end, indent);
    if (opened === undefined) return;
    const value = this.value(row, end, opened, indent);
    if (value !== undefined) yield { key: opened === "[" ? lostList : "info", row, value };
  }

  private keyOf(key: string, row: number): string {
    if (key !== "__proto__") return key;
    this.tell(row, "holds a key __proto__, which was kept as (__proto__)", "tamed_value");
    return "(__proto__)";
  }

  /** What a damaged row began, by its end or by what stands deeper behind it. */
  private openedBy(row: number, end: number, indent: number): "[" | "{" | undefined {
    const [text = "", next = ""] = [this.rows[row], row + 1 < end ? this.rows[row + 1] : ""];
    if (text.endsWith("[")) return "[";
    if (text.endsWith("{")) return "{";
    return indentOf(next) > indent ? kindOf(next) : undefined;
  }

  private items(from: number, to: number, indent: number): readonly JsonValue[] {
    const list: JsonValue[] = [];
    const rows: number[] = [];
    for (let row = from; row < to; ) {
      const text = this.rows[row] ?? "";
      if (text === "" || isClosing(text) || this.indentAt(row) < indent) {
        row += 1;
        continue;
      }
      let end = row + 1;
      while (end < to && (this.rows[end] === "" || this.indentAt(end) > indent)) end += 1;
      if (end < to && isClosing(this.rows[end] ?? "") && this.indentAt(end) === indent) end += 1;
      const isOpen = this.indentAt(row) === indent;
      if (!isOpen) this.tell(row, "stands in an object whose beginning is lost; it was kept");
      const value = isOpen
        ? this.value(row, end, text.trim(), indent)
        : this.object(row, end, indent + this.step);
      if (value !== undefined) {
        list.push(value);
        rows.push(row);
      }
      row = end;
    }
    this.rowsOf.set(list, rows);
    return list;
  }

  private object(from: number, to: number, indent: number): JsonObject {
    const object = new Map<string, JsonValue>();
    for (const { key, value } of this.members(from, to, indent, "parts"))
      if (isNothing(object.get(key))) object.set(key, value);
    return Object.fromEntries(object);
  }

  /** @param head what stands in its first row. */
  private value(row: number, end: number, head: string, indent: number): JsonValue | undefined {
    const isList = head === "[";
    const isTop = indent === this.step && isList;
    const whole = isTop ? undefined : this.wholeRows(row, end, head, indent);
    if (whole !== undefined) return whole;
    if (isList || head === "{") return this.below(row, end, head, indent);
    const alone = this.whole(head, row, indent);
    if (alone === undefined) {
      this.tell(row, lost);
      const opened = this.openedBy(row, end, indent);
      return opened === undefined ? undefined : this.value(row, end, opened, indent);
    }
    for (let other = row + 1; other < end; other += 1)
      if (this.rows[other] !== "" && !isClosing(this.rows[other] ?? "")) this.tell(other, lost);
    return alone;
  }

  /** What stands deeper than its first row. */
  private below(row: number, end: number, head: "[" | "{", indent: number): JsonValue {
    const inner = indent + this.step;
    if (this.levelsBelow(indent) <= 0) {
      this.tell(row, deeper, "tamed_value");
      return this.textOf(row, end, head);
    }
    return head === "[" ? this.items(row + 1, end, inner) : this.object(row + 1, end, inner);
  }

  private wholeRows(row: number, end: number, head: string, indent: number): JsonValue | undefined {
    if (end <= row + 1) return undefined;
    if (this.left < 0) return undefined;
    const text = this.textOf(row, end, head);
    const whole = this.whole(text, row, indent);
    if (whole === undefined) this.left -= text.length;
    return whole;
  }

  private textOf(row: number, end: number, head: string): string {
    return [head, ...this.rows.slice(row + 1, end)].join("\n");
  }

  private whole(raw: string, row: number, indent: number): JsonValue | undefined {
    const text = raw.trimEnd();
    const levels = this.levelsBelow(indent) + 1;
    const read = parsed(`{"value":${text.endsWith(",") ? text.slice(0, -1) : text}}`, levels);
    if (read?.flaw !== undefined)
      this.problems.push({ ...problemAt(row, read.flaw.said), what: read.flaw.what });
    return read?.value.value;
  }

  /** How many levels a value may have that stands in a row of this indentation. */
  private levelsBelow(indent: number): number {
    return mostLevels - Math.ceil(indent / this.step);
  }

  private indentAt(row: number): number {
    return this.indents[row] ?? 0;
  }

  tell(row: number, said: string, what: ImportProblem["what"] = "unreadable_line"): void {
    this.problems.push({ ...problemAt(row, `${said}.`), what });
  }
}

/** A document of some levels is parsed in vain as often as it has any. */
const triesOfAll = 16;

const lost = "of the document is damaged; it was left out";
const deeper = "holds more levels than are kept; the deeper ones were kept as text";

/** The key of a member and what stands behind it in its row. */
function namedIn(text: string): { readonly key: string; readonly head: string } | undefined {
  const end = text.startsWith('"') ? endOfString(text, 0) : undefined;
  if (end === undefined || text[end] !== ":") return undefined;
  const key = parsed(`{"value":${text.slice(0, end)}}`)?.value.value;
  const head = text.slice(/\s/u.test(text.charAt(end + 1)) ? end + 2 : end + 1);
  return typeof key === "string" ? { key, head } : undefined;
}

/** What a row stands in. */
function kindOf(row: string): "[" | "{" | undefined {
  const [first] = row.trimStart();
  return first === "{" ? "[" : first === '"' ? "{" : undefined;
}

/**
 * One wrong byte in the indentation moves no row: `  x "id": 1` and `  " "id": 1` are `    "id": 1`. A string that
 * begins with a blank, as in `    " {x}",`, has no wrong byte: it ends, and nothing but a comma or a colon follows.
 */
function withoutStray(row: string): string {
  const at = endOfSpaces(row, 0);
  const sign = String.fromCodePoint(row.codePointAt(at) ?? 32);
  const next = endOfSpaces(row, at + sign.length);
  if (!['"', "{", "}", "[", "]"].includes(row.charAt(next))) return row;
  const isStray = sign === '"' ? next > at + 1 && !isText(row, at) : !/[\s"{}[\],]/u.test(sign);
  return isStray ? `${row.slice(0, at)} ${row.slice(at + sign.length)}` : row;
}

function endOfSpaces(row: string, from: number): number {
  let at = from;
  while (row[at] === " ") at += 1;
  return at;
}

/** Whether a string stands here with what may follow it in its row. */
function isText(row: string, from: number): boolean {
  const end = endOfString(row, from);
  if (end === undefined) return false;
  const rest = row.slice(end).trim();
  return rest === "" || rest === "," || rest.startsWith(":");
}

/** The least indentation that more than one row has. */
function stepOf(indents: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const indent of indents) counts.set(indent, (counts.get(indent) ?? 0) + 1);
  const found = [...counts].filter(([indent, count]) => indent > 0 && count > 1).map(([indent]) => indent);
  return found.reduce((least, indent) => Math.min(least, indent), 8);
}

function problemAt(row: number, said: string): { readonly line: number; readonly message: string } {
  return { line: row + 1, message: `Line ${row + 1} ${said}` };
}

/** A row that stands twice begins an empty list first. */
function isNothing(value: JsonValue | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

function indentOf(row: string): number {
  return row.length - row.trimStart().length;
}

function isClosing(row: string): boolean {
  const text = row.trim();
  const end = text.endsWith(",") ? text.length - 1 : text.length;
  if (end === 0) return false;
  for (let at = 0; at < end; at += 1) if (text[at] !== "}" && text[at] !== "]") return false;
  return true;
}
