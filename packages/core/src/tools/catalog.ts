import { applyChanges } from "./apply-changes.js";
import { listFiles } from "./list-files.js";
import { readFile } from "./read-file.js";
import { readManyFiles } from "./read-many-files.js";
import { safePatch } from "./safe-patch.js";
import type { Tool } from "./tool.js";
import { undoEdit } from "./undo-edit.js";
import { writeFile } from "./write-file.js";

/** The tools that are offered unless a host names others, in the order in which every door offers them. */
export const tools: readonly Tool[] = [readFile, readManyFiles, listFiles, safePatch, writeFile, undoEdit];

/** Every tool: those that a host has to name come last. */
export const allTools: readonly Tool[] = [...tools, applyChanges];

/** Those that change nothing. */
export const readingTools: readonly Tool[] = tools.filter((tool) => tool.annotations.readOnly);

export function findTool(name: string): Tool | undefined {
  return allTools.find((tool) => tool.name === name);
}
