import { resolve } from "node:path";
import { type AgentSettings, readCredentials } from "@holdfast/agent";
import type { ModelFailure, ModelPort } from "@holdfast/core/context";
import type { TurnUsage } from "@holdfast/core/conversation/values";
import { isEconomyRefusal } from "@holdfast/core/economy";
import { homeFolder } from "@holdfast/core/node";
import { defined } from "@holdfast/core/text";
import type { Invocation } from "../shell/invocation.js";
import { openHost, sandboxFault, sandboxOf } from "./host.js";
import { keyVariableOfVendor, modelOf } from "./model.js";
import { economyOf, settingsOf } from "./settings.js";

/** One thing that was looked at. A `note` is worth knowing and no fault. */
export interface Finding {
  readonly name: string;
  readonly verdict: "good" | "note" | "fault";
  readonly says: string;
}

/**
 * What `holdfast doctor` finds of the agent: settings, keys, model, terminal, MCP servers. Nothing is sent to a
 * provider but with `--try-model`: then one short request.
 */
export async function agentFindings(call: Invocation): Promise<readonly Finding[]> {
  const found = await settingsOf(call);
  if (found.kind === "problems") return found.lines.map((line) => fault("settings", line));
  const { settings, notices, stateDir } = found;
  return [
    ...settingsFindings(settings, notices),
    ...keyFindings(settings),
    ...(await modelFindings(settings, call.flags.tryModel === true)),
    terminalFinding(),
    await sandboxFinding(settings, call.settings.roots, stateDir),
    ...(await serverFindings(settings, call.settings.roots, stateDir)),
  ];
}

function settingsFindings(settings: AgentSettings, notices: readonly string[]): readonly Finding[] {
  const economy = economyOf(settings);
  if (isEconomyRefusal(economy)) return [fault("settings", economy.message)];
  return notices.length === 0 ? [good("settings", "hold")] : notices.map((line) => note("settings", line));
}

/** The variables that hold keys of the vendors; their values are shown nowhere. */
const keyVariables = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"];

/** Which keys are there, by their variables and providers. */
export function keyFindings(settings: AgentSettings): readonly Finding[] {
  const isSet = (name: string) => (process.env[name] ?? "") !== "";
  const set = keyVariables.filter(isSet);
  const own = Object.entries(settings.model?.providers ?? {}).map(([name, { key, keyEnv }]) => {
    if (key !== undefined) return good("keys", `${name}: in your settings`);
    if (keyEnv === undefined) return good("keys", `${name}: none is needed`);
    if (isSet(keyEnv)) return good("keys", `${name}: ${keyEnv} is set`);
    const usual = keyVariableOfVendor(name);
    return usual !== undefined && isSet(usual)
      ? note("keys", `${name}: ${keyEnv} is not set; ${usual} counts`)
      : fault("keys", `${name}: ${keyEnv} is not set`);
  });
  const vendors =
    set.length === 0
      ? [note("keys", `none of ${keyVariables.join(", ")} is set`)]
      : [good("keys", `set: ${set.join(", ")}`)];
  const kept = Object.keys(readCredentials({ home: homeFolder(), environment: process.env }));
  const inFile = kept.length === 0 ? [] : [good("keys", `in credentials.json: ${kept.join(", ")}`)];
  return [...vendors, ...inFile, ...own];
}

async function modelFindings(settings: AgentSettings, isTried: boolean): Promise<readonly Finding[]> {
  const model = await modelOf(settings, {});
  if (model.kind === "model_refused") {
    const isFault = isTried || settings.model?.name !== undefined;
    return [isFault ? fault("model", model.message) : note("model", model.message)];
  }
  const { name, port } = model;
  const unpriced = port.costOf === undefined ? "; its prices are unknown" : "";
  const known =
    port.window === undefined
      ? note("model", `${name}: its window is unknown (model.overrides)${unpriced}`)
      : good("model", `${name}${unpriced}`);
  return isTried ? [known, await tried(port, name)] : [known];
}

async function tried(port: ModelPort, name: string): Promise<Finding> {
  const answer = await tryModel(port);
  if (answer.kind === "model_failure") return fault("model tried", `${name}: ${answer.message}`);
  const { inputTokens = 0, outputTokens = 0 } = answer.usage ?? {};
  return good("model tried", `${name} answers (${inputTokens} tokens in, ${outputTokens} out)`);
}

/** One request with one short word, so that key, address and name are known to work. */
export async function tryModel(
  port: ModelPort,
): Promise<ModelFailure | { readonly kind: "answers"; readonly usage?: TurnUsage }> {
  const contents = [{ role: "user", parts: [{ text: "Answer with the one word: ok" }] }] as const;
  const signal = AbortSignal.timeout(tryMs);
  for await (const event of port.ask({ step: "try", contents }, signal)) {
    if (event.kind === "failed") return event.failure;
    if (event.kind === "finish") return { kind: "answers", ...defined({ usage: event.answer.usage }) };
  }
  return { kind: "model_failure", reason: "unreachable", message: "no answer" };
}

const tryMs = 60_000;

function terminalFinding(): Finding {
  if (!process.stdout.isTTY) return note("terminal", "none: the output goes elsewhere");
  const { columns = 0, rows = 0 } = process.stdout;
  const says = `${process.env.TERM ?? "no TERM"}, ${columns} × ${rows}`;
  return columns < 80 || rows < 24
    ? note("terminal", `${says}; 80 × 24 is the least`)
    : good("terminal", says);
}

async function sandboxFinding(
  settings: AgentSettings,
  roots: readonly string[],
  stateDir: string,
): Promise<Finding> {
  const { sandbox: setting = "auto" } = settings.shell ?? {};
  if (setting === "off") return note("sandbox", "off: commands run without one (shell.sandbox)");
  const place = { roots: roots.map((root) => resolve(root)), stateDir };
  const why = await sandboxFault(await sandboxOf(settings, place));
  if (why === undefined) return good("sandbox", "it starts: commands run in it");
  if (setting === "on") return fault("sandbox", `none starts, so no command runs: ${why}`);
  return note("sandbox", `none starts, so commands run without one: ${why}`);
}

/** Each server is started, asked for its tools, and ended. */
async function serverFindings(
  settings: AgentSettings,
  roots: readonly string[],
  stateDir: string,
): Promise<readonly Finding[]> {
  const named = Object.keys(settings.mcpServers ?? {});
  if (named.length === 0) return [];
  const checkFiles = async () => ({ text: "", files: [] });
  const host = await openHost(settings, { roots, stateDir, checkFiles });
  try {
    return host.servers.map(({ name, kind, messages, tools }) => {
      const says = [`${kind}, ${tools} tools`, ...messages].join("; ");
      return { name: `MCP server ${name}`, verdict: kind === "ready" ? "good" : "fault", says } as const;
    });
  } finally {
    await host.close();
  }
}

function good(name: string, says: string): Finding {
  return { name, verdict: "good", says };
}

function note(name: string, says: string): Finding {
  return { name, verdict: "note", says };
}

function fault(name: string, says: string): Finding {
  return { name, verdict: "fault", says };
}
