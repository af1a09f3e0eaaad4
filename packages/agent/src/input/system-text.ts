import { chooseSuffix, cutVisibly, escapeForDisplay, fileAttributes, frameText } from "@holdfast/core/text";
import { protocolText } from "@holdfast/core/tools";
import type { ApprovalMode } from "../config/approval.js";
import type { Instructions } from "./instruction-files.js";
import type { WrittenPrompt } from "./written-prompts.js";

/** What a system text is made of. The same facts give the same text, so that a provider's cache holds it. */
export interface SystemFacts {
  /** Names of the tools that are offered. */
  readonly tools: ReadonlySet<string>;
  readonly mode: ApprovalMode;
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
    aboutWork(facts),
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

function aboutWork({ mode }: SystemFacts): string {
  const words =
    "You are a coding agent: work on the user's files with tools until what was asked is done, then say briefly what you did. " +
    "When a call is refused, read why, and change the call.";
  return mode === "plan"
    ? `${words}\nThis is plan mode: nothing can be changed and nothing run. Look at what you need, then say what you would do, step by step.`
    : words;
}

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
function instructionsBlock({ path, sha256, text, isCut, isOwn }: Instructions): string {
  const cut = isCut === true ? " Only its beginning is here; read it for the rest." : "";
  const framed = frameText(fileAttributes(path, [["sha256", sha256]]), text, chooseSuffix([text, path])).text;
  const whose = isOwn === true ? "The user's own" : "The project's";
  return `${whose} instructions for agents, from ${escapeForDisplay(path)}.${cut} Follow them where the user does not say otherwise.\n${framed}`;
}
