import { isDeepStrictEqual } from "node:util";
import { jsonFault } from "@holdfast/agent";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser";
import { insertionOf, type Layout, removalOf } from "./members.js";

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
