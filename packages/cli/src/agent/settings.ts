import { relative, resolve } from "node:path";
import {
  type AgentSettings,
  type ApprovalRule,
  checkText,
  projectFile,
  resolveSettings,
  type SettingsProblem,
  settingsLimitBytes,
  unknownVariables,
  userFile,
} from "@holdfast/agent";
import { isBelow, realPathOf } from "@holdfast/agent/host";
import {
  cacheRatiosOf,
  defaultEconomy,
  type EconomyOverrides,
  type EconomyRefusal,
  type EconomySettings,
  economySettings,
} from "@holdfast/core/economy";
import { compileGlob, type HostRule } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import { problemLine, sourcesOf, withForeign } from "../config/sources.js";
import { readInputText } from "../shell/input.js";
import type { Invocation } from "../shell/invocation.js";

/** The settings of a run, or all that is wrong with them. */
export type RunSettings =
  | {
      readonly kind: "settings";
      readonly settings: AgentSettings;
      /** What a person should know of them. */
      readonly notices: readonly string[];
      readonly stateDir: string;
      /** Where the person's own files are, and whether those of the project count; absent where neither plays a part. */
      readonly own?: {
        readonly home: string;
        readonly folder: string;
        readonly isTrusted: boolean;
        /** Keys of the project's settings that do not count without trust. */
        readonly ignored: readonly string[];
      };
    }
  | { readonly kind: "problems"; readonly lines: readonly string[] };

/** Puts together what files, environment and flags say. */
export async function settingsOf(call: Invocation): Promise<RunSettings> {
  const found = sourcesOf(call);
  if (isRefusal(found)) return { kind: "problems", lines: [found.message] };
  const { stateDir } = found;
  const servers = await serversIn(call.flags.mcpConfig);
  if (servers.problems.length > 0) return { kind: "problems", lines: servers.problems.map(problemLine) };
  const flags = { ...settingsOfFlags(call), ...servers.settings };
  const sources = await withForeign(found, found.environment);
  const resolved = await resolveSettings({ ...sources, flags });
  if (resolved.kind === "problems") return { kind: "problems", lines: resolved.problems.map(problemLine) };
  const { settings, ignored, faults, warnings, isTrusted, unused } = resolved;
  const { home } = found;
  const isOwn = (source: string) => source === projectFile(found).path;
  const keys = ignored.map(({ source, key }) => (isOwn(source) ? key : `${key} (${source})`));
  const own = { home, folder: userFile(found).folder, isTrusted, ignored: keys };
  const notices = [
    ...unknownVariables(process.env),
    ...warnings.map((warning) => `${problemLine(warning)}.`),
    ...(unused.length === 0 ? [] : [`Of the files of other agents are not used: ${unused.join(", ")}.`]),
    ...faults.slice(0, 1).map((fault) => `The project's settings do not count: ${problemLine(fault)}.`),
  ];
  return { kind: "settings", settings, notices, stateDir, own };
}

function settingsOfFlags({ flags }: Invocation): AgentSettings {
  const given = {
    model: defined({ name: flags.model, effort: flags.effort }),
    approval: defined({ mode: flags.approvalMode }),
    shell: defined({ sandbox: flags.sandbox }),
    tools: defined({ onMismatch: flags.onMismatch }),
    limits: defined({ maxTurns: flags.maxTurns, maxCostUsd: flags.maxCost }),
    sessions: defined({ store: flags.store, tenant: flags.tenant }),
    ui: defined({ reading: flags.reading }),
    files: defined({ include: flags.include?.map((dir) => resolve(dir)) }),
  };
  const said = Object.entries(given).filter(([, section]) => Object.keys(section).length > 0);
  return Object.fromEntries(said);
}

/** The servers of a file: `{ "mcpServers": { … } }`, as other clients have it; or what is wrong with it. */
async function serversIn(
  path: string | undefined,
): Promise<{ readonly settings: AgentSettings; readonly problems: readonly SettingsProblem[] }> {
  if (path === undefined) return { settings: {}, problems: [] };
  const text = await readInputText(path, { bytes: settingsLimitBytes, isOption: true });
  if (typeof text !== "string")
    return { settings: {}, problems: [{ source: path, key: "", message: text.message }] };
  const { settings, problems } = await checkText(path, text);
  return { settings: defined({ mcpServers: settings.mcpServers }), problems };
}

/** A rule of the settings, for the gate. */
export function ruleOf({ tool, decision, path, command }: Rule): ApprovalRule {
  return { tool, decision, ...defined({ path, command }) };
}

/**
 * The files that rules deny to every tool, so that a search and a listing find nothing of them either: a call of these is
 * judged by its folder alone. A rule that allows tools of files before it may be meant to let them be read.
 */
export async function deniedFiles(
  { approval = {} }: AgentSettings,
  roots: readonly string[],
): Promise<readonly HostRule[]> {
  const { rules = [] } = approval;
  const allowed = rules.findIndex(({ decision, command }) => decision === "allow" && command === undefined);
  const before = allowed < 0 ? rules : rules.slice(0, allowed);
  const real = roots.map((root) => realPathOf(root) ?? root);
  const denied = before.map(async ({ tool, path, decision }): Promise<readonly HostRule[]> => {
    if (tool !== "*" || path === undefined || decision !== "deny") return [];
    const glob = await compileGlob(path);
    if (isRefusal(glob)) return [];
    const names = (file: string) =>
      path.startsWith("/")
        ? [file.slice(1)]
        : real.filter((root) => isBelow(file, root)).map((root) => relative(root, file));
    const matches = (file: string) => names(file).some((name) => glob.matches(name));
    return [{ denies: "reading", shown: `a rule of the settings, ${path}`, matches }];
  });
  return (await Promise.all(denied)).flat();
}

type Rule = NonNullable<NonNullable<AgentSettings["approval"]>["rules"]>[number];

/**
 * When the prompt is made smaller, and how, by what settings say.
 *
 * @returns a refusal where they contradict each other, with the names that the settings have.
 */
export function economyOf({ context = {} }: AgentSettings): EconomySettings | EconomyRefusal {
  const { triggerTokens, excludeTools, compaction, compactAtTokens, cacheLifetime: _, ...others } = context;
  const { ratios, ...given } = others;
  const shownAs = (setting: string) => `context.${settingNames[setting] ?? setting}`;
  const overrides: EconomyOverrides = {
    ...defined(given),
    ...(ratios === undefined ? {} : { ratios: ratiosOf(ratios) }),
    ...(triggerTokens === undefined ? {} : { trigger: { type: "input_tokens", value: triggerTokens } }),
    ...(excludeTools === undefined
      ? {}
      : { excludeTools: [...defaultEconomy.excludeTools, ...excludeTools] }),
    compaction: defined({
      enabled: compaction,
      contextTokenThreshold: compactAtTokens,
      // A summary of all but a tail that is as long as the whole would win nothing.
      tailTokens:
        compactAtTokens && Math.min(defaultEconomy.compaction.tailTokens, Math.floor(compactAtTokens / 4)),
    }),
  };
  return economySettings(overrides, shownAs);
}

/** The names that differ from those of the library. */
const settingNames: Readonly<Record<string, string>> = {
  "trigger.value": "triggerTokens",
  "compaction.contextTokenThreshold": "compactAtTokens",
};

/** What is left out is as the list has it; of a provider that is not in it, a cache that is soon cold. */
function ratiosOf(given: NonNullable<NonNullable<AgentSettings["context"]>["ratios"]>) {
  const unlisted = { lifetimeMs: 5 * 60_000, bindsThinking: false };
  return Object.fromEntries(
    Object.entries(given).map(([name, one]) => {
      return [name, { ...(cacheRatiosOf(name) ?? unlisted), ...defined(one) }] as const;
    }),
  );
}
