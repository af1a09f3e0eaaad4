import { commands, type factsOfModel, modelCatalog, readTyped } from "@holdfast/agent";
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
import { drawnWords, efforts } from "@holdfast/core/context";
import type { ConversationContext, SessionFacts } from "@holdfast/core/conversation/values";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal, type ListedEntry } from "@holdfast/core/files/values";
import { escapeForDisplay } from "@holdfast/core/text";

/** How long a person waits for names. */
const mostMs = 500;

/** What the end of a line may become: of a command its words and what it names, else the names behind `@`. */
export async function completeLine(line: string, run: TalkRun | undefined): Promise<Completion> {
  const begun = completeCommand(line);
  if (run === undefined) return withSentences(line, begun, new Map());
  const { workspace, resources } = run;
  const ports = { workspace, servers: resources.servers, signal: AbortSignal.timeout(mostMs) };
  if (!line.trimStart().startsWith("/")) return completeMention(line, ports);
  const { named, says } = await namedIn(line.slice(begun.from), run, ports);
  return withSentences(line, completeCommand(line, named), says);
}

/** Puts beside each candidate what it is: of a command its sentence, else what is known of it. */
function withSentences(line: string, found: Completion, known: ReadonlyMap<string, string>): Completion {
  const before = line.slice(0, found.from).trimStart().slice(1);
  const sentence = (name: string) =>
    known.get(name) ??
    offered.find((command) => command.name === before + name)?.says ??
    groupWords(before + name);
  const says = found.candidates.map((name) => [name, sentence(name)] as const);
  return {
    ...found,
    says: new Map(says.flatMap(([name, words]) => (words === undefined ? [] : [[name, words]]))),
  };
}

/** The second words of commands that begin so. */
function groupWords(name: string): string | undefined {
  const rest = commandNames.filter((each) => each.startsWith(`${name} `));
  return rest.length === 0 ? undefined : rest.map((each) => each.slice(name.length + 1)).join(", ");
}

/** What a command can name, by its last word. */
async function namedIn(
  word: string,
  { conversation, store, written, resources }: TalkRun,
  ports: Parameters<typeof pathsBeginning>[1],
): Promise<{ readonly named: Candidates; readonly says: ReadonlyMap<string, string> }> {
  const { context } = conversation.manager;
  const [paths, listed] = await Promise.all([pathsBeginning(word, ports), store.list()]);
  const stored = isRefusal(listed) ? [] : listed.toSorted((one, two) => two.modifiedMs - one.modifiedMs);
  const servers = resources.states?.() ?? [];
  const says = new Map([
    ...stored.map((one) => [one.id, sessionWords(one, Date.now())] as const),
    ...[...modelCatalog].map(([name, facts]) => [name, modelWords(facts)] as const),
    ...written.prompts.map(({ name, says: words }) => [name, words] as const),
    ...servers.map(({ name, kind, tools }) => [name, kind === "ready" ? `${tools} tools` : kind] as const),
    ...promptsIn(context),
  ]);
  const among = (names: readonly string[]) => (begun: string) => searched(begun, names, says);
  const nodes = [...context.nodes.keys()];
  const turns = promptsIn(context).map(([name]) => name);
  const named: Candidates = {
    path: () => paths,
    task: among([...context.tasks.keys()]),
    node: (begun) => {
      const found = among(turns)(begun);
      return found.length > 0 ? found : nodes.filter((id) => id.startsWith(begun));
    },
    session: among(stored.map(({ id }) => id)),
    command: among(written.prompts.map(({ name }) => name)),
    model: among([...modelCatalog.keys()]),
    server: among(servers.map(({ name }) => name)),
  };
  return { named, says };
}

/** What a person said, the last first, by the short names of the turns. */
function promptsIn({ nodes }: ConversationContext): readonly (readonly [string, string])[] {
  return [...nodes.values()]
    .flatMap(({ id, payload }) =>
      payload.kind === "user_message" ? [[id.slice(-shownId), drawnWords(payload, 100)] as const] : [],
    )
    .reverse();
}

/** The end of an id by which a turn is named. */
const shownId = 8;

function sessionWords({ title, modifiedMs }: SessionFacts, nowMs: number): string {
  return `${dayWords(modifiedMs, nowMs)}  ${title ?? "without a title"}`;
}

/** A moment as people say it: the time of today, else the day. */
export function dayWords(ms: number, nowMs: number): string {
  const [at, now] = [new Date(ms), new Date(nowMs)];
  const day = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((day(now) - day(at)) / 86_400_000);
  const time = at.toTimeString().slice(0, 5);
  if (days <= 0) return `today ${time}`;
  if (days === 1) return `yesterday ${time}`;
  return days < 7 ? `${days} days ago` : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function modelWords({ contextWindow, prices }: NonNullable<ReturnType<typeof factsOfModel>>): string {
  const money = prices === undefined ? [] : [`$${prices.input} in, $${prices.output} out a million`];
  return [`${Math.round(contextWindow / 1_000)}k tokens`, ...money].join(", ");
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** Names that begin so; where none does, those that have it in them, or in what is said of them. */
function searched(
  begun: string,
  names: readonly string[],
  says: ReadonlyMap<string, string>,
): readonly string[] {
  const wanted = begun.toLowerCase();
  const starting = names.filter((name) => name.startsWith(begun));
  if (starting.length > 0)
    return starting.toSorted((one, other) => Number(other === begun) - Number(one === begun));
  return names.filter((name) => `${name} ${says.get(name) ?? ""}`.toLowerCase().includes(wanted));
}

/** What the last word of a line may become. */
export interface Completion {
  /** Where that word begins in the line, UTF-16 units. */
  readonly from: number;
  /** As they are typed, sorted as they are offered. */
  readonly candidates: readonly string[];
  /** What is said of a candidate. */
  readonly says?: ReadonlyMap<string, string>;
}

/** What can be named, by kind: paths and ids that begin so; commands are those beside ours. A kind left out has none. */
export type Candidates = Readonly<Partial<Record<OperandKind, (begun: string) => readonly string[]>>>;

/** Commands with what they do: those of the agent, and what only a screen has. */
const offered = [
  ...commands,
  { name: "tour", says: "Shows what only Holdfast has, and how to try it here." },
];
const commandNames = offered.map(({ name }) => name);

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
  const found = [...namesAfter(whole, begun), ...(whole.length === 0 ? prompts : [])];
  // What only has it in it is offered where nothing begins so.
  const starting = startingWith(begun, found);
  const nextWords = starting.length > 0 ? starting : found;
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
  const next = [...new Set(fitting.map((name) => name[whole.length] ?? ""))];
  const sentences = offered.map(({ name, says }) => [name.split(" ")[whole.length] ?? "", says] as const);
  return searched(begun, next, new Map(sentences));
}

function operandsOf(command: Command, given: number, begun: string, named: Candidates): readonly string[] {
  const { operand, usage, options, operands } = command;
  if (given > 0) return [];
  if (operand === undefined) {
    const [, words] = /^\[([a-z-]+(?:\|[a-z-]+)+)/u.exec(usage) ?? [];
    const flags = operands.most === 0 ? Object.keys(options).map((name) => `--${name}`) : [];
    return startingWith(begun, words?.split("|") ?? flags);
  }
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
