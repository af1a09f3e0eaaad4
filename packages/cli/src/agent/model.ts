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
  const { environment, providers } = providersOf(settings);
  const name = settings.model?.name ?? configuredModel(environment) ?? (await localModels())[0];
  if (name === undefined) return noModel;
  const model = namedModel(name, settings, flags);
  if (model.kind === "model_refused" || model.port.window !== undefined) return model;
  const tokens = await serverWindow(name, { providers });
  return tokens === undefined ? model : { ...model, port: { ...model.port, window: { tokens } } };
}

/** Opens a model by its name, with what settings and environment say of its provider. Nothing is sent by that. */
export function namedModel(
  name: string,
  settings: AgentSettings,
  flags: Pick<ModelFlags, "debug">,
): RunModel | ModelRefusal {
  const opened = openModel(name, {
    ...providersOf(settings),
    facts: factsOf(settings),
    ...defined({ cache: settings.context?.cacheLifetime }),
    ...(flags.debug === undefined ? {} : { onRequest: writerOf(flags.debug) }),
  });
  if (opened.kind === "model_refused") return opened;
  return { kind: "model", port: opened.port, name: opened.name };
}

/** Another model; what it is to think is said of the model that works. */
export function withModel(settings: AgentSettings, name: string): AgentSettings {
  const { effort: _, ...model } = settings.model ?? {};
  return { ...settings, model: { ...model, name } };
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

/**
 * How providers are reached, by what settings and the person's file of keys say: as if the environment said it, since
 * variables of the environment are what a model is opened with.
 */
export function providersOf(settings: AgentSettings) {
  const { providers = {} } = settings.model ?? {};
  const kept = readCredentials({ home: homeFolder(), environment: process.env });
  const environment: Record<string, string | undefined> = { ...process.env };
  const keySources: Record<string, string> = {};
  const named: Record<string, NamedProvider> = {};
  for (const name of new Set([...Object.keys(providers), ...Object.keys(kept)])) {
    const provider = providers[name] ?? {};
    const { kind, baseUrl, headers } = provider;
    const key = keyOf(name, provider, kept[name]);
    if (key?.text !== undefined) environment[key.variable] = key.text;
    if (key !== undefined) keySources[key.variable] = key.source;
    if (isVendor(name)) {
      if (baseUrl !== undefined) environment[vendorVariables[name].baseUrl] = baseUrl;
      named[name] = defined({ kind, headers });
    } else if (Object.hasOwn(providers, name))
      named[name] = defined({ kind, baseUrl, keyVariable: key?.variable, headers });
  }
  return { environment, keySources, providers: named };
}

/** The key of a provider. */
interface ProviderKey {
  /** In which it is looked for. */
  readonly variable: string;
  /** Absent where it is not set. */
  readonly text?: string;
  /** What a person set it by. */
  readonly source: string;
}

type Provider = Pick<NonNullable<NonNullable<AgentSettings["model"]>["providers"]>[string], "key" | "keyEnv">;

/** The key that the settings give, else the one in the person's file. Undefined where the usual variable counts. */
function keyOf(name: string, { key, keyEnv }: Provider, kept: string | undefined): ProviderKey | undefined {
  // A name that no environment has.
  const own = `the key of ${name} in the settings`;
  const isGiven = key !== undefined || keyEnv !== undefined;
  const usual = keyVariableOfVendor(name) ?? (isGiven ? undefined : localProviders[name]?.keyVariable);
  const variable = usual ?? own;
  if (key !== undefined) return { variable, text: key, source: own };
  const given = keyEnv && process.env[keyEnv];
  if (keyEnv && given) return { variable, text: given, source: keyEnv };
  const isUsual = [usual, name === "google" ? "GOOGLE_API_KEY" : ""].some((one) => one && process.env[one]);
  if (kept !== undefined && !isUsual) return { variable, text: kept, source: "credentials.json" };
  return keyEnv === undefined || usual !== undefined ? undefined : { variable, source: keyEnv };
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
