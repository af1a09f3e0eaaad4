import { listFiles } from "./list-files.js";
import { readFile } from "./read-file.js";
import { readManyFiles } from "./read-many-files.js";
import { safePatch } from "./safe-patch.js";
import type { Tool } from "./tool.js";
import { undoEdit } from "./undo-edit.js";
import { writeFile } from "./write-file.js";

/** All tools, in the order in which every door offers them. */
export const tools: readonly Tool[] = [readFile, readManyFiles, listFiles, safePatch, writeFile, undoEdit];

/** Those that change nothing. */
export const readingTools: readonly Tool[] = tools.filter((tool) => tool.annotations.readOnly);

export function findTool(name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}
