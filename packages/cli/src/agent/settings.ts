import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type AgentSettings, checkText, resolveSettings, type SettingsProblem } from "@holdfast/agent";
import { defined, isRefusal } from "@holdfast/core";
import { inspectState } from "@holdfast/core/node";
import type { Invocation } from "../shell/index.js";

/** The settings of a run, or all that is wrong with them. */
export type RunSettings =
  | {
      readonly kind: "settings";
      readonly settings: AgentSettings;
      /** What a person should know of them: keys that do not count. */
      readonly notices: readonly string[];
      readonly stateDir: string;
    }
  | { readonly kind: "problems"; readonly lines: readonly string[] };

/** Puts together what files, environment and flags say. */
export async function settingsOf(call: Invocation): Promise<RunSettings> {
  const [folder = process.cwd()] = call.settings.roots;
  const { state } = inspectState(call.settings.stateDir, []);
  if (isRefusal(state)) return { kind: "problems", lines: [state.message] };
  const { path: stateDir } = state;
  const servers = await serversIn(call.flags.mcpConfig);
  if (servers.kind === "problems") return { kind: "problems", lines: servers.problems.map(lineOf) };
  const flags = { ...settingsOfFlags(call), ...servers.settings };
  const { env: environment } = process;
  const resolved = await resolveSettings({
    folder: resolve(folder),
    home: homedir(),
    stateDir,
    environment,
    flags,
  });
  if (resolved.kind === "problems") return { kind: "problems", lines: resolved.problems.map(lineOf) };
  const { settings, ignored } = resolved;
  const notices = ignored.map(({ key, why }) => `The project's setting ${key} does not count: ${why}.`);
  return { kind: "settings", settings, notices, stateDir };
}

function settingsOfFlags({ flags }: Invocation): AgentSettings {
  const { model, approvalMode, maxTurns, maxCost, wire, resultContent, onMismatch, include, store, tenant } =
    flags;
  const given = {
    model: defined({ name: model }),
    approval: defined({ mode: approvalMode }),
    tools: defined({ wire, resultContent, onMismatch }),
    limits: defined({ maxTurns, maxCostUsd: maxCost }),
    sessions: defined({ store, tenant }),
    files: include === undefined ? {} : { include: include.map((dir) => resolve(dir)) },
  };
  const said = Object.entries(given).filter(([, section]) => Object.keys(section).length > 0);
  return Object.fromEntries(said);
}

type Checked =
  | { readonly kind: "settings"; readonly settings: AgentSettings }
  | { readonly kind: "problems"; readonly problems: readonly SettingsProblem[] };

/** The servers of a file: `{ "mcpServers": { … } }`, as other clients have it. */
async function serversIn(path: string | undefined): Promise<Checked> {
  if (path === undefined) return { kind: "settings", settings: {} };
  try {
    const checked = await checkText(path, readFileSync(path, "utf8"));
    if (checked.kind === "problems") return checked;
    const { mcpServers } = checked.settings;
    return { kind: "settings", settings: mcpServers === undefined ? {} : { mcpServers } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "problems", problems: [{ source: path, key: "", message }] };
  }
}

function lineOf({ source, key, message, ...place }: SettingsProblem): string {
  const { line, column } = { line: undefined, column: undefined, ...place };
  const at = line === undefined ? source : `${source}:${line}:${column ?? 1}`;
  return `${at}: ${key === "" ? "" : `${key}: `}${message}`;
}
