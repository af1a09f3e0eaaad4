import { existsSync, lstatSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Workspace } from "@holdfast/core/files";
import { type FileChange, isRefusal, type Refusal } from "@holdfast/core/files/values";
import { homeFolder, readForeign } from "@holdfast/core/node";
import { type ClientName, homeOf } from "../clients.js";
import type { ChangedSettings, ChangeJson, Setting } from "./client-settings.js";
import { hooksToChange, type ToolHook } from "./hook-matchers.js";
import { changeJsonText } from "./list-elements.js";

/** One file of settings that may be changed. */
export interface SettingsFile {
  /** Absolute. */
  readonly path: string;
  /** As a person knows it: from the home folder, or from the project. */
  readonly shown: string;
  readonly settings: readonly Setting[];
  /** Our tools are added to the matchers of these hooks, or taken out; neither unless given. */
  readonly matchers?: Parameters<typeof hooksToChange>[2] | undefined;
}

/** The files of a client's settings, absolute, with what is to be set in each. */
export function filesOf(
  settings: readonly Setting[],
  client: ClientName,
  project: string | undefined,
): readonly SettingsFile[] {
  const placed = settings.map((setting) => ({ setting, path: placeOf(setting, client, project) }));
  const paths = [...new Set(placed.map(({ path }) => path))];
  return paths.map((path) => ({
    path,
    shown: shownPath(path, project),
    settings: placed.filter((one) => one.path === path).map(({ setting }) => setting),
  }));
}

/** The files that hold hooks of a person's: the project's, and the person's own unless only the project is meant. */
export function hookFiles(
  client: ClientName,
  root: string,
  project: string | undefined,
): readonly SettingsFile[] {
  const names = filesWithHooks[client] ?? [];
  const own =
    project === undefined ? names.slice(0, 1).map((file) => placeOf({ file }, client, undefined)) : [];
  const paths = new Set([...own, ...names.map((file) => join(resolve(root), file))]);
  return [...paths]
    .filter((path) => existsSync(path))
    .map((path) => ({ path, shown: shownPath(path, project), settings: [] }));
}

const filesWithHooks: { readonly [Name in ClientName]?: readonly string[] } = {
  claude: [".claude/settings.json", ".claude/settings.local.json"],
  gemini: [".gemini/settings.json"],
  qwen: [".qwen/settings.json"],
  codex: [".codex/hooks.json"],
};

/** The hooks in such files that run for none of our edits. */
export function hooksMissed(
  client: ClientName,
  files: readonly SettingsFile[],
): readonly (ToolHook & { readonly shown: string })[] {
  return files.flatMap(({ path, shown }) => {
    // What cannot be read is refused where it is to be changed.
    const read = readForeign(path, { links: "followed", limitBytes: 1 << 20 });
    const hooks =
      read.kind === "read" ? hooksToChange(client, read.bytes.toString(), ["before", "after"]) : [];
    return hooks.map((hook) => ({ ...hook, shown }));
  });
}

/** The folder that holds a file, or the one above it that is there: what is missing below is made with the file. */
export function folderThere(path: string): string {
  return existsSync(path) ? path : folderThere(dirname(path));
}

function placeOf(
  { file, orFile = file }: Pick<Setting, "file" | "orFile">,
  client: ClientName,
  project: string | undefined,
): string {
  const { folder, moved: home } = homeOf(client);
  const at = (name: string) => {
    if (project !== undefined) return join(resolve(project), name);
    if (home === "") return join(homeFolder(), name);
    return join(resolve(home), name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : name);
  };
  // Of a file that may have two names, the one that is there.
  return !existsSync(at(file)) && existsSync(at(orFile)) ? at(orFile) : at(file);
}

function shownPath(path: string, project: string | undefined): string {
  if (project !== undefined) return relative(resolve(project), path);
  return path.startsWith(`${homeFolder()}/`) ? `~/${relative(homeFolder(), path)}` : path;
}

/** What becomes of one file. */
export interface PlannedFile {
  readonly kind: "planned";
  readonly file: SettingsFile;
  readonly before: string;
  readonly after: string;
  readonly change: FileChange;
}

/** Plans the change of one file: its settings, and its hooks' matchers. */
export async function planFile(
  workspace: Workspace,
  file: SettingsFile,
  client: ClientName,
  changeJson: ChangeJson,
): Promise<PlannedFile | Refusal> {
  const { path, settings, matchers } = file;
  const read = await workspace.read({ path });
  if (isRefusal(read) && read.code !== "file_missing") return read;
  const [before, base] = isRefusal(read) ? ["", undefined] : [read.state.content, read.state.sha256];
  const taken = matchers === "remove" && base ? await withoutSetup(workspace, path, base) : undefined;
  if (taken !== undefined) return { kind: "planned", file, before, ...taken };
  const changed = await changeFile(path, before, settings, changeJson);
  if (isRefusal(changed)) return changed;
  const hooks = matchers === undefined ? [] : hooksToChange(client, changed.text, matchers);
  const wanted = hooks.map((hook) => ({ path: hook.path, value: hook.wanted }));
  const hooked = wanted.length === 0 ? changed : changeJson(changed.text, wanted);
  if (isRefusal(hooked)) return hooked;
  const { text } = hooked;
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  // A file that held nothing but ours goes; a link is a person's own, and stays.
  const goes = matchers === "remove" && !isLink && text !== before && holdsNothing(text);
  const content = goes ? ({ kind: "delete" } as const) : ({ kind: "text", text } as const);
  const change = { path, ...(base === undefined ? {} : { base }), content };
  return { kind: "planned", file, before, after: goes ? "" : text, change };
}

/** By which a removal knows what an earlier setup wrote. */
export const setupTool = "holdfast setup";
export const removalTool = `${setupTool} --remove`;

/**
 * A file as it was before setup first wrote to it, but for what others changed since in other lines: so nothing of a
 * person's goes, and no comment.
 *
 * @returns undefined where the records do not say it: then what looks like ours is taken out.
 */
async function withoutSetup(workspace: Workspace, path: string, base: string) {
  const log = await workspace.log({ path });
  const writes = isRefusal(log) ? [] : log.entries.filter(({ tool }) => tool.startsWith(setupTool));
  const removed = writes.findIndex(({ tool }) => tool === removalTool);
  const ours = removed < 0 ? writes : writes.slice(0, removed);
  const [last, first] = [ours[0], ours.at(-1)];
  const isUnbroken = ours.every(({ before }, at) => at === ours.length - 1 || before === ours[at + 1]?.after);
  if (last?.after === undefined || last.after === null || first === undefined || !isUnbroken)
    return undefined;
  const { before: wanted } = first;
  const merging = { path, left: last.after, wanted: wanted ?? "", present: base };
  const sha256 = last.after === base ? wanted : wanted && (await workspace.mergedState(merging));
  if (sha256 === null && last.after !== base) return undefined;
  const content =
    sha256 === null ? ({ kind: "delete" } as const) : ({ kind: "state", from: base, sha256 } as const);
  const change = { path, base, content };
  const preview = await workspace.preview({ kind: "apply_changes", changes: [change] });
  const after = preview.kind === "preview" ? (preview.files[0]?.after ?? "") : undefined;
  // An older setup had been there, of which nothing is recorded.
  return after === undefined || ofSetup.test(after) ? undefined : { change, after };
}

const ofSetup = /"holdfast"\s*:|^\[mcp_servers\.holdfast|name: holdfast|holdfast\S* guard/m;

/** Puts settings into the text of a file, in the language that its name says, or takes them out. */
export async function changeFile(
  path: string,
  text: string,
  settings: readonly Setting[],
  changeJson: ChangeJson,
): Promise<ChangedSettings> {
  const [only] = settings;
  if (only?.whole !== undefined)
    return { kind: "changed", text: "value" in only ? only.whole : text === only.whole ? "" : text };
  // Few clients have settings in other languages: the rest are spared their libraries.
  if (path.endsWith(".toml")) return (await import("./change-toml.js")).changeToml(text, settings);
  if (path.endsWith(".yaml")) return (await import("./change-yaml.js")).changeYaml(text, settings);
  return changeJsonText(text, settings, changeJson);
}

/** Whether a file of settings says nothing: no member and no comment. */
function holdsNothing(text: string): boolean {
  return /^\ufeff?\s*(?:\{\s*\})?\s*$/.test(text);
}
