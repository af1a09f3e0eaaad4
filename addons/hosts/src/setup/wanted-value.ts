import { isObject } from "@holdfast/core/text";

import { mismatchFlag, type Setting } from "./client-settings.js";

/** What is to stand in the place of a present value: a person's own part of it stays. */
export function wantedValue(present: unknown, { value }: Setting): unknown {
  if (!isObject(present) || !isObject(value)) return value;
  const chosen = Object.fromEntries(
    loadHints.flatMap((name) => (name in present ? [[name, present[name]]] : [])),
  );
  const kept = { ...present, ...value, ...chosen };
  // One client has program and arguments in one list.
  if (Array.isArray(value.command)) return { ...kept, command: wantedArgs(present.command, value.command) };
  return typeof present.command === "string"
    ? { ...kept, args: wantedArgs(present.args, value.args) }
    : value;
}

/** Whether a client loads our tools from the start, in the words of each: a person may have said no. */
const loadHints = ["alwaysLoad", "alwaysLoadTools", "required"];

/** The arguments that a person added after `mcp` stay; those of ours that are not among them follow. */
function wantedArgs(given: unknown, wanted: unknown): unknown {
  if (!Array.isArray(given) || !Array.isArray(wanted) || !given.includes("mcp")) return wanted;
  const start: readonly unknown[] = wanted.slice(0, wanted.indexOf("mcp") + 1);
  const asked = flagIn(wanted);
  const ours = withoutFlag(wanted.slice(start.length));
  const own = given.slice(given.indexOf("mcp") + 1);
  // What is set anew takes the place of what stands there.
  const added = asked.length === 0 ? own : withoutFlag(own);
  const missing = ours.filter((_, at) => at % 2 === 0 && !added.includes(ours[at]));
  return [...start, ...asked, ...added, ...missing.flatMap((flag) => [flag, ours[ours.indexOf(flag) + 1]])];
}

function flagIn(args: readonly unknown[]): readonly unknown[] {
  const at = args.indexOf(mismatchFlag);
  return at < 0 ? [] : args.slice(at, at + 2);
}

function withoutFlag(args: readonly unknown[]): readonly unknown[] {
  const at = args.indexOf(mismatchFlag);
  return at < 0 ? args : [...args.slice(0, at), ...args.slice(at + 2)];
}
