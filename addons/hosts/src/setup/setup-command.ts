import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { homeFolder, knownHome, openHostMemory, sha256 } from "@holdfast/core/node";
import { describeChange } from "@holdfast/core/patch";
import { escapeInJson, escapeText } from "@holdfast/core/text";
import {
  adviceFor,
  type ClientName,
  clientNames,
  clients,
  doorFor,
  guardedClients,
  homeOf,
  personalClients,
} from "../clients.js";
import { type HostRules, openHostRules } from "../rules/host-rules.js";
import { realPathOf } from "../rules/written-lines.js";
import { allowedReads, removalsFor, type SetupWishes, settingsFor } from "./client-settings.js";
import {
  filesOf,
  folderThere,
  hookFiles,
  hooksMissed,
  type PlannedFile,
  planFile,
  removalTool,
  type SettingsFile,
  setupTool,
} from "./settings-files.js";
import type { SetupCall } from "./setup-call.js";
import { choose, hookLines, isAskedHere } from "./setup-questions.js";

/**
 * `holdfast setup CLIENT`: shows what would change in the client's configuration, and makes the change where
 * a person says yes. All of it goes through the same guarded writing as everything else. Without a client it proposes the
 * door for each that is on this machine.
 */
export async function setupCommand(call: SetupCall): Promise<number> {
  const { args, flags, terminal, shell, settings, misuse } = call;
  if (args[0] !== undefined) return setUpOne(call, clientOf(call));
  const found = clientNames.filter(isHere);
  const forOne = [
    flags.guard,
    flags.guardOnly,
    flags.toolsOnly,
    flags.allowReads,
    flags.acceptEdits,
    flags.formatters,
  ];
  if (found.length === 0 || flags.project === true || forOne.includes(true))
    return misuse(
      `${found.length === 0 ? "none of the clients is found here: " : ""}name the client; setup knows ${clientNames.join(", ")}`,
    );
  let code = 0;
  for (const client of found) {
    const proposal = `${clients[client].title} is on this machine. ${doorFor(client)}\n`;
    const isAsked = isAskedHere(call);
    if (isAsked && /^n/i.test(await shell.askPerson(`${proposal}Set it up? [Y/n] `))) continue;
    if (!isAsked && !settings.json) terminal.err(proposal);
    code = Math.max(code, await setUpOne({ ...call, args: [client] }, client));
  }
  return code;
}

/** Whether the program of a client is on the PATH, or its folder of settings is there. */
function isHere(client: ClientName): boolean {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const [file] = filesOf(settingsFor(bareWishes(client)), client, undefined);
  const folder = dirname(file?.path ?? homeFolder());
  return (
    folders.some((one) => existsSync(join(one, clients[client].program))) ||
    (folder !== homeFolder() && existsSync(folder))
  );
}

function bareWishes(client: ClientName): SetupWishes {
  const none = { tools: true, guard: false, allowReads: false, acceptEdits: false, project: false };
  return { ...none, client, program: { command: "", args: [] } };
}

async function setUpOne(call: SetupCall, client: ClientName): Promise<number> {
  const { flags, settings, terminal } = call;
  const [root = "."] = settings.roots;
  const isRemoval = flags.remove === true;
  const project = flags.project === true ? root : undefined;
  const program = project === undefined ? ownProgram() : sharedProgram(settings.roots, call.misuse);
  const hooked = hookFiles(client, root, project);
  const missed = isRemoval ? [] : hooksMissed(client, hooked);
  const choices = await choose(call, client, missed);
  const rules = (await openHostRules(client, [root], []))();
  const wishes = { ...choices, rules, client, project: project !== undefined, program };
  const wanted = filesOf(isRemoval ? removalsFor(wishes) : settingsFor(wishes), client, project);
  const others = hooked.filter(({ path }) => wanted.every((file) => file.path !== path));
  const matchers: SettingsFile["matchers"] = isRemoval
    ? "remove"
    : choices.hooks.length > 0
      ? choices.hooks
      : undefined;
  const files = [...wanted, ...(matchers === undefined ? [] : others)].map((file) => ({ ...file, matchers }));
  let isChanged = false;
  const code = await call.shell.withWorkspace(placeOf(call, client, files), async (workspace) => {
    const planned: PlannedFile[] = [];
    for (const file of files) {
      const found = await planFile(workspace, file, client, call.shell.changeJson);
      if (isRefusal(found))
        return call.shell.reportRefusal({ ...found, message: `${file.shown}: ${found.message}` });
      if (found.before !== found.after) planned.push(found);
    }
    isChanged = planned.length > 0;
    if (isChanged && !isRemoval && !settings.json)
      tellBefore(call, client, choices.tools ? rules : undefined);
    return change(call, workspace, planned);
  });
  if (code === 0 && isChanged && choices.tools && !isRemoval && !settings.json) {
    const advice = adviceFor(client);
    if (advice !== undefined) terminal.err(`${advice}\n`);
    const left = missed.filter(({ moment }) => !choices.hooks.includes(moment));
    if (left.length > 0)
      terminal.err(
        `These hooks run for none of Holdfast's edits; --formatters adds its tools to them:\n${escapeText(hookLines(left))}`,
      );
  }
  return code;
}

/** The client that is named, if the flags fit it. */
function clientOf({ args, flags, misuse }: SetupCall): ClientName {
  const client = clientNames.find((name) => name === args[0]);
  if (client === undefined) return misuse(`setup knows ${clientNames.join(", ")}`);
  if ((flags.guard === true || flags.guardOnly === true) && !guardedClients.includes(client))
    return misuse(`the guard works with the hooks of ${guardedClients.join(" and ")}`);
  const project = flags.project === true;
  if (!project && homeOf(client).moved === "" && knownHome() === undefined)
    return misuse("there is no home folder for a person's settings; set HOME, or give --project");
  if (flags.allowReads === true && allowedReads(client, project).length === 0)
    return misuse(`${client} has no file for --allow-reads here; without it setup says what is needed`);
  if (flags.acceptEdits === true && client !== "claude") return misuse("--accept-edits is for claude alone");
  if (project && flags.user === true) return misuse("--project and --user exclude each other");
  if (project && personalClients.includes(client))
    return misuse(`${client} is set up for a person, not for a project`);
  return client;
}

/** The folders that hold the files, which whoever runs this command asks to be changed, and sees how. */
function placeOf({ settings, flags }: SetupCall, client: ClientName, files: readonly SettingsFile[]) {
  const { moved } = homeOf(client);
  const own = moved === "" ? homeFolder() : folderThere(resolve(moved));
  const isOwn = ({ path }: SettingsFile) => flags.project !== true && !relative(own, path).startsWith("..");
  const [project = "."] = settings.roots;
  const roots = [...(files.some(isOwn) ? [own] : []), ...(files.every(isOwn) ? [] : [project])];
  // Settings are often a link to where a person keeps such files.
  const approved = files.flatMap(({ path }) =>
    roots.flatMap((root) => [relative(resolve(root), path), relative(realPathOf(root), realPathOf(path))]),
  );
  return { roots, allowProtected: [...settings.allowProtected, ...approved] };
}

type FileDiff = Readonly<Record<"path" | "shown" | "diff", string>>;

async function change(
  call: SetupCall,
  workspace: Workspace,
  planned: readonly PlannedFile[],
): Promise<number> {
  const { settings, shell, terminal, flags } = call;
  const diffs = planned.map(({ file: { path, shown }, before, after }) => ({
    path,
    shown,
    diff: describeChange(before, after, { name: shown, maxLines: 1_000 }),
  }));
  const written = planned.length > 0 && (flags.yes === true || (await consents(call, diffs)));
  if (!settings.json && flags.yes === true) await show(call, diffs);
  if (written) {
    const outcome = await shell.finishOnceBegun(() =>
      workspace.applyChanges({
        changes: planned.map((one) => one.change),
        tool: flags.remove === true ? removalTool : setupTool,
      }),
    );
    const kept = openHostMemory(settings.stateDir, setupTool);
    // Others will write over it: a removal has to know what was ours.
    if (kept.kind === "memory")
      for (const { after } of planned) kept.keep(sha256(Buffer.from(after)), Buffer.from(after));
    if (!outcome.success) {
      terminal.err(`holdfast: ${outcome.code}: ${escapeText(outcome.message)}\n`);
      return shell.exitCodeOf(outcome.code);
    }
  }
  await report(call, diffs, written);
  return 0;
}

/** Says which rules of the person's count for our tools, which do not, and what nobody can keep: before anybody agrees. */
function tellBefore({ terminal }: SetupCall, client: ClientName, found: HostRules | undefined): void {
  const { title, program, tested, cannot } = clients[client];
  const list = (names: readonly string[]) => escapeText(names.map((name) => `  ${name}\n`).join(""));
  const ran = tested === undefined ? undefined : spawnSync(program, ["--version"], { timeout: 20_000 });
  const [version] = /\d+\.\d+\.\d+/.exec(String(ran?.stdout ?? "")) ?? [];
  if (version !== undefined && isOlder(version, tested ?? ""))
    terminal.err(
      `${title} ${version} is older than ${tested}, with which Holdfast was tried: what is said here may not hold.\n`,
    );
  if (found === undefined) return;
  // What the client refuses of its own accord is no rule of the person's.
  const rules = [...new Set(found.rules.map(({ shown }) => shown))].filter((one) => !one.startsWith("what "));
  if (rules.length > 0)
    terminal.err(
      `These rules for ${title} count for Holdfast's tools, too. The server reads them again when they change:\n${list(rules)}`,
    );
  const left = [...found.left, ...(cannot === "" ? [] : [cannot])];
  if (left.length > 0) terminal.err(`These do NOT count for Holdfast's tools:\n${list(left)}`);
}

function isOlder(version: string, than: string): boolean {
  const [one = [], other = []] = [version, than].map((text) => text.split(".").map(Number));
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}

async function show({ terminal }: SetupCall, diffs: readonly FileDiff[]): Promise<void> {
  for (const { diff } of diffs) await terminal.out(`${escapeText(diff)}\n`);
}

async function consents(call: SetupCall, diffs: readonly FileDiff[]): Promise<boolean> {
  if (call.settings.json) return false;
  await show(call, diffs);
  return /^y(es)?$/i.test(await call.shell.askPerson("Make this change? [y/N] "));
}

async function report(
  { settings, terminal, flags }: SetupCall,
  diffs: readonly FileDiff[],
  written: boolean,
): Promise<void> {
  if (settings.json) {
    const changes = diffs.map(({ path, diff }) => ({ path, diff }));
    await terminal.out(`${escapeInJson(JSON.stringify({ changes, written }))}\n`);
  } else if (diffs.length === 0) {
    const why = flags.remove === true ? "Nothing of ours is set" : "Everything is set already";
    await terminal.out(`${why}; nothing was changed.\n`);
  } else if (written) {
    await terminal.out(`Changed ${escapeText(diffs.map(({ shown }) => shown).join(", "))}.\n`);
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
