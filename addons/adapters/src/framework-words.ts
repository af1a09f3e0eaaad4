import type { Vocabulary } from "@holdfast/core/files/values";

/**
 * How Genkit's tools and their arguments are called (seed 2).
 *
 * @param prefix in front of the tools' names.
 * @param readOnly only the tools that change nothing are offered.
 */
export function genkitWords(prefix = "", readOnly = false): Vocabulary {
  const reading = { read: `${prefix}read_file`, window: "offset and limit" };
  if (readOnly) return reading;
  return {
    ...reading,
    edit: `${prefix}edit_file`,
    write: `${prefix}write_file`,
    move: `${prefix}move_file`,
    moveTo: "toPath",
    delete: `${prefix}delete_file`,
    oldString: "oldString",
    newString: "newString",
    replaceAll: "replaceAll",
  };
}

/** How deepagents' own tools and their arguments are called. */
export const deepagentsWords: Vocabulary = {
  read: "read_file",
  edit: "edit_file",
  window: "offset and limit",
  write: "write_file",
  oldString: "old_string",
  newString: "new_string",
  replaceAll: "replace_all",
};
