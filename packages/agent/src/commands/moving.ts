import type { JsonObject } from "@holdfast/core/conversation";
import type { ConversationReply } from "@holdfast/core/tools";
import type { Choice, CommandHost, CommandOutcome, GivenWords, OptionKind } from "./command.js";
import { type DueFact, dueFilesIn, ofReply } from "./results.js";
import { writtenWord } from "./words.js";

/** The options of a command that moves the head: what becomes of the files. */
export const movingOptions: Readonly<Record<string, OptionKind>> = {
  files: ["keep", "restore", "preview"],
  consent: "values",
  conflicts: ["refuse", "leave"],
};

/** How help shows them. */
export const movingUsage = "[--files keep|restore|preview] [--consent PATH] [--conflicts leave]";

/** A tool that moves the head, and how its command is typed again. */
interface Move {
  readonly tool: string;
  readonly args: JsonObject;
  /** The line without its options for files. */
  readonly line: string;
}

/**
 * Moves the head. Where files would have to be put back and nothing was said of them, nothing is done yet: the
 * person chooses.
 */
export async function moveHead(move: Move, given: GivenWords, host: CommandHost): Promise<CommandOutcome> {
  const { agent } = host;
  const carry = (more: JsonObject) => agent.carry(move.tool, { ...move.args, ...more });
  if (given.has("files") || given.has("consent") || given.has("conflicts"))
    return ofReply(await carry(filesOf(given)));
  const preview = await carry({ files: "preview" });
  // Without a plan there is no choice: the move itself says why, or is done without files.
  const isChoice = !preview.isError && dueFilesIn(preview.data).length > 0;
  return isChoice ? question(move, preview) : ofReply(await carry({}));
}

function filesOf(given: GivenWords): JsonObject {
  const consent = given.values("consent");
  const conflicts = given.value("conflicts");
  const isRestore = consent.length > 0 || conflicts !== undefined;
  return {
    files: given.value("files") ?? (isRestore ? "restore" : "keep"),
    ...(consent.length === 0 ? {} : { consent: [...consent] }),
    ...(conflicts === undefined ? {} : { conflicts }),
  };
}

function question({ line }: Move, { text, data }: ConversationReply): CommandOutcome {
  const conflicts = dueFilesIn(data).filter(({ kind }) => kind === "conflict");
  const [, , ...lines] = text.split("\n");
  return {
    kind: "question",
    message: "Some files are not as they were there.",
    text: lines.join("\n"),
    choices: [...(conflicts.length === 0 ? [restoreChoice(line)] : despite(line, conflicts)), keep(line)],
  };
}

function restoreChoice(line: string): Choice {
  return { word: "restore", says: "put the files back as well", line: `${line} --files restore` };
}

function despite(line: string, conflicts: readonly DueFact[]): readonly Choice[] {
  const restore = `${line} --files restore`;
  const leave: Choice = {
    word: "restore",
    says: "put back what is not in conflict",
    line: `${restore} --conflicts leave`,
  };
  if (!conflicts.every(({ consentable }) => consentable === true)) return [leave];
  const consent = conflicts.map(({ path }) => `--consent ${writtenWord(path)}`).join(" ");
  return [leave, { word: "all", says: "put all of them back", line: `${restore} ${consent}` }];
}

function keep(line: string): Choice {
  return { word: "keep", says: "leave the files as they are", line: `${line} --files keep` };
}
