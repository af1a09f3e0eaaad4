import { join } from "node:path";
import type { BesideFile, ImportProblem } from "@holdfast/core";
import { readInputLines } from "../shell/index.js";
import { entriesIn } from "./regular-file.js";

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
  const unlisted: string[] = [];
  for (const entry of await entriesIn(folder, unlisted)) {
    if (!entry.isFile() || !/^agent-.+\.(meta\.json|jsonl)$/.test(entry.name)) continue;
    const read = await readInputLines(join(folder, entry.name), { bytes: left, lineBytes: left });
    if ("text" in read) {
      left -= Buffer.byteLength(read.text);
      files.push({ name: entry.name, text: read.text });
      for (const problem of read.problems)
        problems.push({
          ...unreadIn(entry.name, "unreadable_line", `${entry.name}: ${problem.message}`),
          line: problem.line ?? 1,
        });
    } else {
      const message = `${entry.name} was not read, and what it holds is missing: ${read.message}`;
      problems.push(unreadIn(entry.name, "unreadable_file", message));
    }
  }
  for (const message of unlisted) problems.push({ line: 1, what: "unreadable_file", message });
  return { files, problems };
}

function unreadIn(file: string, what: ImportProblem["what"], message: string): ImportProblem {
  return { line: 1, file, what, message };
}

/** Of all of them together. */
const mostBytes = 256 * 1024 * 1024;
