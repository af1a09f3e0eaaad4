import { commands, modelCatalog, readTyped } from "@holdfast/agent";
import {
  approvalModes,
  begunMention,
  type Command,
  mentionLike,
  type OperandKind,
  wordsOf,
  writtenWord,
} from "@holdfast/agent/shown";
import type { TalkRun } from "@holdfast/agent/ui";
import { efforts } from "@holdfast/core/context";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal, type ListedEntry } from "@holdfast/core/files/values";
import { escapeForDisplay } from "@holdfast/core/text";

/** How long a person waits for names. */
const mostMs = 500;

/** What the end of a line may become: of a command its words and what it names, else the names behind `@`. */
export async function completeLine(line: string, run: TalkRun | undefined): Promise<Completion> {
  const begun = completeCommand(line);
  if (run === undefined) return begun;
  const { workspace, resources } = run;
  const ports = { workspace, servers: resources.servers, signal: AbortSignal.timeout(mostMs) };
  if (!line.trimStart().startsWith("/")) return completeMention(line, ports);
  return completeCommand(line, await namedIn(line.slice(begun.from), run, ports));
}

/** What a command can name, by its last word. */
async function namedIn(
  word: string,
  { conversation, store, written }: TalkRun,
  ports: Parameters<typeof pathsBeginning>[1],
): Promise<Candidates> {
  const { context } = conversation.manager;
  const [paths, listed] = await Promise.all([pathsBeginning(word, ports), store.list()]);
  const sessions = isRefusal(listed) ? [] : listed.map(({ id }) => id);
  const among = (names: readonly string[]) => (start: string) =>
    names.filter((name) => name.startsWith(start));
  return {
    path: () => paths,
    task: among([...context.tasks.keys()]),
    node: among([...context.nodes.keys()]),
    session: among(sessions),
    command: among(written.prompts.map(({ name }) => name)),
    model: among([...modelCatalog.keys()]),
  };
}

/** What the last word of a line may become. */
export interface Completion {
  /** Where that word begins in the line, UTF-16 units. */
  readonly from: number;
  /** As they are typed, sorted as they are offered. */
  readonly candidates: readonly string[];
}

/** What can be named, by kind: paths and ids that begin so; commands are those beside ours. A kind left out has none. */
export type Candidates = Readonly<Partial<Record<OperandKind, (begun: string) => readonly string[]>>>;

const commandNames = commands.map(({ name }) => name);

/**
 * What may stand at the end of a line that begins a command: its name, its second word, its options and their
 * values, what its first word can name. Pure; the names come from the caller.
 */
export function completeCommand(line: string, named: Candidates = {}): Completion {
  const text = line.trimStart();
  const offset = line.length - text.length;
  if (!text.startsWith("/")) return { from: line.length, candidates: [] };
  const words = wordsOf(text.slice(1));
  const isNewWord = /\s$/.test(text);
  const last = isNewWord ? undefined : words.at(-1);
  const begun = last?.text ?? "";
  const from = last === undefined ? line.length : offset + 1 + last.from;
  const whole = isNewWord ? words : words.slice(0, -1);
  return {
    from,
    candidates: candidatesFor(
      whole.map((word) => word.text),
      begun,
      named,
    ),
  };
}

function candidatesFor(whole: readonly string[], begun: string, named: Candidates): readonly string[] {
  const prompts = named.command?.(begun) ?? [];
  const nextWords = [...namesAfter(whole, begun), ...(whole.length === 0 ? prompts : [])];
  const typed = readTyped(`/${whole.map(writtenWord).join(" ")}`);
  if (typed.kind !== "command") return nextWords;
  const { command } = typed;
  const option = command.options[whole.at(-1)?.replace(/^--/, "") ?? ""];
  if (whole.at(-1)?.startsWith("--") === true && Array.isArray(option)) return startingWith(begun, option);
  if (begun.startsWith("--"))
    return startingWith(
      begun,
      Object.keys(command.options).map((name) => `--${name}`),
    );
  return [...nextWords, ...operandsOf(command, typed.words.length, begun, named)];
}

/** The next word of commands whose names go on after these. */
function namesAfter(whole: readonly string[], begun: string): readonly string[] {
  const names = commandNames.map((name) => name.split(" "));
  const fitting = names.filter(
    (name) => name.length > whole.length && whole.every((word, at) => word === name[at]),
  );
  return startingWith(begun, [...new Set(fitting.map((name) => name[whole.length] ?? ""))]);
}

function operandsOf(command: Command, given: number, begun: string, named: Candidates): readonly string[] {
  const { operand } = command;
  if (operand === undefined || given > 0) return [];
  if (operand === "effort") return startingWith(begun, efforts);
  if (operand === "mode") return startingWith(begun, approvalModes);
  if (operand === "command") return [...startingWith(begun, commandNames), ...(named.command?.(begun) ?? [])];
  return (named[operand]?.(begun) ?? []).map(writtenWord);
}

function startingWith(begun: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => name.startsWith(begun));
}

/** What names are looked for in. */
interface MentionPorts {
  readonly workspace: Workspace;
  /** Ends the waiting: then there are no names, since half of them would read as all. */
  readonly signal?: AbortSignal;
  /** Names of MCP servers, of whose resources `@server:uri` is one. */
  readonly servers?: readonly string[];
  /** Names at most; 100 unless given. */
  readonly most?: number;
}

/** What the mention at the end of a text may become. */
interface MentionCompletion {
  /** Where the mention begins in the text, at its `@`; the length of the text where it ends in plain words. UTF-16 units. */
  readonly from: number;
  /** Each as it is typed: quoted, or with backslashes, as it was begun. A folder ends in `/` and stays open. */
  readonly candidates: readonly string[];
  /** Whether there are more than `most`. */
  readonly more: boolean;
}

/**
 * The names that the mention at the end of the text may become: what lies in the folder that was typed so far, as far as
 * ignore files let it; where nothing there begins so and no folder was typed, files of such a name in any folder. Names that
 * begin with a dot are offered to who typed the dot. Reads names only, no file.
 */
export async function completeMention(text: string, ports: MentionPorts): Promise<MentionCompletion> {
  const begun = begunMention(text);
  if (begun === undefined) return { from: text.length, candidates: [], more: false };
  const { most = 100, servers = [] } = ports;
  const paths = await pathsBeginning(begun.path, ports);
  const named = servers.filter((name) => begun.quote === undefined && name.startsWith(begun.path));
  const candidates = [
    ...paths.map((path) => mentionLike(path, begun, path.endsWith("/"))),
    ...named.map((name) => `@${name}:`),
  ];
  return { from: begun.from, candidates: candidates.slice(0, most), more: candidates.length > most };
}

/** Paths that begin so, folders with a slash; none where the time is over or the folder cannot be read. */
export async function pathsBeginning(begun: string, ports: MentionPorts): Promise<readonly string[]> {
  // A folder of a slow disk answers when it likes.
  return ports.signal?.aborted === true ? [] : Promise.race([lookedUp(begun, ports), over(ports.signal)]);
}

/** No names, once the signal comes. */
function over(signal: AbortSignal | undefined): Promise<readonly string[]> {
  return new Promise((resolve) => signal?.addEventListener("abort", () => resolve([]), { once: true }));
}

async function lookedUp(begun: string, ports: MentionPorts): Promise<readonly string[]> {
  const slash = begun.lastIndexOf("/") + 1;
  const [folder, start] = [begun.slice(0, slash), begun.slice(slash)];
  const here = await namesIn(folder, ports);
  const fitting = here.filter((name) => name.startsWith(start) && (start !== "" || !name.startsWith(".")));
  if (fitting.length > 0 || folder !== "" || start === "") return fitting.map((name) => folder + name);
  return pathsNamed(start, ports);
}

async function namesIn(folder: string, { workspace, signal }: MentionPorts): Promise<readonly string[]> {
  const path = folder === "" ? {} : { path: folder === "/" ? folder : folder.slice(0, -1) };
  const listed = await workspace.run({ kind: "list", limit: mostListed, ...path }, scopeOf(signal));
  if (isRefusal(listed) || listed.because === "time") return [];
  return listed.entries.filter(isOffered).map((entry) => {
    const name = entry.path.replace(/\/$/u, "").split("/").at(-1) ?? "";
    return entry.isDirectory ? `${name}/` : name;
  });
}

/** The names of one folder: more are nobody's choice, but a few thousand letters narrow down. */
const mostListed = 5_000;

/** Files whose name begins so, wherever they lie. */
async function pathsNamed(start: string, { workspace, signal, most = 100 }: MentionPorts) {
  const glob = `**/${start.replace(/[*?[\]{}!\\]/gu, "\\$&")}*`;
  const asked = { kind: "find", glob, sized: false, limit: most } as const;
  const found = await workspace.run(asked, scopeOf(signal));
  if (isRefusal(found)) return [];
  return found.files.filter(isOffered).map(({ path }) => path);
}

/** A name that acts on a terminal, or cannot be seen, is no choice that is shown. */
function isOffered({ path, special, openable }: ListedEntry): boolean {
  return special !== "other" && openable && escapeForDisplay(path) === path;
}

function scopeOf(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}
