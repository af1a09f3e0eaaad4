import { upwards } from "@holdfast/core/conversation";
import {
  type ConversationContext,
  effectsOf,
  type JsonObject,
  type TurnNode,
} from "@holdfast/core/conversation/values";
import { describeChange } from "@holdfast/core/patch";
import { wayBack } from "../loop/file-check.js";
import type { CommandHost, CommandSpec } from "./command.js";
import { type DueFact, dueFilesIn, ofReply, refused, told } from "./results.js";

const diff: CommandSpec = {
  name: "diff",
  usage: "[PATH] [--since NODE]",
  says: "Shows what is different in the files since the session began, or since a turn.",
  options: { since: "node" },
  operands: { least: 0, most: 1 },
  operand: "path",
  run: async (given, host) => {
    const { agent, manager } = host;
    const args = { turn_id: given.value("since") ?? manager.context.sessionId, preview: true };
    const plan = await agent.carry("restore_files", args);
    if (plan.isError) return ofReply(plan);
    const due = dueFilesIn(plan.data);
    const wanted = given.text === "" ? due : due.filter(({ path }) => path === given.text);
    const data: JsonObject = { files: wanted.map(({ path, from, to }) => ({ path, from: to, to: from })) };
    if (wanted.length === 0) return told("No file is different.", { data });
    const shown: string[] = [];
    for (const file of wanted) shown.push(await shownDiff(file, host));
    const count = wanted.length === 1 ? "1 file is" : `${wanted.length} files are`;
    return told(`${count} different:`, { data, text: shown.join("\n") });
  },
};

const undo: CommandSpec = {
  name: "undo",
  usage: "[--preview] [--consent PATH]",
  says: "Takes the last change of files back that was made here; again for the one before. The conversation stays.",
  options: { preview: "switch", consent: "values" },
  run: async (given, host) => {
    const { agent } = host;
    for (const turn of turnsBeforeChanges(host)) {
      const look = await agent.carry("restore_files", { turn_id: turn, preview: true });
      // A change that came to nothing, or that a person took back outside, makes no difference.
      if (!look.isError && dueFilesIn(look.data).length === 0) continue;
      if (look.isError || given.has("preview")) return ofReply(look);
      const consent = given.values("consent");
      const args = { turn_id: turn, ...(consent.length === 0 ? {} : { consent: [...consent] }) };
      return ofReply(await agent.carry("restore_files", args));
    }
    return refused("nothing_to_undo", "No change of files of this branch is left to be taken back.");
  },
};

const tools: CommandSpec = {
  name: "tools",
  usage: "[NAME]",
  says: "Lists the tools that the model is offered, with their descriptions.",
  operands: { least: 0, most: 1 },
  run: async ({ text }, { agent }) => {
    const offered = agent.tools.offered.filter(({ name }) => text === "" || name === text);
    if (offered.length === 0) return refused("invalid_arguments", `No tool "${text}" is offered.`);
    const data = { tools: offered.map(({ name, description = "" }) => ({ name, description })) };
    const lines = data.tools.map(({ name, description }) => `${name}: ${description}`);
    const schema = text === "" ? [] : [JSON.stringify(offered[0]?.inputSchema, null, 2)];
    return told(`${offered.length} of the tools:`, { data, text: [...lines, ...schema].join("\n\n") });
  },
};

/** The commands that look at files and tools, and take changes of files back. */
export const lookCommands: readonly CommandSpec[] = [diff, undo, tools];

const mostLines = 400;

/** From then to now: the way back is previewed, and read the other way round. */
async function shownDiff({ path, from, to }: DueFact, { workspace, signal }: CommandHost): Promise<string> {
  const file = await wayBack(workspace, path, from, to, signal);
  if (file !== undefined && "kind" in file) return `--- ${path}\n(${file.message})`;
  if (file === undefined || (file.before === null && file.after === null)) return `--- ${path}\n(not a text)`;
  return `--- ${path}\n${describeChange(file.after ?? "", file.before ?? "", { maxLines: mostLines })}`;
}

/**
 * The turns right above those that changed files, the last first. Where files were put back to a turn, it goes on
 * there: what came after it is taken back already.
 */
function turnsBeforeChanges({ manager }: CommandHost): readonly string[] {
  const { context } = manager;
  const turns: string[] = [];
  let at: string | null = context.currentNodeId;
  while (at !== null) {
    const node = context.nodes.get(at);
    if (node === undefined) break;
    const earlier = node.payload.kind === "restore" ? putBackTo(node.payload, node, context) : undefined;
    if (earlier === undefined && node.parentId !== null && changesFiles(node)) turns.push(node.parentId);
    at = earlier ?? node.parentId;
  }
  return turns;
}

function changesFiles({ payload }: TurnNode): boolean {
  return payload.kind !== "restore" && effectsOf(payload).some(({ by }) => by === "tool");
}

/** The node whose files a restore gave; of one that took a restore back, the node above that restore. */
function putBackTo(
  { stateOf, undoes }: Extract<TurnNode["payload"], { kind: "restore" }>,
  { parentId }: TurnNode,
  context: ConversationContext,
): string | undefined {
  if (stateOf !== undefined) return context.nodes.has(stateOf) ? stateOf : undefined;
  if (undoes === undefined) return undefined;
  for (const { id, payload, parentId: above } of upwards(context, parentId ?? ""))
    if (payload.kind === "restore" && [id, payload.restoreId].includes(undoes)) return above ?? undefined;
  return undefined;
}
