import { isDeepStrictEqual } from "node:util";
import { isRefusal, type Refusal } from "@holdfast/core";
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { Setting } from "./clients.js";

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
  for (let depth = 1; depth < setting.path.length; depth++) {
    const parent = findNodeAtLocation(root, setting.path.slice(0, depth));
    if (parent !== undefined && parent.type !== "object")
      return refuseFile(`its ${setting.path.slice(0, depth).join(".")} is not an object`);
  }
  const node = findNodeAtLocation(root, [...setting.path]);
  const present: unknown = node === undefined ? undefined : getNodeValue(node);
  if (setting.among === undefined) {
    return isDeepStrictEqual(present, setting.value)
      ? { kind: "changed", text }
      : set(text, setting.path, setting.value);
  }
  if (present !== undefined && !Array.isArray(present))
    return refuseFile(`its ${setting.path.join(".")} is not a list`);
  const elements: readonly unknown[] = present ?? [];
  const at = elements.findIndex(setting.among);
  if (at >= 0 && isDeepStrictEqual(elements[at], setting.value)) return { kind: "changed", text };
  if (present === undefined) return set(text, setting.path, [setting.value]);
  return set(text, [...setting.path, at < 0 ? elements.length : at], setting.value, at < 0);
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
