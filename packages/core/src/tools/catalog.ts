import { appendToFile } from "./append-to-file.js";
import { applyChanges } from "./apply-changes.js";
import { applyEdit } from "./apply-edit.js";
import { editFile } from "./edit-file.js";
import { findFiles } from "./find-files.js";
import { fsWrite } from "./fs-write.js";
import { insertLines } from "./insert-lines.js";
import { listFiles } from "./list-files.js";
import { memory } from "./memory.js";
import { prependToFile } from "./prepend-to-file.js";
import { readFile } from "./read-file.js";
import { readManyFiles } from "./read-many-files.js";
import { replace } from "./replace.js";
import { safePatch } from "./safe-patch.js";
import { searchFiles } from "./search-files.js";
import { strReplaceBasedEditTool } from "./str-replace-based-edit-tool.js";
import type { Tool } from "./tool.js";
import { undoEdit } from "./undo-edit.js";
import { updateSection } from "./update-section.js";
import { writeFile } from "./write-file.js";

/** The tools that are offered unless a host names others, in the order in which every door offers them. */
export const tools: readonly Tool[] = [
  readFile,
  readManyFiles,
  listFiles,
  searchFiles,
  safePatch,
  editFile,
  writeFile,
  appendToFile,
  updateSection,
  undoEdit,
];

/** Tools as other vendors' models were trained on them, offered instead of ours, never beside them. */
export const dialectTools: readonly Tool[] = [strReplaceBasedEditTool, memory, replace, fsWrite, applyEdit];

/** Every tool: those that a host has to name come last. */
export const allTools: readonly Tool[] = [
  ...tools,
  findFiles,
  applyChanges,
  prependToFile,
  insertLines,
  ...dialectTools,
];

/** Those that change nothing. */
export const readingTools: readonly Tool[] = tools.filter((tool) => tool.annotations.readOnly);

/** The tool of this name among all tools, offered or not; undefined where there is none. */
export function findTool(name: string): Tool | undefined {
  return allTools.find((tool) => tool.name === name);
}
