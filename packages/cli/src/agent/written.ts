import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type ApprovalRule,
  barredBy,
  commands,
  type Instructions,
  type PromptPlace,
  promptPlaces,
  readInstructions,
  readPrompts,
  type WrittenPrompt,
} from "@holdfast/agent";
import {
  commandEnvironment,
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
  if (isRefusal(reading))
    return { instructions: [], prompts: [], agents: [], notices: [reading.message], git };
  const rules = (settings.approval?.rules ?? []).filter(({ decision }) => decision === "deny").map(ruleOf);
  const untracked = own?.isTrusted === false ? onlyTracked(within) : async () => undefined;
  const read = projectText(
    reading,
    async (path) =>
      (await untracked(path)) ??
      barredBy(rules, workspace, { tool: "read_file", also: [], paths: async () => [path] }),
  );
  const mine = own && { path: own.folder, within: own.folder, read: ownText, isOwn: true as const };
  const { files, problems } = await readInstructions({
    folders: [...(mine ? [mine] : []), ...folders.map((path) => ({ path, within, read }))],
    names: settings.instructions?.files ?? [],
    home: own?.home ?? root,
    nameOf: (path) => (isBelow(path, root) ? relative(root, path) || "." : path),
  });
  const isTaken = (name: string) => commands.some((command) => command.name.split(" ")[0] === name);
  const from = (text: ReadText, places: readonly PromptPlace[]) =>
    places.map(([kind, place]) => ({ kind, folder: place, read: text }));
  // Of one name the person's own counts; those of a project only where its folder is trusted.
  const shared = own?.isTrusted === true ? promptPlaces(root) : [];
  const sources = [...from(ownText, own === undefined ? [] : ownPlaces(own)), ...from(read, shared)];
  const written = await readPrompts(sources, isTaken);
  await reading.close();
  const notices = [...problems, ...written.problems, ...untrustedWords(own, root)];
  const agents = written.prompts.filter(({ kind }) => kind === "agent");
  const prompts = written.prompts.filter(({ kind }) => kind !== "agent");
  return { instructions: files, prompts, agents, notices, git };
}

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
