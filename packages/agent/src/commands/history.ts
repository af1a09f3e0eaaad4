import { drawnTree, type HistoryFilter, historyFilter } from "@holdfast/core/context";
import { upwards } from "@holdfast/core/conversation";
import { payloadKinds } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import type { CommandHost, CommandOutcome, CommandSpec } from "./command.js";
import { exportCommand } from "./export.js";
import { movingCommand } from "./moving.js";
import { carried, kept, refused, told } from "./results.js";

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
