import type { JsonObject } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import type { ConversationReply } from "@holdfast/core/tools";
import type {
  AskedBack,
  Choice,
  CommandHost,
  CommandOutcome,
  CommandSpec,
  GivenWords,
  OptionKind,
  Refused,
} from "./command.js";
import { type DueFact, dueFilesIn, ofReply } from "./results.js";
import { writtenWord } from "./words.js";

/** The options of a command that moves the head: what becomes of the files. */
const movingOptions: Readonly<Record<string, OptionKind>> = {
  files: ["keep", "restore", "preview"],
  consent: "values",
  conflicts: ["refuse", "leave"],
};

/** How help shows them. */
const movingUsage = "[--files keep|restore|preview] [--consent PATH] [--conflicts leave]";

/** A command that moves the head, without what all of them have. */
interface MovingSpec extends Pick<CommandSpec, "name" | "usage" | "says" | "operands" | "operand"> {
  /** The argument of the tool that the words beside the options are. */
  readonly named?: string;
  /** Whether `--task` names the task. */
  readonly hasTask?: true;
}

/** The command of a tool that moves the head. */
export function movingCommand(
  tool: string,
  { named, hasTask, usage = "", ...spec }: MovingSpec,
): CommandSpec {
  return {
    ...spec,
    usage: `${usage} ${movingUsage}`.trimStart(),
    options: { ...movingOptions, ...(hasTask && { task: "value" }) },
    run: (given, host) => {
      const task = given.value("task");
      const own = named === undefined || given.text === "" ? {} : { [named]: given.text };
      const words = given.text === "" ? [] : [writtenWord(given.text)];
      const option = task === undefined ? [] : ["--task", writtenWord(task)];
      const line = [`/${spec.name}`, ...words, ...option].join(" ");
      return moveHead({ tool, args: { ...own, ...defined({ task_id: task }) }, line }, given, host);
    },
  };
}

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
async function moveHead(move: Move, given: GivenWords, host: CommandHost): Promise<CommandOutcome> {
  const { agent } = host;
  const carry = (more: JsonObject) => agent.carry(move.tool, { ...move.args, ...more });
  if (given.has("files") || given.has("consent") || given.has("conflicts"))
    return ofReply(await carry(filesOf(given)));
  const preview = await carry({ files: "preview" });
  // Without a plan there is no choice: the move itself says why, or is done without files.
  const isChoice = !preview.isError && dueFilesIn(preview.data).length > 0;
  return isChoice ? question(move, preview) : ofReply(await carry({}));
}

/**
 * What going back to a node would do to the files, and each way to go on; nothing is done.
 *
 * @param move `rewind`: the head goes there; `restore`: only the files go back.
 */
export async function planOfReturn(
  move: "rewind" | "restore",
  nodeId: string,
  { agent }: Pick<CommandHost, "agent">,
): Promise<AskedBack | Refused> {
  const line = `/history ${move} ${writtenWord(nodeId)}`;
  const isRewind = move === "rewind";
  const plan = isRewind ? { files: "preview" } : { preview: true };
  const preview = await agent.carry(isRewind ? "rewind" : "restore_files", { turn_id: nodeId, ...plan });
  if (preview.isError)
    return {
      kind: "refusal",
      code: preview.code === "ok" ? "internal_error" : preview.code,
      message: preview.text,
    };
  const due = dueFilesIn(preview.data);
  if (due.length > 0) return question({ line, restores: isRewind ? " --files restore" : "" }, preview);
  const choices = isRewind ? [{ word: "go", says: "go back to this turn", line }] : [];
  return { kind: "question", message: "All files are as they were there.", text: "", choices };
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

/** @param restores what is put to a line so that the files go back. */
function question(
  { line, restores = " --files restore" }: { readonly line: string; readonly restores?: string },
  { text, data }: ConversationReply,
): AskedBack {
  const conflicts = dueFilesIn(data).filter(({ kind }) => kind === "conflict");
  const [, , ...lines] = text.split("\n");
  return {
    kind: "question",
    message: "Some files are not as they were there.",
    text: lines.join("\n"),
    choices: [
      ...(conflicts.length === 0 ? [restoreChoice(line + restores)] : despite(line + restores, conflicts)),
      ...(restores === "" ? [] : [keep(line)]),
    ],
  };
}

function restoreChoice(line: string): Choice {
  return { word: "restore", says: "put the files back as well", line };
}

function despite(restore: string, conflicts: readonly DueFact[]): readonly Choice[] {
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
