import type { Refusal } from "@holdfast/core/files";
import type { ChangedSettings } from "./changed-settings.js";
import type { Setting } from "./client-settings.js";
import { isObject, wantedValue } from "./wanted-value.js";

/**
 * Puts a server into the list `mcpServers` of a text of YAML, or takes it out: an element of its own lines, in the one
 * form that this writes. A list in another form is left alone.
 *
 * @returns `invalid_arguments` where the list, or our element of it, is written otherwise.
 */
export function changeYaml(text: string, settings: readonly Setting[]): ChangedSettings {
  const [setting] = settings;
  const lines = text.split(/(?<=\n)/).filter((line) => line !== "");
  const head = lines.findIndex((line) => /^mcpServers:\s*(?:#.*)?$/.test(line.trimEnd()));
  const isOdd = head < 0 && lines.some((line) => /^["']?mcpServers["']?\s*:/.test(line));
  const own = head < 0 ? undefined : ownLines(lines, head + 1);
  const isHidden =
    own === undefined && head >= 0 && lines.some((line) => /^\s+name:\s*["']?holdfast["']?\s*$/.test(line));
  if (isOdd || isHidden)
    return refuseFile("its list mcpServers is written in another form; change it by hand");
  if (setting === undefined || !("value" in setting)) {
    if (own === undefined) return { kind: "changed", text };
    const left = [...lines.slice(0, own.start), ...lines.slice(own.end)];
    const isEmpty = !/^\s+\S|^-/.test(left[head + 1] ?? "");
    const rest = isEmpty ? left.filter((_, at) => at !== head) : left;
    const changed = rest.join("");
    return { kind: "changed", text: changed === header ? "" : changed };
  }
  const margin = /^(\s*)-/.exec(lines[own?.start ?? head + 1] ?? "")?.[1] ?? "  ";
  const element = elementOf(setting, margin, own === undefined ? [] : lines.slice(own.start, own.end));
  if (own !== undefined)
    return {
      kind: "changed",
      text: [...lines.slice(0, own.start), element, ...lines.slice(own.end)].join(""),
    };
  if (head >= 0)
    return {
      kind: "changed",
      text: [...lines.slice(0, head + 1), element, ...lines.slice(head + 1)].join(""),
    };
  const before = text === "" ? header : text.endsWith("\n") ? text : `${text}\n`;
  return { kind: "changed", text: `${before}mcpServers:\n${element}` };
}

/** What a file of Continue begins with, where there was none. */
const header = "name: Local Config\nversion: 1.0.0\nschema: v1\n";

interface Lines {
  readonly start: number;
  readonly end: number;
}

function ownLines(lines: readonly string[], from: number): Lines | undefined {
  const start = lines.findIndex(
    (line, at) => at >= from && /^\s*- name:\s*["']?holdfast["']?\s*$/.test(line),
  );
  if (start < 0) return undefined;
  const depth = lines[start]?.indexOf("-") ?? 0;
  let end = start + 1;
  while (end < lines.length && indentOf(lines[end] ?? "") > depth) end += 1;
  return { start, end };
}

/** Infinite for a blank line: it ends nothing, and yet belongs to what follows. */
function indentOf(line: string): number {
  return line.search(/\S/);
}

/** Our element; what a person put beside our two members stays. */
function elementOf(setting: Setting, margin: string, present: readonly string[]): string {
  const memberAt = (name: string) => present.findIndex((line) => line.trimStart().startsWith(`${name}:`));
  const textOf = (name: string) => present[memberAt(name)]?.replace(/^[^:]*:/, "").trim() ?? "";
  const value = wantedValue({ command: textOf("command"), args: listOf(textOf("args")) }, setting);
  const { command, args } = isObject(value) ? value : {};
  const others = present
    .slice(1)
    .filter((_, at) => ![memberAt("command"), memberAt("args")].includes(at + 1));
  const member = (name: string, content: unknown) => `${margin}  ${name}: ${JSON.stringify(content)}\n`;
  return [`${margin}- name: holdfast\n`, member("command", command), member("args", args), ...others].join(
    "",
  );
}

function listOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuseFile(reason: string): Refusal {
  return { kind: "refusal", code: "invalid_arguments", message: `The file is left alone: ${reason}.` };
}
