import { compileGlob } from "@holdfast/core/files";
import { isRefusal, type ListedEntry, type Refusal, refuse } from "@holdfast/core/files/values";
import { counted, escapeForPeople, escapeInJson } from "@holdfast/core/text";
import { absolute } from "@holdfast/mcp";
import type { CompatArguments } from "./arguments.js";
import { fitList } from "./fit.js";
import { answerText, type CompatAnswer, type CompatCall, fail } from "./session.js";

/** `list_directory`: one entry a line, `[DIR]` or `[FILE]` before its name. */
export async function listDirectory(
  call: CompatCall,
  { path }: CompatArguments<"list_directory">,
): Promise<CompatAnswer> {
  const found = await entriesOf(call, path, 1);
  if (isRefusal(found)) return fail(call, found);
  const lines = found.entries.map((entry) => `${tagOf(entry)} ${escapeForPeople(lastName(entry.path))}`);
  return answerText(fitList(lines, call.room));
}

/** `list_directory_with_sizes`: the same with sizes and a total, by name or by size. */
export async function listDirectoryWithSizes(
  call: CompatCall,
  { path, sortBy = "name" }: CompatArguments<"list_directory_with_sizes">,
): Promise<CompatAnswer> {
  const found = await entriesOf(call, path, 1);
  if (isRefusal(found)) return fail(call, found);
  const entries = found.entries.map((entry) => ({
    ...entry,
    name: lastName(entry.path),
    // Folders come first where the largest does, as they do on the official server.
    size: entry.isDirectory ? Number.POSITIVE_INFINITY : (entry.sizeBytes ?? 0),
  }));
  entries.sort((one, other) =>
    sortBy === "size" && one.size !== other.size ? other.size - one.size : one.name.localeCompare(other.name),
  );
  const files = entries.filter((entry) => !entry.isDirectory);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const lines = entries.map((entry) => {
    const size = entry.isDirectory ? "" : readable(entry.size).padStart(10);
    return `${tagOf(entry)} ${escapeForPeople(entry.name).padEnd(30)} ${size}`;
  });
  const summary = `Total: ${files.length} files, ${entries.length - files.length} directories`;
  return answerText(fitList(lines, call.room, `\n\n${summary}\nCombined size: ${readable(total)}`));
}

interface TreeNode {
  readonly name: string;
  readonly type: "file" | "directory";
  readonly children?: TreeNode[];
}

/** `directory_tree`: all below a folder as JSON, without what the patterns exclude. */
export async function directoryTree(
  call: CompatCall,
  { path, excludePatterns = [] }: CompatArguments<"directory_tree">,
): Promise<CompatAnswer> {
  const found = await entriesOf(call, path, maxDepth);
  if (isRefusal(found)) return fail(call, found);
  const excluded = await matcher(excludePatterns.flatMap(treePatterns));
  if ("kind" in excluded) return fail(call, excluded);
  const top: TreeNode[] = [];
  const folders = new Map<string, TreeNode[]>([["", top]]);
  for (const entry of found.entries) {
    const below = entry.path.slice(found.prefix.length);
    const siblings = folders.get(below.slice(0, Math.max(0, below.lastIndexOf("/"))));
    if (siblings === undefined || excluded.matches(below)) continue;
    const name = lastName(below);
    if (!entry.isDirectory) siblings.push({ name, type: "file" });
    else {
      const children: TreeNode[] = [];
      folders.set(below, children);
      siblings.push({ name, type: "directory", children });
    }
  }
  // The official server fails on such a folder, too; a tree without it would say that it is empty.
  const closed = found.closed.filter((folder) => folders.has(folder)).length;
  if (closed > 0)
    return fail(call, refuse("permission_denied", `The tree is not whole: ${closedTo(closed)}.`));
  const tree = escapeInJson(JSON.stringify(top, null, 2));
  // Cut, it would be no JSON.
  return call.room.sizeOf(tree) <= call.room.size ? answerText(tree) : fail(call, tooLong);
}

/** A pattern without a star also means the name on every level, and what lies below it. */
function treePatterns(pattern: string): readonly string[] {
  return pattern.includes("*") ? [pattern] : [pattern, `**/${pattern}`, `**/${pattern}/**`];
}

/** `search_files`: the absolute paths that a glob matches. */
export async function searchFiles(
  call: CompatCall,
  { path, pattern, excludePatterns = [] }: CompatArguments<"search_files">,
): Promise<CompatAnswer> {
  const found = await entriesOf(call, path, maxDepth);
  if (isRefusal(found)) return fail(call, found);
  const wanted = await matcher([pattern]);
  if ("kind" in wanted) return fail(call, wanted);
  const excluded = await matcher(excludePatterns);
  if ("kind" in excluded) return fail(call, excluded);
  const top = absolute(call.workspace.roots, path).replace(/\/+$/, "");
  const left: string[] = [];
  const matches: string[] = [];
  for (const entry of found.entries) {
    const below = entry.path.slice(found.prefix.length);
    if (left.some((folder) => below.startsWith(folder))) continue;
    if (excluded.matches(below)) left.push(`${below}/`);
    else if (wanted.matches(below)) matches.push(escapeForPeople(`${top}/${below}`));
  }
  const closed = found.closed.filter((folder) => !left.some((one) => `${folder}/`.startsWith(one))).length;
  const note = closed === 0 ? "" : `\n… not looked in: ${closedTo(closed)}`;
  return answerText(matches.length === 0 ? `No matches found${note}` : fitList(matches, call.room, note));
}

function closedTo(folders: number): string {
  return `${counted(folders, "folder")} that cannot be entered`;
}

/** `get_file_info`: size, times, kind and permissions. */
export async function getFileInfo(
  call: CompatCall,
  { path }: CompatArguments<"get_file_info">,
): Promise<CompatAnswer> {
  const outcome = await call.workspace.info({ path });
  if (isRefusal(outcome)) return fail(call, outcome);
  const { facts } = outcome;
  const lines = {
    size: facts.sizeBytes,
    created: new Date(facts.createdMs),
    modified: new Date(facts.modifiedMs),
    accessed: new Date(facts.accessedMs),
    isDirectory: facts.what === "directory",
    isFile: facts.what === "file",
    permissions: facts.mode.toString(8).padStart(3, "0"),
  };
  return answerText(
    Object.entries(lines)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
  );
}

/** `list_allowed_directories`: the roots of the workspace. */
export function listAllowedDirectories({ workspace }: CompatCall): CompatAnswer {
  return answerText(`Allowed directories:\n${workspace.roots.join("\n")}`);
}

interface Entries {
  readonly kind: "entries";
  readonly entries: readonly ListedEntry[];
  /** Folders that cannot be entered, by their paths below the one that was named. */
  readonly closed: readonly string[];
  /** What the entries' paths begin with. */
  readonly prefix: string;
}

/** Everything that is there, as the official server lists it: the ignore files leave nothing out. */
async function entriesOf({ workspace }: CompatCall, path: string, depth: number): Promise<Entries | Refusal> {
  const outcome = await workspace.list({ path, depth, limit: maxEntries, all: true });
  if (isRefusal(outcome)) return outcome;
  if (outcome.more) {
    const isLate = outcome.because === "time";
    const why = isLate
      ? "The time was up before all was listed"
      : `More than ${maxEntries} entries lie there`;
    return refuse("too_large", `${why}: name a deeper folder.`);
  }
  const prefix = outcome.path === "." ? "" : `${outcome.path === "/" ? "" : outcome.path}/`;
  const levelsOf = (entry: ListedEntry) => entry.path.slice(prefix.length).split("/").length;
  if (depth > 1 && outcome.entries.some((entry) => entry.isDirectory && levelsOf(entry) >= depth))
    return refuse("too_large", `Folders lie there more than ${depth} levels deep: name a deeper folder.`);
  const closed = (outcome.closed ?? []).map((folder) => folder.slice(prefix.length));
  return { kind: "entries", entries: outcome.entries, closed, prefix };
}

const tooLong = refuse("too_large", "The tree is longer than one answer holds: name a deeper folder.");

const maxDepth = 64;
const maxEntries = 50_000;

async function matcher(patterns: readonly string[]): Promise<{ matches(path: string): boolean } | Refusal> {
  const globs: { matches(path: string): boolean }[] = [];
  for (const pattern of patterns) {
    const glob = await compileGlob(pattern);
    if (isRefusal(glob)) return glob;
    globs.push(glob);
  }
  return { matches: (path) => globs.some((glob) => glob.matches(path)) };
}

function tagOf(entry: ListedEntry): string {
  return entry.isDirectory ? "[DIR]" : "[FILE]";
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function readable(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = bytes <= 0 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), units.length - 1);
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(2)} ${units[power]}`;
}
