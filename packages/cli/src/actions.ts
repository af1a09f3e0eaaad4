import { nearestName } from "@holdfast/core/tools";
import { type ActionSpec, type CommandSpec, nameOf } from "./command-spec.js";

/** What one command line asks of a command that has actions. */
export interface AskedAction {
  readonly args: readonly (string | undefined)[];
  /** The options of this command that were given, as commander was told of them and as they are written. */
  readonly given: readonly { readonly flags: string; readonly shown: string }[];
}

/** What is wrong with it, in one line; undefined where the action takes all that was given. */
export function misuseOf({ args, given }: AskedAction, spec: CommandSpec): string | undefined {
  const { actions = [], options } = spec;
  const command = nameOf(spec);
  const [name = "", ...rest] = args;
  const action = actions.find((known) => nameOf(known) === name);
  if (action === undefined) {
    const names = actions.map(nameOf);
    const nearest = nearestName(name.slice(0, 100), names);
    return nearest === undefined
      ? `${command} knows ${names.join(", ")}`
      : `${command} has no action ${name}; did you mean ${nearest}?`;
  }
  const allowed = { ...options, ...action.options };
  const ignored = given.find(({ flags }) => allowed[flags] === undefined);
  if (ignored !== undefined) return `${command} ${name} takes no ${ignored.shown}`;
  const extra = rest[action.usage.split(" ").length - 1];
  if (extra !== undefined) return `${command} ${action.usage} takes no more: ${JSON.stringify(extra)}`;
  return undefined;
}

/** The lines of help on what a command can do. */
export function actionLines(actions: readonly ActionSpec[]): string {
  const width = Math.max(...actions.map(({ usage }) => usage.length));
  return actions.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}\n`).join("");
}
