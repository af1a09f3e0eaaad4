import type * as z from "zod";
import type { FileTool } from "../tool/tool.js";
import { applyChanges } from "./apply-changes.js";
import {
  appendToFile,
  applyEdit,
  editFile,
  insertLines,
  prependToFile,
  safePatch,
  undoEdit,
  updateSection,
  writeFile,
} from "./changing-tools.js";
import { fsWrite } from "./fs-write.js";
import { memory } from "./memory.js";
import { copyFile, deleteFile, moveFile, moveLines } from "./moving-tools.js";
import { findFiles, listFiles, readFile, readManyFiles, searchFiles } from "./reading-tools.js";
import { replace } from "./replace.js";
import { strReplaceBasedEditTool } from "./text-editor.js";

const offered = [
  readFile,
  readManyFiles,
  listFiles,
  searchFiles,
  editFile,
  safePatch,
  writeFile,
  appendToFile,
  updateSection,
  moveFile,
  deleteFile,
  undoEdit,
] as const;
const named = [findFiles, applyChanges, prependToFile, insertLines, moveLines, copyFile] as const;
const dialects = [strReplaceBasedEditTool, memory, replace, fsWrite, applyEdit] as const;
const all = [...offered, ...named, ...dialects] as const;

/** The name of a tool of ours. */
export type ToolName = (typeof all)[number]["name"];

/** A tool of ours. */
export type OwnTool = FileTool<z.ZodRawShape, ToolName>;

/** The tools that are offered unless a host names others, in the order in which every door offers them. */
export const tools: readonly OwnTool[] = offered;

/** Tools as other vendors' models were trained on them, offered instead of ours, never beside them. */
export const dialectTools: readonly OwnTool[] = dialects;

/** Every tool, and so the one list of their names: those that a host has to name come last. */
export const allTools: readonly OwnTool[] = all;

/** The names of all tools, in the same order. */
export const toolNames: readonly ToolName[] = allTools.map(({ name }) => name);

/** Those that change nothing. */
export const readingTools: readonly OwnTool[] = tools.filter((tool) => tool.annotations.readOnly);

/** The tool of this name among all tools, offered or not; undefined where there is none. */
export function findTool(name: string): OwnTool | undefined {
  return allTools.find((tool) => tool.name === name);
}
