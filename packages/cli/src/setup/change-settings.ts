import { isDeepStrictEqual } from "node:util";
import { isRefusal, type Refusal } from "@holdfast/core";
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { mismatchFlag, type Setting } from "./clients.js";

/** The text of a settings file with the settings in it; comments and all else stay as they are. */
export type ChangedSettings = { readonly kind: "changed"; readonly text: string } | Refusal;

/**
 * Puts settings into a file, one after the other.
 *
 * @param text the file, "" where there is none.
 * @returns `invalid_arguments` where the file is not JSON with comments, or where something else stands in
 *   the way of a setting: nothing is guessed about a file that cannot be read.
 */
export function changeSettings(text: string, settings: readonly Setting[]): ChangedSettings {
  let changed = text.trim() === "" ? "{}\n" : text;
  for (const setting of settings) {
    const next = changeSetting(changed, setting);
    if (isRefusal(next)) return next;
    changed = next.text;
  }
  return { kind: "changed", text: changed };
}

function changeSetting(text: string, setting: Setting): ChangedSettings {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    return refuseFile(`it is not JSON: ${printParseErrorCode(error.error)} in line ${line}`);
  }
  if (root?.type !== "object") return refuseFile("it holds no object");
  const twice = repeatedMember(root, setting.path);
  if (twice !== undefined) return refuseFile(`its ${twice} stands there twice`);
  for (let depth = 1; depth < setting.path.length; depth++) {
    const parent = findNodeAtLocation(root, setting.path.slice(0, depth));
    if (parent !== undefined && parent.type !== "object")
      return refuseFile(`its ${setting.path.slice(0, depth).join(".")} is not an object`);
  }
  const node = findNodeAtLocation(root, [...setting.path]);
  // The library's objects have no prototype, by which they would differ from equal ones.
  const present: unknown = node === undefined ? undefined : JSON.parse(JSON.stringify(getNodeValue(node)));
  if (setting.among === undefined) {
    const value = keepOwn(present, setting.value);
    return isDeepStrictEqual(present, value) ? { kind: "changed", text } : set(text, setting.path, value);
  }
  if (present !== undefined && !Array.isArray(present))
    return refuseFile(`its ${setting.path.join(".")} is not a list`);
  return changeElement(text, setting, present, setting.among);
}

/** A member on the way to a setting that stands there more than once: which of them counts is the client's choice. */
function repeatedMember(root: Node, path: readonly string[]): string | undefined {
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
  { path, value }: Setting,
  present: readonly unknown[] | undefined,
  isOurs: (element: unknown) => boolean,
): ChangedSettings {
  if (present === undefined) return set(text, path, [value]);
  const at = present.findIndex(isOurs);
  const element = present[at];
  if (at >= 0 && isDeepStrictEqual(element, value)) return { kind: "changed", text };
  if (at < 0) return set(text, [...path, present.length], value, true);
  const hooks = isObject(element) && Array.isArray(element.hooks) ? element.hooks : [];
  const ours = hooks.findIndex((hook) => isOurs({ hooks: [hook] }));
  if (hooks.length < 2 || ours < 0) return set(text, [...path, at], value);
  // The library's own removal from a list on one line leaves text that is no JSON.
  const others = hooks.filter((_, index) => index !== ours);
  const without = set(text, [...path, at, "hooks"], others);
  return isRefusal(without) ? without : set(without.text, [...path, present.length], value, true);
}

/** What a person added to our entry of a server stays: other members, and the arguments after `mcp`. */
function keepOwn(present: unknown, value: unknown): unknown {
  if (!isObject(present) || !isObject(value) || typeof present.command !== "string") return value;
  const [given, wanted] = [present.args, value.args];
  if (!Array.isArray(given) || !Array.isArray(wanted)) return { ...present, ...value };
  const added = given.includes("mcp") ? given.slice(given.indexOf("mcp") + 1) : [];
  const [head, asked] = [wanted.slice(0, wanted.indexOf("mcp") + 1), flagIn(wanted)];
  const others = asked.length === 0 ? added : withoutFlag(added);
  const args = added.length === 0 ? wanted : [...head, ...asked, ...others];
  return { ...present, ...value, args };
}

/** What is set anew takes the place of what stands there. */
function flagIn(args: readonly unknown[]): readonly unknown[] {
  const at = args.indexOf(mismatchFlag);
  return at < 0 ? [] : args.slice(at, at + 2);
}

function withoutFlag(args: readonly unknown[]): readonly unknown[] {
  const at = args.indexOf(mismatchFlag);
  return at < 0 ? args : [...args.slice(0, at), ...args.slice(at + 2)];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function set(
  text: string,
  path: readonly (string | number)[],
  value: unknown,
  isArrayInsertion = false,
): ChangedSettings {
  const formattingOptions = { ...indentOf(text), eol: text.includes("\r\n") ? "\r\n" : "\n" };
  const edits = modify(text, [...path], value, { formattingOptions, isArrayInsertion });
  return { kind: "changed", text: applyEdits(text, edits) };
}

/** The indentation that the file has. */
function indentOf(text: string): { readonly insertSpaces: boolean; readonly tabSize: number } {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  return indent.startsWith("\t")
    ? { insertSpaces: false, tabSize: 1 }
    : { insertSpaces: true, tabSize: indent.length };
}

function refuseFile(reason: string): Refusal {
  return { kind: "refusal", code: "invalid_arguments", message: `The file is left alone: ${reason}.` };
}
