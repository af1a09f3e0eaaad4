import { existsSync } from "node:fs";
import {
  projectFile,
  readSettings,
  resolveSettings,
  TrustedFolders,
  unknownVariables,
  userFile,
} from "@holdfast/agent";
import { answer } from "../answers/one-answer.js";
import type { Invocation } from "../shell/invocation.js";
import { escapeText } from "../shell/terminal.js";
import { reportProblems, sourcesOf } from "./sources.js";

/** `config check`: all that is wrong with any source; exit code 52 where anything is. */
export async function checkSettings(call: Invocation): Promise<number> {
  const found = sourcesOf(call);
  if (found.kind === "no_state")
    return reportProblems(call, [{ source: "state folder", key: "", message: found.message }]);
  const all = await resolveSettings(found.sources);
  const project = projectFile(found.sources).path;
  const slips = unknownVariables(process.env).map((message) => ({ source: "environment", key: "", message }));
  const problems = [...(all.kind === "problems" ? all.problems : []), ...slips].filter(
    ({ source }) => call.flags.project !== true || source === project,
  );
  if (problems.length > 0) return reportProblems(call, problems);
  return answer(call, { success: true, problems }, "The settings are sound.");
}

/** `config path`: the files, whether they are there, and whether the project's is trusted. */
export async function showPaths(call: Invocation): Promise<number> {
  const found = sourcesOf(call);
  if (found.kind === "no_state")
    return reportProblems(call, [{ source: "state folder", key: "", message: found.message }]);
  const { folder, stateDir } = found.sources;
  const [user, project] = [userFile(found.sources).path, projectFile(found.sources).path];
  const read = readSettings(project, false);
  const isTrusted =
    read.kind === "read" && (await new TrustedFolders(stateDir).isTrusted(folder, read.bytes));
  const files = [
    ...(call.flags.project === true ? [] : [{ path: user, of: "user", exists: existsSync(user) }]),
    { path: project, of: "project", exists: read.kind !== "absent", trusted: isTrusted },
  ];
  return answer(call, { success: true, files }, files.map(pathLine).join("\n"));
}

function pathLine(file: {
  readonly path: string;
  readonly exists: boolean;
  readonly trusted?: boolean;
}): string {
  const notes = [
    ...(file.exists ? [] : ["not there"]),
    ...(file.exists && file.trusted === false ? ["not trusted"] : []),
    ...(file.trusted === true ? ["trusted"] : []),
  ];
  return `${escapeText(file.path)}${notes.length > 0 ? `  (${notes.join(", ")})` : ""}`;
}
