import { drawnTree, type HistoryFilter, historyFilter } from "@holdfast/core/context";
import { upwards } from "@holdfast/core/conversation";
import { type JsonObject, payloadKinds } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
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
import { exportCommand } from "./export.js";
import { carried, type DueFact, dueFilesIn, kept, ofReply, refused, told } from "./results.js";
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

const view: CommandSpec = {
  name: "history view",
  usage: "[--kind KIND] [--text TEXT] [--branch NODE] [--depth N] [--fold-tasks] [--limit N]",
  says: "Shows the tree: kinds, labels, versions, the head, what is hidden or pruned.",
  options: {
    kind: "values",
    text: "value",
    branch: "node",
    depth: "value",
    "fold-tasks": "switch",
    limit: "value",
  },
  run: (given, host) => {
    const kinds = given.values("kind").flatMap((named) => named.split(","));
    const known = payloadKinds.filter((kind) => kinds.includes(kind));
    if (known.length < new Set(kinds).size)
      return Promise.resolve(refused("invalid_arguments", `--kind takes ${payloadKinds.join(", ")}.`));
    const [depth, limit = 100] = [numberOf(given.value("depth")), numberOf(given.value("limit"))];
    const filter = defined({
      kinds: kinds.length === 0 ? undefined : known,
      text: given.value("text"),
      branch: given.value("branch"),
      depth,
      foldTasks: given.has("fold-tasks") ? true : undefined,
    });
    if (![depth ?? 0, limit - 1].every((count) => Number.isSafeInteger(count) && count >= 0))
      return Promise.resolve(refused("invalid_arguments", "--depth and --limit take whole numbers."));
    return Promise.resolve(drawn(filter, limit, host));
  },
};

function drawn(filter: HistoryFilter, limit: number, { manager: { context } }: CommandHost): CommandOutcome {
  const options = historyFilter(context, filter);
  if (isRefusal(options)) return refused(options.code, options.message);
  const rows = drawnTree(context, options).split("\n");
  const left = rows.length - limit;
  const shown = left > 0 ? [`(${left} rows above are left out: --limit)`, ...rows.slice(-limit)] : rows;
  return told("The history:", { text: shown.join("\n") });
}

/** Gives a turn another form in the prompt. */
const inForm = (form: "hidden" | "original", name: string, says: string, words: string): CommandSpec => ({
  name,
  usage: "NODE",
  says,
  operands: { least: 1, most: 1 },
  operand: "node",
  run: ({ text }, { manager }) =>
    kept(manager.overlay(text, { form }), manager, told(words, { data: { turn_id: text } })),
});

const hiding = "Keeps a turn out of the prompt, a call together with its result; it stays in the tree.";

const hide = inForm("hidden", "history hide", hiding, "The turn is hidden from the model.");

const showing = "Brings a turn that was hidden back into the prompt.";

const show = inForm("original", "history show", showing, "The turn is in the prompt again.");

const rewind = movingCommand("rewind", {
  name: "history rewind",
  usage: "[TURN]",
  says: "Goes back to a turn, else to before your last message; what is left stays in the tree.",
  operands: { least: 0, most: 1 },
  operand: "node",
  named: "turn_id",
});

const restore: CommandSpec = {
  name: "history restore",
  usage: "[TURN] [--undo RESTORE] [--preview] [--consent PATH] [--conflicts leave]",
  says: "Puts the files back to what they were at a turn; the conversation stays where it is.",
  options: { undo: "value", preview: "switch", consent: "values", conflicts: ["refuse", "leave"] },
  operands: { least: 0, most: 1 },
  operand: "node",
  run: (given, host) => {
    const consent = given.values("consent");
    const args = defined({
      turn_id: given.text === "" ? undefined : given.text,
      restore_id: given.value("undo"),
      preview: given.has("preview") ? true : undefined,
      consent: consent.length === 0 ? undefined : consent,
      conflicts: given.value("conflicts"),
    });
    return carried("restore_files", args, host);
  },
};

const summarize: CommandSpec = {
  name: "history summarize_branch",
  usage: "[FOCUS]",
  says: "Lets the model sum the branch up; the summary stands at its end.",
  operands: { least: 0, most: "text" },
  run: ({ text }, host) => carried("summarize_branch", text === "" ? {} : { focus: text }, host),
};

const expand: CommandSpec = {
  name: "history expand_task",
  usage: "[TASK]",
  says: "Shows a task in full to the model for the next turn, in place of its summary; the last one unless named.",
  operands: { least: 0, most: 1 },
  operand: "task",
  run: async (given, host) => {
    const id = given.text === "" ? lastSummed(host) : given.text;
    if (id === undefined) return refused("unknown_task", "No task of this branch has a summary.");
    return carried("expand_task_summary", { task_id: id }, host);
  },
};

const label: CommandSpec = {
  name: "history label",
  usage: "TEXT [--node NODE]",
  says: "Names a turn, the last one unless told, so that it is found again.",
  options: { node: "node" },
  operands: { least: 1, most: "text" },
  run: (given, { manager }) => {
    const id = given.value("node") ?? manager.getCurrentNode().id;
    const result = told(`The turn is labelled "${given.text}".`, { data: { turn_id: id } });
    return kept(manager.setLabel(id, given.text), manager, result);
  },
};

/** The commands of the tree. */
export const historyCommands: readonly CommandSpec[] = [
  view,
  rewind,
  restore,
  summarize,
  expand,
  hide,
  show,
  label,
  { ...exportCommand, name: "history export" },
];

/** What is no number is left for the tool to refuse. */
function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** The task whose summary stands last on the branch. */
function lastSummed({ manager: { context } }: CommandHost): string | undefined {
  for (const { payload } of upwards(context, context.currentNodeId))
    if (payload.kind === "task_summary") return payload.taskId;
  return undefined;
}
