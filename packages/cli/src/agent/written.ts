import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import {
  type ApprovalRule,
  barredBy,
  commands,
  type Instructions,
  instructionsBlock,
  type PromptPlace,
  promptPlaces,
  readInstructions,
  readPrompts,
  type WrittenPrompt,
} from "@holdfast/agent";
import {
  commandEnvironment,
  filesBelow,
  foldersOfRepository,
  gitWords,
  isBelow,
  onlyTracked,
  ownText,
  projectText,
  type ReadText,
} from "@holdfast/agent/host";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { openWorkspace } from "@holdfast/core/node";
import { type RunSettings, ruleOf } from "./settings.js";

/** What people have written down for the model. */
export interface Written {
  readonly instructions: readonly Instructions[];
  /** Commands of the person's and the project's own, and skills. */
  readonly prompts: readonly WrittenPrompt[];
  readonly agents: readonly WrittenPrompt[];
  /** Instructions that stand nearer to these files than the project's own, as the model is told them. */
  readonly nested: (paths: readonly string[]) => Promise<readonly string[]>;
  /** What a person should know of all that. */
  readonly notices: readonly string[];
  /** What git says of the folder, for the first prompt. */
  readonly git: Promise<string | undefined>;
}

type Found = Extract<RunSettings, { kind: "settings" }>;
type Own = NonNullable<Found["own"]>;

/** Reads all of it. What cannot be read costs a sentence. @param root the first folder of the workspace, absolute. */
export async function writtenFor(
  { settings, stateDir, own }: Found,
  root: string,
  workspace: Workspace,
): Promise<Written> {
  const git = gitWords(root, commandEnvironment({ own: process.env }));
  const folders = foldersOfRepository(root);
  const [within = root] = folders;
  // What lies above the folder that is worked in is no part of its workspace.
  const reading = await openWorkspace({ roots: [within], stateDir, readOnly: true, allowWideRoot: true });
  if (isRefusal(reading)) {
    const nothing = { instructions: [], prompts: [], agents: [], nested: async () => [] };
    return { ...nothing, notices: [reading.message], git };
  }
  const rules = (settings.approval?.rules ?? []).filter(({ decision }) => decision === "deny").map(ruleOf);
  const untracked = own?.isTrusted === false ? onlyTracked(within) : async () => undefined;
  const readIn = (files: Pick<Workspace, "read">) =>
    projectText(
      files,
      async (path) =>
        (await untracked(path)) ??
        barredBy(rules, workspace, { tool: "read_file", also: [], paths: async () => [path] }),
    );
  const read = readIn(reading);
  const mine = own && { path: own.folder, within: own.folder, read: ownText, isOwn: true as const };
  const places = {
    names: settings.instructions?.files ?? [],
    home: own?.home ?? root,
    nameOf: (path: string) => (isBelow(path, root) ? relative(root, path) || "." : path),
  };
  const rulesOfOthers = await foreignRules(within, read);
  const { files, problems } = await readInstructions({
    ...places,
    folders: [...(mine ? [mine] : []), ...folders.map((path) => ({ path, within, read }))],
    others: [...localFiles(folders), ...rulesOfOthers.used].map((path) => ({
      path,
      folder: { path: within, within, read, isOnce: true as const },
    })),
  });
  const isTaken = (name: string) => commands.some((command) => command.name.split(" ")[0] === name);
  const from = (text: ReadText, places: readonly PromptPlace[]) =>
    places.map(([kind, place]) => ({ kind, folder: place, read: text }));
  // Of one name the person's own counts; those of a project only where its folder is trusted.
  const shared = own?.isTrusted === true ? promptPlaces(root) : [];
  const sources = [...from(ownText, own === undefined ? [] : ownPlaces(own)), ...from(read, shared)];
  const written = await readPrompts(sources, isTaken);
  await reading.close();
  const notices = [...problems, ...rulesOfOthers.notices, ...written.problems, ...untrustedWords(own, root)];
  const agents = written.prompts.filter(({ kind }) => kind === "agent");
  const prompts = written.prompts.filter(({ kind }) => kind !== "agent");
  const told = new Set(files.map(({ sha256 }) => sha256));
  const nested = nestedIn(root, async (path) => {
    const folder = { path, within, read: readIn(workspace) };
    const others = localFiles([path]).map((file) => ({
      path: file,
      folder: { ...folder, isOnce: true as const },
    }));
    const found = await readInstructions({ ...places, folders: [folder], others });
    return found.files.filter(({ sha256 }) => !told.has(sha256)).map(instructionsBlock);
  });
  return { instructions: files, prompts, agents, notices, nested, git };
}

/** Looks into each folder between the root and a file once. */
function nestedIn(root: string, readAt: (folder: string) => Promise<readonly string[]>): Written["nested"] {
  const known = new Map<string, Promise<readonly string[]>>();
  const foldersOf = (path: string): readonly string[] => {
    const folder = dirname(path);
    return folder === root || !isBelow(folder, root) ? [] : [...foldersOf(folder), folder];
  };
  return async (paths) => {
    const folders = new Set(paths.flatMap((path) => foldersOf(resolve(root, path))));
    const blocks = [...folders].map((folder) => {
      const found = known.get(folder) ?? readAt(folder);
      known.set(folder, found);
      return found;
    });
    return (await Promise.all(blocks)).flat();
  };
}

/** The person's own notes on a project, which git does not track. */
function localFiles(folders: readonly string[]): readonly string[] {
  return folders.map((folder) => join(folder, "CLAUDE.local.md")).filter((path) => existsSync(path));
}

/** Rules that a repository keeps for Copilot and Cursor. Of Cursor's only those are used that always apply. */
async function foreignRules(top: string, read: ReadText) {
  const whole = [".github/copilot-instructions.md", ".cursorrules"].map((name) => join(top, name));
  const used = whole.filter((path) => existsSync(path));
  const left: string[] = [];
  for (const path of filesBelow(join(top, ".cursor/rules"), /\.mdc?$/).files.slice(0, mostRules)) {
    const found = await read(path);
    const [, head = ""] =
      /^---\r?\n([\s\S]*?)\r?\n---/.exec(typeof found === "object" ? found.text : "") ?? [];
    const isPart = head !== "" && !/^alwaysApply:[ \t]*true\b/m.test(head);
    (isPart ? left : used).push(path);
  }
  const names = left.map((path) => relative(top, path)).join(", ");
  return { used, notices: names === "" ? [] : [`Not used, since it is for some files only: ${names}.`] };
}

const mostRules = 50;

/** Which instructions were read, for a person. */
export function instructionWords({ instructions }: Pick<Written, "instructions">): readonly string[] {
  return instructions.length === 0
    ? []
    : [`Instructions: ${instructions.map(({ path }) => path).join(", ")}.`];
}

function ownPlaces({ folder, home }: Own): readonly PromptPlace[] {
  const mine = (["command", "skill", "agent"] as const).map(
    (kind): PromptPlace => [kind, join(folder, `${kind}s`)],
  );
  return [...mine, ...promptPlaces(home)];
}

function untrustedWords(own: Own | undefined, root: string): readonly string[] {
  if (own?.isTrusted !== false) return [];
  const left = promptPlaces(root).filter(([, path]) => existsSync(path));
  const names = [...own.ignored, ...left.map(([, path]) => relative(root, path))].join(", ");
  const words = `This folder is not trusted. Of it do not count: ${names}. To trust it: holdfast config trust.`;
  return names === "" ? [] : [words];
}

/** The folders of the person's own skills: the model reads in them, and changes nothing there. */
export function skillFolders(own: Own | undefined): readonly string[] {
  const places = own === undefined ? [] : ownPlaces(own);
  return places.flatMap(([kind, path]) => (kind === "skill" && existsSync(path) ? [path] : []));
}

/** What keeps these folders as they are. */
export function skillRules(folders: readonly string[]): readonly ApprovalRule[] {
  return folders.flatMap((folder) => [
    { tool: "read_*", path: `${folder}/**`, decision: "allow" },
    { tool: "*", path: `${folder}/**`, decision: "deny" },
  ]);
}
