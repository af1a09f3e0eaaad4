import { existsSync } from "node:fs";
import {
  type AgentSettings,
  fitOf,
  isCovered,
  projectFile,
  projectSettings,
  resolveSettings,
  type SettingsProblem,
  TrustedFolders,
  unknownVariables,
  userFile,
} from "@holdfast/agent";
import { escapeText } from "@holdfast/core/text";
import { answer } from "../answers/one-answer.js";
import type { Invocation } from "../shell/invocation.js";
import { problemLine, reportedSources, reportProblems } from "./sources.js";

/** `config check`: all that is wrong with any source; exit code 52 where anything is. A key that is no setting any more is no fault. */
export async function checkSettings(call: Invocation): Promise<number> {
  const sources = await reportedSources(call);
  if (typeof sources === "number") return sources;
  const all = await resolveSettings(sources);
  const project = projectFile(sources).path;
  const slips = unknownVariables(process.env).map((message) => ({ source: "environment", key: "", message }));
  const isMeant = ({ source }: SettingsProblem) => call.flags.project !== true || source === project;
  const problems = [...(all.kind === "problems" ? all.problems : all.faults), ...slips].filter(isMeant);
  if (problems.length > 0) return reportProblems(call, problems);
  const warnings = (all.kind === "settings" ? all.warnings : []).filter(isMeant);
  const rules = (all.kind === "settings" ? (all.settings.approval?.rules ?? []) : []).flatMap(examplesOf);
  const lines = rules.map(({ rule, decision, matches, asks, others }) =>
    [
      `${decision} ${rule}`,
      `  matches: ${matches.join(" | ")}`,
      ...(asks.length > 0 ? [`  asks: ${asks.join(" | ")}`] : []),
      `  not: ${others.join(" | ")}`,
    ].join("\n"),
  );
  return answer(
    call,
    { success: true, problems, warnings, ...(rules.length > 0 ? { rules } : {}) },
    escapeText(["The settings are sound.", ...warnings.map(problemLine), ...lines].join("\n")),
  );
}

type CheckedRule = NonNullable<NonNullable<AgentSettings["approval"]>["rules"]>[number];

/** What a rule about commands matches and what not, by commands that are made of its words. */
function examplesOf({ command: rule, decision }: CheckedRule) {
  if (rule === undefined) return [];
  const bare = rule.replace(/(^|\s)\*\s*$/u, "") || "ls";
  const [program = "", ...rest] = bare.split(" ");
  const behind = rest.map((word) => ` ${word}`).join("");
  const commands = [
    ...[bare, `${bare} x`, `cd dir && ${bare}`, `${bare} | tail`, `X=1 ${bare}`, `sh -c '${bare}'`],
    ...[
      `/usr/bin/${program}${behind}`,
      `${program} -C dir${behind}`,
      `$X${behind}`,
      `${bare}x`,
      `echo ${bare}`,
    ],
  ];
  const fits = (command: string) =>
    decision === "allow" ? (isCovered(command, { rules: [rule] }) ? "yes" : "no") : fitOf(rule, command);
  const [matches, asks, others] = (["yes", "maybe", "no"] as const).map((fit) =>
    commands.filter((command) => fits(command) === fit),
  );
  return [{ rule, decision, matches: matches ?? [], asks: asks ?? [], others: others ?? [] }];
}

/** `config path`: the files, whether they are there, and whether the project's is trusted. */
export async function showPaths(call: Invocation): Promise<number> {
  const sources = await reportedSources(call);
  if (typeof sources === "number") return sources;
  const { folder, stateDir } = sources;
  const { path: user } = userFile(sources);
  const file = projectFile(sources);
  const { bytes } = await projectSettings(sources);
  const isTrusted = bytes !== undefined && (await new TrustedFolders(stateDir).isTrusted(folder, bytes));
  const files = [
    ...(call.flags.project === true ? [] : [{ path: user, of: "user", exists: existsSync(user) }]),
    { path: file.path, of: "project", exists: existsSync(file.path), trusted: isTrusted },
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
