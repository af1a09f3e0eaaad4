import type { ExactEdit } from "@holdfast/core/files";
import { defined } from "@holdfast/core/text";
import { readInputText } from "../shell/input.js";
import type { Invocation } from "../shell/invocation.js";
import { changeFile, checkBaseFlags, refuseChange, writeOptions } from "./changing.js";

/** `holdfast edit FILE --old TEXT --new TEXT`, or edits as JSON from a file or standard input. */
export async function editCommand(call: Invocation): Promise<number> {
  const { args, flags, misuse } = call;
  const [path = "", input] = args;
  checkBaseFlags(call);
  const alone = flags.old === undefined ? undefined : editOfFlags(call, flags.old);
  if (alone !== undefined && input !== undefined) misuse("--old and a file of edits: give one of them");
  const text = alone === undefined ? await readInputText(input) : "";
  if (typeof text !== "string") return refuseChange(call, path, text);
  const edits = alone === undefined ? parseEdits(text) : [alone];
  if (edits === undefined)
    return misuse("edits are a JSON list of {old_string, new_string, replace_all?, expected_replacements?}");
  return changeFile(call, (workspace) =>
    workspace.edit({ path, edits, tool: "holdfast edit", ...writeOptions(flags) }),
  );
}

function editOfFlags({ flags, misuse }: Invocation, oldString: string): ExactEdit {
  if (flags.all === true && flags.count !== undefined) misuse("--all and --count: give one of them");
  return {
    oldString,
    newString: flags.new ?? misuse("--old needs --new (may be empty)"),
    ...(flags.all === true ? { replaceAll: true } : {}),
    ...defined({ expectedReplacements: flags.count }),
  };
}

/** The edits as the tool takes them; undefined where they are none. */
function parseEdits(text: string): readonly ExactEdit[] | undefined {
  const given = parseJson(text);
  const list = Array.isArray(given) ? given : [given];
  const edits = list.map(readEdit);
  return edits.every((edit) => edit !== undefined) ? edits : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readEdit(given: unknown): ExactEdit | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const fields = new Map(Object.entries(given));
  const [oldString, newString] = [fields.get("old_string"), fields.get("new_string")];
  if (typeof oldString !== "string" || typeof newString !== "string") return undefined;
  const count: unknown = fields.get("expected_replacements");
  if (count !== undefined && !(Number.isSafeInteger(count) && Number(count) > 0)) return undefined;
  return {
    oldString,
    newString,
    ...(fields.get("replace_all") === true ? { replaceAll: true } : {}),
    ...(count === undefined ? {} : { expectedReplacements: Number(count) }),
  };
}
