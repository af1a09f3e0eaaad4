import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import {
  type FileChange,
  isRefusal,
  type OnMismatch,
  type Refusal,
  type Workspace,
} from "@holdfast/core/files";
import { homeFolder, knownHome } from "@holdfast/core/node";
import { describeChange } from "@holdfast/core/patch";
import { escapeInJson } from "@holdfast/core/text";
import type { ChangedSettings, ChangeJson } from "./changed-settings.js";
import {
  adviceFor,
  adviceOnRemoval,
  type ClientName,
  clientNames,
  guardedClients,
  movedHomes,
  removalsFor,
  type Setting,
  type SetupWishes,
  settingsFor,
  sharedClients,
} from "./clients.js";
import type { SetupCall } from "./setup-call.js";
import { wantedValue } from "./wanted-value.js";

/**
 * `holdfast setup CLIENT`: shows what would change in the client's configuration, and makes the change where
 * a person says yes. All of it goes through the same guarded writing as everything else.
 */
export async function setupCommand(call: SetupCall): Promise<number> {
  const { args, flags, settings, misuse } = call;
  const client = clientNames.find((name) => name === args[0]);
  if (client === undefined) return misuse(`setup knows ${clientNames.join(", ")}`);
  const guard = flags.guard === true;
  if (guard && !guardedClients.includes(client))
    return misuse(`the guard works with the hooks of ${guardedClients.join(" and ")}`);
  const project = flags.project === true;
  if (!project && movedHome(client) === "" && knownHome() === undefined)
    return misuse("there is no home folder for a person's settings; set HOME, or give --project");
  if (project && flags.user === true) return misuse("--project and --user exclude each other");
  if (project && !sharedClients.includes(client))
    return misuse(`${client} is set up for a person, not for a project`);
  const program = project ? sharedProgram(settings.roots, misuse) : ownProgram();
  const isRemoval = flags.remove === true;
  const onMismatch = flags.onMismatch ?? (isRemoval ? undefined : await askOnMismatch(call));
  const wishes = { client, project, guard, onMismatch, program };
  const all = isRemoval ? removalsFor(wishes) : settingsFor(wishes);
  const place = project ? { root: ".", wanted: all } : placed(all, client);
  const roots = project ? settings.roots : [place.root];
  const [root = "."] = roots;
  const wanted = place.wanted.map((setting) => ({ ...setting, file: presentFile(root, setting) }));
  const files = [...new Set(wanted.map(({ file }) => file))];
  // Whoever runs this command asks for these very files to be changed, and sees how.
  const approved = files.flatMap((file) => [file, realFile(root, file)]);
  const allowProtected = [...settings.allowProtected, ...approved];
  const code = await call.shell.withWorkspace({ roots, allowProtected }, (workspace) =>
    change(call, workspace, wanted, files, (file) => realFile(root, file) !== file),
  );
  const advice = flags.remove === true ? undefined : adviceFor(client);
  if (advice !== undefined && code === 0 && !settings.json) call.terminal.err(`${advice}\n`);
  return code;
}

/** Settings are often a link to where a person keeps such files: the one that it leads to, relative to the root. */
function realFile(root: string, file: string): string {
  const path = join(root, file);
  return existsSync(path) ? relative(realpathSync(root), realpathSync(path)) : file;
}

/** Where a person's settings are: in the home folder, but for a client that was given another place. */
function placed(
  wanted: readonly Setting[],
  client: ClientName,
): { readonly root: string; readonly wanted: readonly Setting[] } {
  const { folder = "" } = movedHomes[client] ?? {};
  const home = movedHome(client);
  if (home === "") return { root: homeFolder(), wanted };
  const root = firstFolder(resolve(home));
  const inFolder = (file: string) => (file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file);
  const moved = (file: string) => join(relative(root, resolve(home)), inFolder(file));
  return {
    root,
    wanted: wanted.map(({ orFile, ...setting }) => ({
      ...setting,
      file: moved(setting.file),
      ...(orFile === undefined ? {} : { orFile: moved(orFile) }),
    })),
  };
}

/** The folder that the client was given in place of the home folder, or "". */
function movedHome(client: ClientName): string {
  return process.env[movedHomes[client]?.variable ?? ""] ?? "";
}

/** The folder, or the one above it that is there: what is missing below is made with the file. */
function firstFolder(path: string): string {
  return existsSync(path) ? path : firstFolder(dirname(path));
}

/** The name that is there, of a file that may have two. */
function presentFile(root: string, { file, orFile }: Setting): string {
  const isOther = orFile !== undefined && !existsSync(join(root, file)) && existsSync(join(root, orFile));
  return isOther ? orFile : file;
}

interface PlannedFile {
  readonly kind: "planned";
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly change: FileChange;
}

async function change(
  call: SetupCall,
  workspace: Workspace,
  wanted: readonly Setting[],
  files: readonly string[],
  isLink: (file: string) => boolean,
): Promise<number> {
  const { settings, shell, terminal, flags } = call;
  const planned: PlannedFile[] = [];
  for (const path of files) {
    const plan = await planFile(call, workspace, { path, wanted, isLink: isLink(path) });
    if (isRefusal(plan)) return shell.reportRefusal({ ...plan, message: `${path}: ${plan.message}` });
    if (plan.before !== plan.after) planned.push(plan);
  }
  const diffs = planned.map(({ path, before, after }) => ({
    path,
    diff: describeChange(before, after, { name: path, maxLines: 1_000 }),
  }));
  if (!settings.json) tellRemovals(call, planned);
  const written = planned.length > 0 && (flags.yes === true || (await consents(call, diffs)));
  if (!settings.json && flags.yes === true) await show(call, diffs);
  if (written) {
    const outcome = await shell.finishOnceBegun(() =>
      workspace.applyChanges({ changes: planned.map((plan) => plan.change), tool: "holdfast setup" }),
    );
    if (!outcome.success) {
      terminal.err(`holdfast: ${outcome.code}: ${shell.escapeText(outcome.message)}\n`);
      return shell.exitCodeOf(outcome.code);
    }
  }
  await report(call, diffs, written);
  return 0;
}

function tellRemovals({ terminal, flags }: SetupCall, planned: readonly PlannedFile[]): void {
  if (flags.remove !== true) return;
  for (const { before, after } of planned) {
    const advice = adviceOnRemoval(before, after);
    if (advice !== undefined) terminal.err(`${advice}\n`);
  }
}

type FileDiff = { readonly path: string; readonly diff: string };

async function planFile(
  { shell }: SetupCall,
  workspace: Workspace,
  {
    path,
    wanted,
    isLink,
  }: { readonly path: string; readonly wanted: readonly Setting[]; readonly isLink: boolean },
): Promise<PlannedFile | Refusal> {
  const read = await workspace.read({ path });
  if (isRefusal(read) && read.code !== "file_missing") return read;
  const before = isRefusal(read) ? "" : read.state.content;
  const settings = wanted.filter(({ file }) => file === path);
  const changed = await changeFile(path, before, settings, shell.changeJson);
  if (isRefusal(changed)) return changed;
  const base = isRefusal(read) ? {} : { base: read.state.sha256 };
  const isRemoval = settings.every((setting) => !("value" in setting));
  // A file that held nothing but ours goes; a link is a person's own, and stays.
  const goes = isRemoval && !isLink && changed.text !== before && holdsNothing(changed.text);
  const after = goes ? "" : changed.text;
  const content = goes ? ({ kind: "delete" } as const) : ({ kind: "text", text: after } as const);
  return { kind: "planned", path, before, after, change: { path, ...base, content } };
}

async function show({ shell, terminal }: SetupCall, diffs: readonly FileDiff[]): Promise<void> {
  for (const { diff } of diffs) await terminal.out(`${shell.escapeText(diff)}\n`);
}

/** Shows the change and asks, if there is somebody to ask. */
async function consents(call: SetupCall, diffs: readonly FileDiff[]): Promise<boolean> {
  if (call.settings.json) return false;
  await show(call, diffs);
  return /^y(es)?$/i.test(await call.shell.askPerson("Make this change? [y/N] "));
}

/** @returns undefined for the server's default, and where nobody can be asked. */
async function askOnMismatch({ settings, shell, flags }: SetupCall): Promise<OnMismatch | undefined> {
  if (settings.json || flags.yes === true) return undefined;
  switch (await shell.askPerson(mismatchQuestion)) {
    case "2":
      return "rebase";
    case "3":
      return "refuse";
    default:
      return undefined;
  }
}

const mismatchQuestion = `What is a change to get whose file was changed since the model read it?
  1  it is made where only the session's own calls changed the file, on other lines (rebase-own)
  2  also where others did, such as a formatter, and its text stands once before and after (rebase)
  3  it is always refused (refuse)
[1] `;

async function report(
  { settings, terminal, flags }: SetupCall,
  diffs: readonly FileDiff[],
  written: boolean,
): Promise<void> {
  if (settings.json) {
    await terminal.out(`${escapeInJson(JSON.stringify({ changes: diffs, written }))}\n`);
  } else if (diffs.length === 0) {
    const why = flags.remove === true ? "Nothing of ours is set" : "Everything is set already";
    await terminal.out(`${why}; nothing was changed.\n`);
  } else if (written) {
    await terminal.out(`Changed ${diffs.map(({ path }) => path).join(", ")}.\n`);
  } else {
    terminal.err("Nothing was changed. To make this change: --yes\n");
  }
}

/** This very program, as a client of this person can start it from any folder, whatever its own PATH is. */
function ownProgram(): SetupWishes["program"] {
  const started = process.argv[1] ?? "";
  const program = existsSync(started) ? realpathSync(started) : started;
  // What npx has fetched lies in its cache, and may go with it.
  if (/[/\\]_npx[/\\]/.test(program)) return { command: "npx", args: ["-y", packageName] };
  return { command: process.execPath, args: [program] };
}

/** The program for settings that a team shares: found in the project, on whatever machine. */
function sharedProgram(roots: readonly string[], misuse: SetupCall["misuse"]): SetupWishes["program"] {
  const [root = "."] = roots;
  if (!existsSync(join(root, "node_modules", ...packageName.split("/"))))
    return misuse(
      `npx finds no ${packageName} in this project: install it there (npm install --save-dev ${packageName}), or set up for yourself, without --project`,
    );
  return { command: "npx", args: ["--no-install", "holdfast"] };
}

const packageName = "@holdfast/cli";

/** Puts settings into the text of a file, in the language that its name says, or takes them out. */
export async function changeFile(
  path: string,
  text: string,
  settings: readonly Setting[],
  changeJson: ChangeJson,
): Promise<ChangedSettings> {
  if (!path.endsWith(".toml"))
    return changeJson(
      text,
      settings.map((setting) => ({ ...setting, merge: (present) => wantedValue(present, setting) })),
    );
  // One client has settings in TOML: the others are spared its library.
  const { changeToml } = await import("./change-toml.js");
  return changeToml(text, settings);
}

/** Whether a file of settings says nothing: no member and no comment. */
function holdsNothing(text: string): boolean {
  return /^\ufeff?\s*(?:\{\s*\})?\s*$/.test(text);
}
