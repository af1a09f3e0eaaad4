/**
 * What a recorded write was, in plain words: the name of its tool means nothing at a door where that tool
 * is not offered.
 *
 * @param tool as the history names it: a tool's name, or `holdfast` and a command.
 */
export function nounOfWrite(tool: string): string {
  return nouns.get(tool.replace(/^holdfast /, "")) ?? "write";
}

const nouns: ReadonlyMap<string, string> = new Map([
  ["safe_patch", "patch"],
  ["patch", "patch"],
  ["edit_file", "edit"],
  ["edit", "edit"],
  ["replace", "edit"],
  ["apply_edit", "edit"],
  ["append_to_file", "addition"],
  ["append", "addition"],
  ["prepend_to_file", "addition"],
  ["prepend", "addition"],
  ["insert_lines", "insertion"],
  ["insert", "insertion"],
  ["update_section", "update of a section"],
  ["section", "update of a section"],
  ["undo_edit", "undo"],
  ["undo", "undo"],
  ["restore", "restore"],
  ["apply_changes", "change set"],
  ["apply", "change set"],
  ["move_file", "move"],
  ["move", "move"],
  ["move_lines", "move of lines"],
  ["copy_file", "copy"],
  ["delete_file", "deletion"],
  ["delete", "deletion"],
]);
