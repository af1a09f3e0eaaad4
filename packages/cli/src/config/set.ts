import { chmodSync, existsSync, realpathSync } from "node:fs";
import { dirname, relative } from "node:path";
import {
  type ApprovalRule,
  checkFile,
  factsOfModel,
  type ModelRefusal,
  openModel,
  projectFile,
  type Refused,
  readSettings,
  resolveSettings,
  type SettingsFile,
  type SettingsProblem,
  type SettingsSources,
  settingsPath,
  userFile,
} from "@holdfast/agent";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal, type Refusal } from "@holdfast/core/files/values";
import { escapeText, jsonOf } from "@holdfast/core/text";
import { answer } from "../answers/one-answer.js";
import { withWorkspace } from "../answers/open.js";
import { reportRefusal } from "../answers/report.js";
import { exitCodeOf } from "../shell/exit-code-of.js";
import { exitCodes } from "../shell/exit-codes.js";
import { readInputText } from "../shell/input.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import type { Invocation } from "../shell/invocation.js";
import { changeSettings } from "./change-settings.js";
import { reportedSources, reportProblems, sourcesOf } from "./sources.js";

/**
 * `config set KEY VALUE`: puts a value into the person's file, or the project's. Comments and all else stay. Nothing is
 * written unless the file then holds to the schema; the write is as guarded as all others.
 */
export async function setSetting(call: Invocation): Promise<number> {
  const [, key, given] = call.args;
  if (key === undefined || given === undefined) return call.misuse("set takes a key and a value");
  const path = settingsPath(key);
  if (path === undefined) return call.misuse(`there is no setting ${key}`);
  const text = await givenValue(given);
  if (typeof text !== "string") return reportRefusal(text, call.terminal);
  if (key !== "model" || text.trim().startsWith("{")) return write(call, { key, path, text });
  const model = modelNamed(text);
  if (typeof model !== "string") return call.misuse(model.message);
  return write(call, { key: "model.name", path: ["model", "name"], text: model });
}

/** The whole name of a model that a person names shortly; why not, where nobody offers one. */
function modelNamed(name: string): string | ModelRefusal {
  if (name.includes("/")) return name;
  const known = factsOfModel(name);
  if (known !== undefined) return `${known.provider}/${name}`;
  const opened = openModel(name, { environment: {} });
  return opened.kind === "model_refused" && opened.reason === "unknown_model" ? opened : name;
}

/**
 * `config unset KEY`: takes a key out of the person's file, or the project's. What holds then is what the other sources say.
 * Comments and all else stay.
 */
export async function unsetSetting(call: Invocation): Promise<number> {
  const [, key] = call.args;
  if (key === undefined) return call.misuse("unset takes a key");
  const path = settingsPath(key);
  return path === undefined ? call.misuse(`there is no setting ${key}`) : write(call, { key, path });
}

/** Puts a rule before those of the person's own settings. @returns what was done, or why it was not. */
export async function addOwnRule(call: Invocation, rule: ApprovalRule): Promise<string | Refused> {
  const sources = sourcesOf(call);
  if (isRefusal(sources)) return sources;
  const file = userFile(sources);
  const read = readSettings(file);
  const { settings } = await checkFile(file, read.kind === "read" ? read.text : "");
  const rules = JSON.stringify([rule, ...(settings.approval?.rules ?? [])]);
  const said: string[] = [];
  const terminal = { ...call.terminal, out: async () => {}, err: (text: string) => void said.push(text) };
  const flags = { ...call.flags, project: false };
  const code = await setSetting({ ...call, terminal, flags, args: ["set", "approval.rules", rules] });
  if (code === exitCodes.success) return `The rule counts from now on, and stands in ${file.path}.`;
  return { kind: "refusal", code: "invalid_arguments", message: said.join(" ").trim() };
}

/** Changes the one file that the flags mean, through the workspace. */
async function write(call: Invocation, wanted: Pick<Wish, "key" | "path" | "text">): Promise<number> {
  const sources = await reportedSources(call);
  if (typeof sources === "number") return sources;
  const file = call.flags.project === true ? projectFile(sources) : userFile(sources);
  const read = readSettings(file);
  if (read.kind === "unreadable")
    return reportProblems(call, [{ source: file.path, key: "", message: read.why }]);
  // A person's file is often a link to where they keep such files: the one that it leads to is written.
  const real = existsSync(file.path) ? realpathSync(file.path) : file.path;
  const root = firstFolder(dirname(real));
  const name = relative(root, real);
  // Who runs this command asks for this very file to be changed.
  const settings = {
    ...call.settings,
    roots: [root],
    allowProtected: [...call.settings.allowProtected, name],
  };
  return withWorkspace({ settings, terminal: call.terminal }, (workspace) =>
    change({ call, sources, file, name, ...wanted }, workspace),
  );
}

/** A value, or with `-` what standard input gives, without its last line break: a key stands in no history then. */
async function givenValue(given: string): Promise<string | Refusal> {
  if (given !== "-") return given;
  const input = await readInputText("-");
  return typeof input === "string" ? input.replace(/\r?\n$/, "") : input;
}

/** The folder, or the one above it that is there: what is missing below is made with the file. */
function firstFolder(path: string): string {
  return existsSync(path) ? path : firstFolder(dirname(path));
}

interface Wish {
  readonly call: Invocation;
  readonly sources: SettingsSources;
  readonly file: SettingsFile;
  /** The file, from the folder that is worked in. */
  readonly name: string;
  readonly key: string;
  readonly path: readonly string[];
  /** The value, as it was given; absent where the key is to go. */
  readonly text?: string;
}

async function change(wish: Wish, workspace: Workspace): Promise<number> {
  const { call, file, name } = wish;
  const read = await workspace.read({ path: name });
  if (isRefusal(read) && read.code !== "file_missing") return reportRefusal(read, call.terminal);
  const before = isRefusal(read) ? "" : read.state.content;
  const changed = await changedText(wish, before);
  if (isRefusal(changed))
    return reportProblems(call, [{ source: file.path, key: wish.key, message: changed.message }]);
  if (changed.kind === "problems") return reportProblems(call, changed.problems);
  if (changed.text !== before) {
    const base = isRefusal(read) ? {} : { base: read.state.sha256 };
    const content = { kind: "text", text: changed.text } as const;
    const outcome = await finishOnceBegun(() =>
      workspace.applyChanges({ changes: [{ path: name, ...base, content }], tool: "holdfast config" }),
    );
    if (!outcome.success) {
      call.terminal.err(`holdfast: ${outcome.code}: ${escapeText(outcome.message)}\n`);
      return exitCodeOf[outcome.code];
    }
  }
  if (wish.text !== undefined && isKey(wish.path) && file.isOwn) chmodSync(realpathSync(file.path), 0o600);
  return report(wish, changed.text !== before);
}

type Changed =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "problems"; readonly problems: readonly SettingsProblem[] };

/** The file with the value in it: JSON where that fits the key, else the text as it is; or without the key. */
async function changedText({ file, key, path, text }: Wish, before: string): Promise<Changed | Refusal> {
  let first: Changed | undefined;
  for (const value of text === undefined ? [undefined] : readings(text)) {
    const changed = changeSettings(before, [text === undefined ? { path } : { path, value }]);
    if (isRefusal(changed)) return changed;
    const checked = await checkFile(file, changed.text);
    const isAsked = (problem: SettingsProblem) => `${problem.key}.`.startsWith(`${key}.`);
    const removed = text === undefined ? [] : checked.warnings.filter(isAsked);
    // What is refused has no place: its line stands in no file.
    const problems = [...checked.problems, ...removed].map((problem) =>
      isAsked(problem) ? { source: problem.source, key: problem.key, message: problem.message } : problem,
    );
    if (problems.length === 0) return { kind: "text", text: changed.text };
    first ??= { kind: "problems", problems };
  }
  return first ?? { kind: "problems", problems: [] };
}

function readings(text: string): readonly unknown[] {
  const value = jsonOf(text);
  return value === undefined ? [text] : [value, text];
}

async function report({ call, sources, file, key, path, text }: Wish, written: boolean): Promise<number> {
  const { terminal } = call;
  const waits = file.isOwn ? false : await waitsForTrust(sources);
  const [done, already] =
    text === undefined
      ? [`Unset ${key} in ${file.path}.`, `${key} is not set in ${file.path}.`]
      : [`Set ${key} in ${file.path}.`, `${key} is so already in ${file.path}.`];
  const object = { success: true, key, file: file.path, written };
  const exitCode = await answer(call, object, escapeText(written ? done : already));
  if (text !== undefined && isKey(path) && call.args[2] !== "-")
    terminal.err(`The key may stand in your shell's history now; next time: holdfast config set ${key} -\n`);
  if (waits) terminal.err("Some of the project's settings do not count until: holdfast config trust\n");
  return exitCode;
}

function isKey([section, table, , name]: readonly string[]): boolean {
  return section === "model" && table === "providers" && name === "key";
}

async function waitsForTrust(sources: SettingsSources): Promise<boolean> {
  const resolved = await resolveSettings(sources);
  return resolved.kind === "settings" && !resolved.isTrusted && resolved.ignored.length > 0;
}
