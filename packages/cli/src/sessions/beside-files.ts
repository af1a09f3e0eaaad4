import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { BesideFile, ImportProblem } from "@holdfast/core";
import { readInputLines } from "../shell/index.js";

/** What lies beside a session file and belongs to it. */
export interface BesideFiles {
  readonly files: readonly BesideFile[];
  readonly problems: readonly ImportProblem[];
}

/**
 * The files of subagents that Claude Code keeps beside `ID.jsonl`, in `ID/subagents`. The folder is listed, and no
 * name that a session holds is ever looked up; links and folders in it are passed over.
 *
 * @param session the file of the session; none are beside standard input.
 */
export async function filesBeside(session: string | undefined): Promise<BesideFiles> {
  if (session?.endsWith(".jsonl") !== true) return { files: [], problems: [] };
  const folder = join(session.slice(0, -".jsonl".length), "subagents");
  const files: BesideFile[] = [];
  const problems: ImportProblem[] = [];
  let left = mostBytes;
  for (const entry of await entriesOf(folder)) {
    if (!entry.isFile() || !/^agent-.+\.(meta\.json|jsonl)$/.test(entry.name)) continue;
    const read = await readInputLines(join(folder, entry.name), { bytes: left, lineBytes: left });
    if ("text" in read) {
      left -= Buffer.byteLength(read.text);
      files.push({ name: entry.name, text: read.text });
      for (const problem of read.problems)
        problems.push(unreadIn(entry.name, "unreadable_line", `${entry.name}: ${problem}`));
    } else {
      const message = `${entry.name} was not read, and what it holds is missing: ${read.message}`;
      problems.push(unreadIn(entry.name, "unreadable_file", message));
    }
  }
  return { files, problems };
}

function unreadIn(file: string, what: ImportProblem["what"], message: string): ImportProblem {
  return { line: 1, file, what, message };
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** Of all of them together. */
const mostBytes = 256 * 1024 * 1024;
