import { isDeepStrictEqual } from "node:util";
import { jsonFault } from "@holdfast/agent";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser";

/** One setting that is to be in a file of settings, or out of it. */
export interface Setting {
  /** The members, and the places in lists, from the root of the file to the value. */
  readonly path: readonly (string | number)[];
  /** Absent if the setting is to be taken out. */
  readonly value?: unknown;
  /** The value to write where one is there already: the person's own part of it may stay. `value` unless given. */
  readonly merge?: (present: unknown) => unknown;
}

/** The text of a settings file with the settings in it; comments and all else stay as they are. */
export type ChangedSettings = { readonly kind: "changed"; readonly text: string } | Refusal;

/**
 * Puts settings into a file of JSON, or takes them out, one after the other.
 *
 * @param text the file, "" where there is none.
 * @returns `invalid_arguments` where the file is not JSON with comments, or where something else stands in
 *   the way of a setting: nothing is guessed about a file that cannot be read.
 */
export function changeSettings(text: string, settings: readonly Setting[]): ChangedSettings {
  const removes = settings.every((setting) => !("value" in setting));
  if (removes && holdsNoValue(text)) return { kind: "changed", text };
  let changed = holdsNoValue(text) ? withObject(text) : text;
  for (const setting of settings) {
    const next = changeSetting(changed, setting);
    if (isRefusal(next)) return next;
    changed = next.text;
  }
  return { kind: "changed", text: changed };
}

/** Nothing stands there, or whole comments only. */
function holdsNoValue(text: string): boolean {
  const scanner = createScanner(text);
  for (let token = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    const isTrivia = token >= firstTrivia && token <= lastTrivia;
    if (!isTrivia || scanner.getTokenError() !== 0) return false;
  }
  return true;
}

/** Kinds of tokens, by the numbers of the library's `SyntaxKind`, which this compilation may not name. */
const [firstTrivia, lastTrivia, endOfFile] = [12, 15, 17];

function withObject(text: string): string {
  if (text.trim() === "") return "{}\n";
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return `${text}${text.endsWith("\n") ? "" : eol}{}${eol}`;
}

function changeSetting(text: string, setting: Setting): ChangedSettings {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    return refuseFile(`it is not JSON (line ${line}): ${jsonFault(error.error)}`);
  }
  if (root?.type !== "object") return refuseFile("it holds no object");
  const twice = repeatedMember(root, setting.path);
  if (twice !== undefined) return refuseFile(`its ${twice} stands there twice`);
  for (let depth = 1; depth < setting.path.length; depth++) {
    const parent = findNodeAtLocation(root, setting.path.slice(0, depth));
    const isList = typeof setting.path[depth] === "number";
    if (parent !== undefined && parent.type !== (isList ? "array" : "object"))
      return refuseFile(
        `its ${setting.path.slice(0, depth).join(".")} is not ${isList ? "a list" : "an object"}`,
      );
  }
  const node = findNodeAtLocation(root, [...setting.path]);
  if (!("value" in setting)) return { kind: "changed", text: without(text, node) };
  // The library's objects have no prototype, by which they would differ from equal ones.
  const present: unknown = node === undefined ? undefined : JSON.parse(JSON.stringify(getNodeValue(node)));
  const value = setting.merge === undefined ? setting.value : setting.merge(present);
  if (isDeepStrictEqual(present, value)) return { kind: "changed", text };
  return { kind: "changed", text: withValue(text, root, setting.path, value) };
}

/** The text without a member or an element, and without what held nothing else. */
function without(text: string, node: Node | undefined): string {
  const member = node?.parent?.type === "property" ? node.parent : node;
  return member?.parent === undefined ? text : applyEdits(text, removalOf(text, member));
}

/** A member on the way to a setting that stands there more than once: which of them counts is the client's choice. */
function repeatedMember(root: Node, path: Setting["path"]): string | undefined {
  for (const [depth, name] of path.entries()) {
    const parent = findNodeAtLocation(root, path.slice(0, depth));
    const named = parent?.children?.filter((member) => member.children?.[0]?.value === name) ?? [];
    if (parent?.type === "object" && named.length > 1) return path.slice(0, depth + 1).join(".");
  }
  return undefined;
}

/** A new member stands behind the others, whose lines stay as they are. */
function withValue(text: string, root: Node, path: Setting["path"], value: unknown): string {
  const layout = layoutOf(text);
  const { indent, eol } = layout;
  const tabs = indent.startsWith("\t");
  const formattingOptions = { insertSpaces: !tabs, tabSize: tabs ? 1 : indent.length, eol };
  const isArrayInsertion = path.at(-1) === 0 && findNodeAtLocation(root, [...path]) === undefined;
  const edits =
    insertionOf(text, root, { path, value }, layout) ??
    modify(text, [...path], value, { formattingOptions, isArrayInsertion });
  return applyEdits(text, edits);
}

/** The indentation and the line breaks that the file has. */
function layoutOf(text: string): Layout {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { indent: indent.startsWith("\t") ? "\t" : indent, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

/** Nothing is guessed about a file that cannot be read. */
function refuseFile(reason: string): Refusal {
  return refuse("invalid_arguments", `The file is left alone: ${reason}.`);
}

/** How a file is laid out. */
interface Layout {
  readonly indent: string;
  readonly eol: string;
}

/**
 * The edits that put a new member or element behind the last one of its object or list, and touch nothing else: the library's
 * own insertion lays out the whole line anew, and parts a comment from the member before it.
 *
 *     "a": 1 // why           "a": 1, // why
 *                      →      "b": 2
 *
 * @returns undefined where the member is there already, or where its object is empty.
 */
function insertionOf(
  text: string,
  root: Node,
  setting: { readonly path: readonly (string | number)[]; readonly value: unknown },
  { indent, eol }: Layout,
): Edit[] | undefined {
  const { path } = setting;
  const depth = path.findIndex((_, at) => findNodeAtLocation(root, path.slice(0, at + 1)) === undefined);
  const parent = depth < 0 ? undefined : findNodeAtLocation(root, path.slice(0, depth));
  const last = parent?.children?.at(-1);
  const name = path[depth];
  if (parent === undefined || last === undefined || name === undefined) return undefined;
  const value = path.slice(depth + 1).reduceRight((inner: unknown, key) => ({ [key]: inner }), setting.value);
  const end = last.offset + last.length;
  const { comma, lineEnd } = behindMember(text, end);
  const isOneLine = !text.slice(parent.offset, parent.offset + parent.length).includes("\n");
  const key = parent.type === "array" ? "" : `${JSON.stringify(name)}: `;
  if (isOneLine)
    return [
      {
        offset: comma === undefined ? end : comma + 1,
        length: 0,
        content: `${comma === undefined ? "," : ""} ${key}${JSON.stringify(value)}`,
      },
    ];
  const margin = marginOf(text, parent, last, indent);
  const lines = JSON.stringify(value, null, indent).split("\n").join(`${eol}${margin}`);
  const member = `${eol}${margin}${key}${lines}${comma === undefined ? "" : ","}`;
  const separator = comma === undefined ? [{ offset: end, length: 0, content: "," }] : [];
  return [...separator, { offset: lineEnd, length: 0, content: member }];
}

/** What stands before a member on its line; a member beside the brace of its object stands one step further. */
function marginOf(text: string, parent: Node, last: Node, indent: string): string {
  const line = text.slice(text.lastIndexOf("\n", last.offset) + 1, last.offset);
  const [margin = ""] = /^[ \t]*/.exec(line) ?? [];
  return text.slice(parent.offset, last.offset).includes("\n") ? margin : `${margin}${indent}`;
}

/**
 * The edits that take a member of an object or an element of a list out, with its comma, and touch nothing else: the
 * library's own removal takes the comment of the member before it, too. What held nothing but it goes with it, up to a
 * member of the root.
 *
 *     "a": 1, // why          "a": 1 // why
 *     "b": { "ours": 2 }  →
 *
 * @param node the member (its whole property) or the element.
 */
function removalOf(text: string, node: Node): Edit[] {
  const { parent, offset, length } = outermost(text, node);
  const siblings = parent?.children ?? [];
  const at = siblings.findIndex((sibling) => sibling.offset === offset);
  const before = siblings[at - 1];
  const end = offset + length;
  const comma = behindMember(text, end).comma;
  const isDirect = comma !== undefined && text.slice(end, comma).trim() === "";
  const from = before === undefined ? (parent?.offset ?? 0) + 1 : before.offset + before.length;
  const edits = [spanOf(text, { from, start: offset, end: isDirect ? comma + 1 : end })];
  const other = comma === undefined && before !== undefined ? behindMember(text, from).comma : comma;
  if (!isDirect && other !== undefined) edits.push({ offset: other, length: 1, content: "" });
  return edits;
}

/** The member or element that would be empty without this one, and so on outwards. */
function outermost(text: string, node: Node): Node {
  const container = node.parent;
  const holder = container?.parent;
  if (container === undefined || holder === undefined || container.children?.length !== 1) return node;
  const inner = text.slice(container.offset + 1, node.offset);
  const rest = text.slice(node.offset + node.length, container.offset + container.length - 1);
  if (inner.trim() !== "" || !/^\s*,?\s*$/.test(rest)) return node;
  return outermost(text, holder.type === "property" ? holder : container);
}

/** What goes of the lines: a line that the member had for itself, or the blanks on one side of it. */
function spanOf(
  text: string,
  { from, start, end }: { readonly from: number; readonly start: number; readonly end: number },
): Edit {
  const [blanks = ""] = /^[ \t]*/.exec(text.slice(end)) ?? [];
  const next = text[end + blanks.length] ?? "\n";
  const isLineEnd = /[\r\n]/.test(next);
  if (!isLineEnd && !/[}\]]/.test(next)) {
    // A comment behind the member stays where it is.
    return remove(start, next === "/" ? end : end + blanks.length);
  }
  const between = text.slice(from, start);
  const [margin = ""] = /(?:\r?\n)?[ \t]*$/.exec(between) ?? [];
  // Behind a line comment the bracket needs the line break.
  const isKept = !isLineEnd && margin.includes("\n") && between.includes("/");
  return remove(isKept ? start : start - margin.length, isLineEnd ? end + blanks.length : end);
}

function remove(from: number, to: number): Edit {
  return { offset: from, length: to - from, content: "" };
}

/** Where the comma behind a member stands, if there is one, and where what belongs to the member's line ends. */
function behindMember(
  text: string,
  end: number,
): { readonly comma: number | undefined; readonly lineEnd: number } {
  const scanner = createScanner(text);
  scanner.setPosition(end);
  let comma: number | undefined;
  let lineEnd: number | undefined;
  let before = end;
  for (let token = scanner.scan(); ; token = scanner.scan()) {
    const isComment = token === lineComment || token === blockComment;
    if (token === lineBreak) lineEnd ??= before;
    else if (token === commaToken) comma = scanner.getTokenOffset();
    else if (token !== blank && !isComment) break;
    // A comma below a comment: what is put in has to stand behind it.
    if (token === commaToken) lineEnd = undefined;
    if (isComment || token === commaToken) before = scanner.getPosition();
  }
  return { comma, lineEnd: lineEnd ?? (comma === undefined ? end : comma + 1) };
}

/** Kinds of tokens, by the numbers of the library's `SyntaxKind`, which this compilation may not name. */
const [commaToken, lineComment, blockComment, lineBreak, blank] = [5, 12, 13, 14, 15];
