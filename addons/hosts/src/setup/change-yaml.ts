import { isObject } from "@holdfast/core/text";

import type { ChangedSettings, Setting } from "./client-settings.js";
import { wantedValue } from "./wanted-value.js";

/**
 * Puts a server into the list `mcpServers` of a text of YAML, or takes it out: an element of its own lines, in the one
 * form that this writes.
 *
 * @returns `invalid_arguments` where the list, or our element of it, is written in another form.
 */
export function changeYaml(given: string, [setting]: readonly Setting[]): ChangedSettings {
  const isRemoval = setting === undefined || !("value" in setting);
  const text = given.endsWith("\n") || isRemoval ? given : given === "" ? header : `${given}\n`;
  const [list, head = "mcpServers:\n", block = ""] = listOfServers.exec(text) ?? [];
  const [own, margin = /^(\s*)-/.exec(block)?.[1] ?? "  ", members = ""] = ownElement.exec(block) ?? [];
  const isOdd =
    list === undefined ? /^["']?mcpServers\b/m.test(text) : own === undefined && named.test(block);
  if (isOdd)
    return {
      kind: "refusal",
      code: "invalid_arguments",
      message: "The file is left alone: its list mcpServers is written in another form; change it by hand.",
    };
  if (isRemoval) {
    if (list === undefined || own === undefined) return { kind: "changed", text: given };
    const left = block.replace(own, "");
    const changed = text.replace(list, () => (/^\s*-/m.test(left) ? head : "") + left);
    return { kind: "changed", text: changed === header ? "" : changed };
  }
  const element = elementOf(setting, margin, members);
  const renewed = head + (own === undefined ? element + block : block.replace(own, () => element));
  return { kind: "changed", text: list === undefined ? text + renewed : text.replace(list, () => renewed) };
}

/** What a file of Continue begins with, where there was none. */
const header = "name: Local Config\nversion: 1.0.0\nschema: v1\n";
const listOfServers = /^(mcpServers:[ \t]*(?:#.*)?\n)((?:(?:[ \t#-].*)?\n)*)/m;
const ownElement = /^([ \t]*)- name:[ \t]*["']?holdfast["']?[ \t]*\n((?:\1[ \t]+\S.*\n)*)/m;
const named = /^[ \t]+name:[ \t]*["']?holdfast["']?[ \t]*$/m;

/** Our element; what a person put beside our two members stays. */
function elementOf(setting: Setting, margin: string, members: string): string {
  const present = (name: string) => new RegExp(`^\\s*${name}:(.*)\\n`, "m").exec(members) ?? [];
  const [[commandLine = "", command], [argsLine = "", args]] = [present("command"), present("args")];
  const value = wantedValue({ command: command?.trim() ?? "", args: listIn(args) }, setting);
  const ours = ["command", "args"].map(
    (name) => `${margin}  ${name}: ${JSON.stringify(isObject(value) ? value[name] : undefined)}\n`,
  );
  return [
    `${margin}- name: holdfast\n`,
    ...ours,
    members.replace(commandLine, "").replace(argsLine, ""),
  ].join("");
}

function listIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
