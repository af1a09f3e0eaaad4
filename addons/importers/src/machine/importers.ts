import type { SourceSession } from "@holdfast/core/conversation";
import { formatNames } from "../formats/source-format.js";
import { readSessionInSteps } from "../read-session-file.js";
import { type BesideFiles, filesBeside } from "./beside-files.js";
import {
  type FoundFiles,
  findForeign,
  folderNotedBeside,
  importIdOf,
  type NotedFolder,
  sourceOf,
} from "./find-foreign.js";
import { type Agent, agents, isAgent } from "./foreign-homes.js";
import type { ReadLines } from "./read-lines.js";

/** What the command `holdfast sessions import` asks of this add-on. */
export interface Importers {
  /** The programs whose sessions are looked for on a machine. */
  readonly agents: readonly string[];
  /** What a file of each format is called. */
  readonly formatNames: Readonly<Record<string, string>>;
  readonly readSessionInSteps: typeof readSessionInSteps;
  /** Looks for sessions of one program, or of all. */
  find(agent: string | undefined): Promise<FoundFiles>;
  /** The files of subagents that belong to the session in this file. */
  filesBeside(place: string, text: string): Promise<BesideFiles>;
  /** The folder in which a session's program worked, if it is noted beside the file. */
  folderNotedBeside(place: string): Promise<NotedFolder>;
  /** The id under which the session in this file is imported: the same each time. */
  importIdOf(source: SourceSession, place?: string): string;
}

/** @param readLines reads a file within limits. */
export function openImporters(readLines: ReadLines): Importers {
  return {
    agents,
    formatNames,
    readSessionInSteps,
    find: (agent) => findForeign(named(agent), readLines),
    filesBeside: (place, text) => filesBeside(place, text, readLines),
    folderNotedBeside,
    importIdOf: (source, place) => importIdOf(place === undefined ? source : sourceOf(source, place)),
  };
}

function named(agent: string | undefined): Agent | undefined {
  return agent !== undefined && isAgent(agent) ? agent : undefined;
}
