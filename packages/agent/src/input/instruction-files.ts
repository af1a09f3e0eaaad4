import { chooseSuffix, cutVisibly, escapeForDisplay, fileAttributes, frameText } from "@holdfast/core/text";
import { protocolText } from "@holdfast/core/tools";
import { isBelow, pathFrom, type ReadText } from "../host/found-text.js";
import { parseMentions } from "./expand-input.js";
import type { WrittenPrompt } from "./written-prompts.js";

/** What a person, or a project, tells every agent that works there. */
export interface Instructions {
  /** As `InstructionSources.nameOf` names it. */
  readonly path: string;
  readonly sha256: string;
  readonly text: string;
  /** Set where the file is longer than was taken. */
  readonly isCut?: true;
  /** The person's own, for every project. */
  readonly isOwn?: true;
}

/** A folder in which instructions are looked for. */
interface InstructionFolder {
  /** Absolute. */
  readonly path: string;
  /** What lies outside of this folder is not imported: the repository, or the folder of the person's own files. */
  readonly within: string;
  readonly isOwn?: true;
  /** A text that was read already is not read again: teams keep one under the names of several agents. */
  readonly isOnce?: true;
  readonly read: ReadText;
}

/** How instruction files are looked for. */
interface InstructionSources {
  /** In the order in which the model reads them: the nearest last. */
  readonly folders: readonly InstructionFolder[];
  /** Names of files, the preferred one first: of each folder the first that is there counts. */
  readonly names: readonly string[];
  /** Files that count beside them: rules that were written for other agents, and the person's own of a project. */
  readonly others?: readonly { readonly path: string; readonly folder: InstructionFolder }[];
  /** What an import that begins with `~/` counts from. */
  readonly home: string;
  /** A path as the model and the person are shown it. */
  readonly nameOf: (path: string) => string;
  /** Of one file, in characters; 64,000 unless given. */
  readonly mostChars?: number;
}

/**
 * Reads the instruction files: one a folder, each followed by what it imports with `@path`, five deep. Each file is read
 * once. An import without a folder or an extension, such as `@alice`, may be none: where it cannot be read it is passed over.
 *
 * @returns `problems`: a sentence on each file that is named and not read.
 */
export async function readInstructions(sources: InstructionSources) {
  const nameOf = (path: string) => escapeForDisplay(sources.nameOf(path));
  const reading: Reading = { ...sources, nameOf, files: new Map(), problems: [] };
  for (const folder of sources.folders)
    for (const name of sources.names) {
      const path = `${folder.path}/${name}`;
      const why = await add(path, folder, [], reading);
      if (typeof why === "string") reading.problems.push(`${reading.nameOf(path)} is not read: ${why}.`);
      if (why === undefined) break;
    }
  for (const { path, folder } of sources.others ?? []) {
    const why = await add(path, folder, [], reading);
    if (typeof why === "string") reading.problems.push(`${reading.nameOf(path)} is not read: ${why}.`);
  }
  return { files: [...reading.files.values()], problems: reading.problems };
}

interface Reading extends InstructionSources {
  readonly files: Map<string, Instructions>;
  readonly problems: string[];
}

const mostDeep = 5;
const mostFiles = 50;

/** @param above the files by whose imports it is read. @returns why it is not read; false where nothing stands there. */
async function add(
  path: string,
  folder: InstructionFolder,
  above: readonly string[],
  reading: Reading,
): Promise<string | false | undefined> {
  const { files, problems, mostChars = 64_000 } = reading;
  if (above.includes(path)) return "it imports itself by that";
  if (files.has(path)) return undefined;
  if (!isBelow(path, folder.within)) return `it lies outside of ${reading.nameOf(folder.within)}`;
  if (above.length > mostDeep) return `it would be more than ${mostDeep} imports deep`;
  if (files.size >= mostFiles) return `no more than ${mostFiles} files are read`;
  const found = await folder.read(path);
  if (typeof found === "string") return found;
  if (found === undefined || found.text.trim() === "") return false;
  const isKnown = [...files.values()].some(({ sha256 }) => sha256 === found.sha256);
  if (folder.isOnce === true && isKnown) return undefined;
  const text = found.text.slice(0, mostChars);
  files.set(path, {
    path: reading.nameOf(path),
    sha256: found.sha256,
    text,
    ...(found.isCut || text !== found.text ? { isCut: true } : {}),
    ...(folder.isOwn === true ? { isOwn: true } : {}),
  });
  for (const named of importsIn(text)) {
    const why = await add(pathFrom(path, named, reading.home), folder, [...above, path], reading);
    const isSurelyFile = /^(\.{0,2}|~)\/|[.]\w+$/u.test(named);
    if (why === undefined || !isSurelyFile) continue;
    const words = why === false ? "there is no such file, or it is empty" : why;
    problems.push(`${reading.nameOf(path)} imports ${escapeForDisplay(named)}, which is not read: ${words}.`);
  }
  return undefined;
}

/** The paths that a text names with `@`, each once; what stands in fenced blocks and code spans names none. Pure. */
export function importsIn(text: string): readonly string[] {
  // A block without an end goes on to the end; a span ends in its paragraph.
  const prose = text
    .replace(/^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n(?! {0,3}\1[`~]*[ \t]*$)[^\n]*)*(?:\n[^\n]*)?/gm, "")
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, " "))
    .join("\n\n");
  const named = parseMentions(prose).flatMap((part) => (part.kind === "mention" ? [part.path] : []));
  return [...new Set(named)];
}

/** What a system text is made of. The same facts give the same text, so that a provider's cache holds it. */
export interface SystemFacts {
  /** Names of the tools that are offered. */
  readonly tools: ReadonlySet<string>;
  /** The folders of the workspace, absolute; paths count from the first. */
  readonly roots: readonly string[];
  /** Such as `linux`. */
  readonly platform: string;
  /** The day on which the session began, as `2026-11-23`: no clock, or no cache would hold. */
  readonly date: string;
  /** The file of notes that outlast a conversation, as tools name it. */
  readonly memoryPath?: string;
  readonly instructions?: readonly Instructions[];
  /** Which the model reads with `read_file`. */
  readonly skills?: readonly Pick<WrittenPrompt, "name" | "says" | "path">[];
  /** What MCP servers say of themselves. */
  readonly servers?: readonly { readonly server: string; readonly text: string }[];
}

/** The system text of an agent, in the vocabulary of the tools that are really offered. */
export function systemText(facts: SystemFacts): string {
  const { instructions = [], servers = [] } = facts;
  return [
    aboutWork,
    protocolText(facts.tools),
    aboutPlace(facts),
    ...aboutMemory(facts),
    ...servers.map(
      ({ server, text }) => `The MCP server ${escapeForDisplay(server)} says of its tools:\n${text}`,
    ),
    ...aboutSkills(facts),
    ...instructions.map(instructionsBlock),
  ].join("\n\n");
}

const aboutWork =
  "You are a coding agent: work on the user's files with tools until what was asked is done, then say briefly what you did. " +
  "When a call is refused, read why, and change the call.";

function aboutMemory({ tools, memoryPath }: SystemFacts): readonly string[] {
  const ways = ["append_to_file", "update_section", "edit_file"].filter((name) => tools.has(name));
  if (memoryPath === undefined || ways.length === 0) return [];
  return [
    `Notes that outlast this conversation belong into ${escapeForDisplay(memoryPath)} (${ways.join(", ")}): decisions, findings, what comes next.`,
  ];
}

function aboutSkills({ tools, skills = [] }: SystemFacts): readonly string[] {
  if (skills.length === 0 || !tools.has("read_file")) return [];
  const lines = skills.map(({ name, says, path }) => `- ${name} (${escapeForDisplay(path)}): ${says}`);
  const head =
    "Skills: what the user has written down on kinds of work. Before work of such a kind, read its file with read_file and follow it.";
  // They stand in every request.
  return [cutVisibly([head, ...lines].join("\n"), 8_000)];
}

function aboutPlace({ roots, platform, date }: SystemFacts): string {
  const [first = ".", ...more] = roots.map(escapeForDisplay);
  const further = more.length === 0 ? "" : ` You may also work in ${more.join(", ")}, by absolute paths.`;
  return `The working folder is ${first} on ${platform}; relative paths count from there.${further} The session began on ${date}.`;
}

/** Raw text of a file, framed as every other is, so that it cannot be taken for words of ours. */
export function instructionsBlock({ path, sha256, text, isCut, isOwn }: Instructions): string {
  const cut = isCut === true ? " Only its beginning is here; read it for the rest." : "";
  const framed = frameText(fileAttributes(path, [["sha256", sha256]]), text, chooseSuffix([text, path])).text;
  const whose = isOwn === true ? "The user's own" : "The project's";
  return `${whose} instructions for agents, from ${escapeForDisplay(path)}.${cut} Follow them where the user does not say otherwise.\n${framed}`;
}
