import { isDeepStrictEqual } from "node:util";
import { jsonFault } from "@holdfast/agent";
import { isRefusal, type Refusal } from "@holdfast/core/files";
import { isObject } from "@holdfast/core/text";
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
import { insertionOf, type Layout } from "./insert-member.js";
import { removalOf } from "./remove-member.js";

/** One setting that is to be in a file of settings, or out of it. */
export interface Setting {
  /** The members, and the places in lists, from the root of the file to the value. */
  readonly path: readonly (string | number)[];
  /** Absent if the setting is to be taken out. */
  readonly value?: unknown;
  /** The value to write where one is there already: the person's own part of it may stay. `value` unless given. */
  readonly merge?: (present: unknown) => unknown;
  /**
   * The value is one element of the list at `path`: it replaces the element that this finds, or is added at the end.
   */
  readonly among?: (element: unknown) => boolean;
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
    const type = typeof setting.path[depth] === "number" ? "array" : "object";
    if (parent !== undefined && parent.type !== type)
      return refuseFile(`its ${setting.path.slice(0, depth).join(".")} is not an object`);
  }
  const node = findNodeAtLocation(root, [...setting.path]);
  // The library's objects have no prototype, by which they would differ from equal ones.
  const present: unknown = node === undefined ? undefined : JSON.parse(JSON.stringify(getNodeValue(node)));
  if (setting.among === undefined) {
    if (!("value" in setting)) return removeMember(text, node);
    const value = setting.merge === undefined ? setting.value : setting.merge(present);
    if (isDeepStrictEqual(present, value)) return { kind: "changed", text };
    return put(text, root, setting.path, value);
  }
  if (present !== undefined && !Array.isArray(present))
    return refuseFile(`its ${setting.path.join(".")} is not a list`);
  return "value" in setting
    ? changeElement(text, root, { setting, present, isOurs: setting.among })
    : { kind: "changed", text: removeElements(text, setting.path, setting.among) };
}

/** The text without a member, and without what held nothing else. */
function removeMember(text: string, node: Node | undefined): ChangedSettings {
  const edits = node?.parent === undefined ? [] : removalOf(text, node.parent);
  return { kind: "changed", text: applyEdits(text, edits) };
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

/** An element with hooks of others beside ours keeps those; ours gets an element of its own. */
function changeElement(
  text: string,
  root: Node,
  {
    setting: { path, value },
    present,
    isOurs,
  }: {
    readonly setting: Setting;
    readonly present: readonly unknown[] | undefined;
    readonly isOurs: (element: unknown) => boolean;
  },
): ChangedSettings {
  if (present === undefined) return put(text, root, path, [value]);
  // Anywhere: what stands before it may be ours of old, with members that we would not write.
  if (present.some((element) => isDeepStrictEqual(element, value))) return { kind: "changed", text };
  const at = present.findIndex(isOurs);
  const element = present[at];
  if (at < 0) return put(text, root, [...path, present.length], value);
  const hooks = isObject(element) && Array.isArray(element.hooks) ? element.hooks : [];
  // The library's own removal from a list on one line leaves text that is no JSON.
  const others = hooks.filter((hook) => !isOurs({ hooks: [hook] }));
  if (others.length === 0) return set(text, [...path, at], value);
  const without = set(text, [...path, at, "hooks"], others);
  return isRefusal(without) ? without : set(without.text, [...path, present.length], value, true);
}

/** The text without our hooks, and without the elements that held nothing else; no list where nothing is left. */
function removeElements(text: string, path: Setting["path"], isOurs: (element: unknown) => boolean): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const list = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  const element = list?.children?.find((one) => isOurs(getNodeValue(one)));
  if (element === undefined) return text;
  const hooks = findNodeAtLocation(element, ["hooks"])?.children ?? [];
  const ours = hooks.filter((hook) => isOurs({ hooks: [getNodeValue(hook)] }));
  const [first = element] = ours;
  const edits = removalOf(text, ours.length === hooks.length ? element : first);
  return removeElements(applyEdits(text, edits), path, isOurs);
}

/** A new member stands behind the others, whose lines stay as they are. */
function put(text: string, root: Node, path: Setting["path"], value: unknown): ChangedSettings {
  const edits = insertionOf(text, root, { path, value }, layoutOf(text));
  return edits === undefined
    ? set(text, path, value, path.at(-1) === 0)
    : { kind: "changed", text: applyEdits(text, edits) };
}

function set(
  text: string,
  path: readonly (string | number)[],
  value: unknown,
  isArrayInsertion = false,
): ChangedSettings {
  const { indent, eol } = layoutOf(text);
  const tabs = indent.startsWith("\t");
  const formattingOptions = { insertSpaces: !tabs, tabSize: tabs ? 1 : indent.length, eol };
  const edits = modify(text, [...path], value, { formattingOptions, isArrayInsertion });
  return { kind: "changed", text: applyEdits(text, edits) };
}

/** The indentation and the line breaks that the file has. */
function layoutOf(text: string): Layout {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { indent: indent.startsWith("\t") ? "\t" : indent, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

/** Nothing is guessed about a file that cannot be read. */
function refuseFile(reason: string): Refusal {
  return { kind: "refusal", code: "invalid_arguments", message: `The file is left alone: ${reason}.` };
}
