import type { ExactEdit, Refusal } from "@holdfast/core/files/values";
import { defined, jsonOf } from "@holdfast/core/text";
import { readInputText } from "../shell/input.js";
import type { Invocation } from "../shell/invocation.js";
import { changeFile } from "./changing.js";

/** `holdfast edit FILE --old TEXT --new TEXT`, or edits as JSON from a file or standard input. */
export function editCommand(call: Invocation): Promise<number> {
  return changeFile(call, async (file) => {
    const edits = await editsOf(call);
    return "kind" in edits ? edits : (workspace) => workspace.edit({ ...file, edits });
  });
}

async function editsOf(call: Invocation): Promise<readonly ExactEdit[] | Refusal> {
  const { args, flags, misuse } = call;
  const [, input] = args;
  if (flags.old !== undefined) {
    const alone = editOfFlags(call, flags.old);
    return input === undefined ? [alone] : misuse("--old and a file of edits: give one of them");
  }
  const text = await readInputText(input);
  if (typeof text !== "string") return text;
  return (
    parseEdits(text) ??
    misuse("edits are a JSON list of {old_string, new_string, replace_all?, expected_replacements?}")
  );
}

function editOfFlags({ flags, misuse }: Invocation, oldString: string): ExactEdit {
  if (flags.all === true && flags.count !== undefined) misuse("--all and --count: give one of them");
  return {
    oldString,
    newString: flags.new ?? misuse("--old needs --new (may be empty)"),
    ...defined({ replaceAll: flags.all, expectedReplacements: flags.count }),
  };
}

/** The edits as the tool takes them; undefined where they are none. */
function parseEdits(text: string): readonly ExactEdit[] | undefined {
  const given = jsonOf(text);
  const list = Array.isArray(given) ? given : [given];
  const edits = list.map(readEdit);
  return edits.every((edit) => edit !== undefined) ? edits : undefined;
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
