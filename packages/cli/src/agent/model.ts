import { appendFileSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import {
  type AgentSettings,
  configuredModel,
  effortWords,
  localModels,
  localProviders,
  type ModelRefusal,
  type NamedProvider,
  openModel,
  readCredentials,
  readRecording,
  recordedModel,
  recordingModel,
  type ScriptedAnswer,
  scriptedModel,
  serverWindow,
} from "@holdfast/agent";
import type { ModelPort } from "@holdfast/core/context";
import { homeFolder } from "@holdfast/core/node";
import { defined, escapeText } from "@holdfast/core/text";
import { readInputText } from "../shell/input.js";

/** The model of a run. */
export interface RunModel {
  readonly kind: "model";
  readonly port: ModelPort;
  /** `provider/name`. */
  readonly name: string;
  /** There is none: why, and whether it was asked for an answer all the same. */
  readonly absent?: { readonly refusal: ModelRefusal; readonly isAsked: () => boolean };
}

/** What the flags say of a model beside the settings. */
interface ModelFlags {
  readonly script?: string | undefined;
  readonly debug?: string | undefined;
  readonly record?: string | undefined;
  readonly replay?: string | undefined;
}

/** Opens the model that flags, settings, environment or this machine name; nothing is sent yet. */
export async function modelOf(settings: AgentSettings, flags: ModelFlags): Promise<RunModel | ModelRefusal> {
  const { record, debug } = flags;
  const model = await askedModel(settings, flags);
  if (model.kind === "model_refused") return model;
  const { effort } = settings.model ?? {};
  if (effort !== undefined && model.port.efforts?.includes(effort) === false)
    return { kind: "model_refused", reason: "effort", message: effortWords(model.name, model.port) };
  // What nobody can count no limit of cost can hold.
  if (settings.limits?.maxCostUsd !== undefined && model.port.costOf === undefined)
    return unpriced(model.name);
  try {
    // Only looked at whether it can be: what fails within a request would look like a broken provider.
    if (debug !== undefined) writeFileSync(debug, "", { mode: 0o600, flag: "a" });
  } catch (error) {
    return noFile("The file of --debug cannot be written", error);
  }
  return record === undefined ? model : recorded(model, record);
}

function recorded(model: RunModel, record: string): RunModel | ModelRefusal {
  try {
    // One that stands there is not added to: a recording is one run.
    writeFileSync(record, "", { mode: 0o600, flag: "wx" });
  } catch (error) {
    return noFile("The recording cannot be written", error);
  }
  return { ...model, port: recordingModel(model.port, (line) => appendLine(record, line)) };
}

async function askedModel(settings: AgentSettings, flags: ModelFlags): Promise<RunModel | ModelRefusal> {
  if (flags.script !== undefined) return scriptOf(flags.script);
  if (flags.replay !== undefined) return recordingOf(flags.replay);
  const environment = environmentWith(settings);
  const name = settings.model?.name ?? configuredModel(environment) ?? (await localModels())[0];
  if (name === undefined) return noModel;
  const model = namedModel(name, settings, flags);
  if (model.kind === "model_refused" || model.port.window !== undefined) return model;
  const tokens = await serverWindow(name, { providers: serversOf(settings) });
  return tokens === undefined ? model : { ...model, port: { ...model.port, window: { tokens } } };
}

/** Opens a model by its name, with what settings and environment say of its provider. Nothing is sent by that. */
export function namedModel(
  name: string,
  settings: AgentSettings,
  flags: Pick<ModelFlags, "debug">,
): RunModel | ModelRefusal {
  const opened = openModel(name, {
    environment: environmentWith(settings),
    keySources: keySourcesOf(settings),
    providers: serversOf(settings),
    facts: factsOf(settings),
    ...defined({ cache: settings.context?.cacheLifetime }),
    ...(flags.debug === undefined ? {} : { onRequest: writerOf(flags.debug) }),
  });
  if (opened.kind === "model_refused") return opened;
  return { kind: "model", port: opened.port, name: opened.name };
}

function unpriced(name: string): ModelRefusal {
  const message = `A limit of cost (--max-cost, limits.maxCostUsd) needs the prices of ${name}, and they are not known: give them in model.overrides.`;
  return { kind: "model_refused", reason: "unpriced", message };
}

const noModel: ModelRefusal = {
  kind: "model_refused",
  reason: "auth",
  message:
    "No model is configured. Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, start a local server such as " +
    "Ollama, or name one with --model.",
};

/** A request a line: when, to whom, and the body as it is sent. */
function writerOf(path: string): (request: { readonly model: string; readonly body: object }) => void {
  return ({ model, body }) => appendLine(path, JSON.stringify({ at: new Date().toISOString(), model, body }));
}

async function scriptOf(path: string): Promise<RunModel | ModelRefusal> {
  const given = await readInputText(path, recordingLimits);
  if (typeof given !== "string") return noFile("The script cannot be read", given.message);
  try {
    const text = given.trim();
    const value: unknown = text.startsWith("[")
      ? JSON.parse(text)
      : text.split("\n").map((line) => JSON.parse(line));
    // A cast: a script is as its author wrote it; what does not fit shows in the first answer.
    const port = scriptedModel(value as readonly ScriptedAnswer[], {
      sleep: (ms, signal) => wait(ms, undefined, signal === undefined ? {} : { signal }),
    });
    return { kind: "model", port, name: "scripted/script" };
  } catch (error) {
    return noFile("The script cannot be read", error);
  }
}

async function recordingOf(path: string): Promise<RunModel | ModelRefusal> {
  const given = await readInputText(path, recordingLimits);
  if (typeof given !== "string") return noFile("The recording cannot be read", given.message);
  try {
    const recording = readRecording(given);
    if (recording.kind === "recording_refused") return noFile("It cannot be replayed", recording.message);
    const port = recordedModel(recording);
    return { kind: "model", port, name: `${port.target.provider}/${port.target.model}` };
  } catch (error) {
    return noFile("The recording cannot be read", error);
  }
}

const recordingLimits = { bytes: 256 * 1024 * 1024, isOption: true };

function noFile(what: string, error: unknown): ModelRefusal {
  const why = error instanceof Error ? error.message : String(error);
  return { kind: "model_refused", reason: "unknown_model", message: `${what}: ${why}` };
}

/** What settings say of a vendor's key and address counts as if the environment said it; a key of the person's file comes last. */
export function environmentWith(settings: AgentSettings): Readonly<Record<string, string | undefined>> {
  const environment: Record<string, string | undefined> = { ...process.env };
  const { providers = {} } = settings.model ?? {};
  for (const [name, { key, keyEnv, baseUrl }] of Object.entries(providers)) {
    const given = key ?? (keyEnv === undefined ? undefined : environmentValue(keyEnv));
    if (given !== undefined) environment[variableOf(name, { key, keyEnv })] = given;
    if (baseUrl !== undefined && isVendor(name)) environment[vendorVariables[name].baseUrl] = baseUrl;
  }
  for (const [name, key] of Object.entries(keptKeys(settings)))
    environment[variableOf(name, providers[name])] = key;
  return environment;
}

/** The keys of the person's file that nothing else goes before. */
function keptKeys(settings: AgentSettings): Readonly<Record<string, string>> {
  const { providers = {} } = settings.model ?? {};
  const isGiven = (name: string) => {
    const { key, keyEnv } = providers[name] ?? {};
    const variables = [variableOf(name, providers[name]), ...(name === "google" ? ["GOOGLE_API_KEY"] : [])];
    return (
      key !== undefined || [keyEnv, ...variables].some((one) => one && environmentValue(one) !== undefined)
    );
  };
  const kept = readCredentials({ home: homeFolder(), environment: process.env });
  return Object.fromEntries(Object.entries(kept).filter(([name]) => !isGiven(name)));
}

/** The variable in which the key of a provider is looked for. */
function variableOf(provider: string, { key, keyEnv }: { key?: unknown; keyEnv?: unknown } = {}): string {
  const known = key === undefined && keyEnv === undefined ? localProviders[provider]?.keyVariable : undefined;
  return keyVariableOfVendor(provider) ?? known ?? keyVariableOf(provider);
}

/** An empty variable is none. */
function environmentValue(variable: string): string | undefined {
  return process.env[variable] || undefined;
}

/** What a person set a key by, for the variables that settings fill. */
function keySourcesOf(settings: AgentSettings): Readonly<Record<string, string>> {
  const providers = Object.entries(settings.model?.providers ?? {});
  const kept = Object.keys(keptKeys(settings)).map(
    (name) => [variableOf(name, settings.model?.providers?.[name]), "credentials.json"] as const,
  );
  const said = providers.flatMap(([name, { key, keyEnv }]) => {
    const vendor = keyVariableOfVendor(name);
    if (key !== undefined) return [[vendor ?? keyVariableOf(name), keyVariableOf(name)] as const];
    // Without it a vendor's own variable counts.
    const counts = keyEnv !== undefined && (vendor === undefined || environmentValue(keyEnv) !== undefined);
    return counts ? [[vendor ?? keyVariableOf(name), keyEnv] as const] : [];
  });
  return Object.fromEntries([...said, ...kept]);
}

const vendorVariables = {
  anthropic: { key: "ANTHROPIC_API_KEY", baseUrl: "ANTHROPIC_BASE_URL" },
  openai: { key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
  google: { key: "GEMINI_API_KEY", baseUrl: "GOOGLE_GEMINI_BASE_URL" },
} as const;

function isVendor(provider: string): provider is keyof typeof vendorVariables {
  return Object.hasOwn(vendorVariables, provider);
}

/** The variable that holds the key of a vendor, as everybody sets it. */
export function keyVariableOfVendor(provider: string): string | undefined {
  return isVendor(provider) ? vendorVariables[provider].key : undefined;
}

/** A name that no environment has: the key of a provider of the settings. */
function keyVariableOf(provider: string): string {
  return `the key of ${provider} in the settings`;
}

function serversOf(settings: AgentSettings): Readonly<Record<string, NamedProvider>> {
  const named = Object.entries(settings.model?.providers ?? {});
  const kept = keptKeys(settings);
  return Object.fromEntries(
    named.map(([name, { kind, baseUrl, key, keyEnv, headers }]) => {
      // What they say of a vendor's key and address is in the environment.
      if (keyVariableOfVendor(name) !== undefined) return [name, defined({ kind, headers })] as const;
      const isGiven = key !== undefined || keyEnv !== undefined || kept[name] !== undefined;
      const keyVariable = isGiven ? variableOf(name, { key, keyEnv }) : undefined;
      return [name, defined({ kind, baseUrl, keyVariable, headers })] as const;
    }),
  );
}

function factsOf(settings: AgentSettings) {
  const overrides = Object.entries(settings.model?.overrides ?? {});
  return Object.fromEntries(
    overrides.map(([name, { contextTokens, outputTokens, inputUsd, outputUsd, cachedInputUsd }]) => {
      const prices =
        inputUsd === undefined || outputUsd === undefined
          ? undefined
          : { input: inputUsd, output: outputUsd, cached: cachedInputUsd ?? inputUsd };
      return [name, defined({ contextWindow: contextTokens, maxOutput: outputTokens, prices })] as const;
    }),
  );
}

/**
 * Appends a line to a file that a run writes beside its work (`--record`, `--debug`). Never throws: work does not end for
 * the want of it. A file that cannot be written is told once and left from there on: a gap in it would be no better.
 */
function appendLine(path: string, line: string): void {
  if (left.has(path)) return;
  try {
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  } catch (error) {
    left.add(path);
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(escapeText(`holdfast: ${path} ends here, the run goes on: ${why}\n`));
  }
}

const left = new Set<string>();
