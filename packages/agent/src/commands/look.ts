import { effectsOf, type JsonObject, type TurnNode } from "@holdfast/core/conversation";
import { describeChange } from "@holdfast/core/patch";
import { defined } from "@holdfast/core/text";
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
  const change = { path, content: { kind: "state", from, sha256: to } } as const;
  const back = await workspace.preview({ kind: "apply_changes", changes: [change] }, defined({ signal }));
  if (back.kind !== "preview") return `--- ${path}\n(${back.message})`;
  const [file] = back.files;
  if (file === undefined || (file.before === null && file.after === null)) return `--- ${path}\n(not a text)`;
  return `--- ${path}\n${describeChange(file.after ?? "", file.before ?? "", { maxLines: mostLines })}`;
}

/**
 * The turns right above those that changed files, the last first. Where files were put back to a turn, it goes on
 * there: what came after it is taken back already.
 */
function turnsBeforeChanges({ manager }: CommandHost): readonly string[] {
  const turns: string[] = [];
  const { nodes } = manager.context;
  let node: TurnNode | undefined = manager.getCurrentNode();
  while (node !== undefined) {
    const parent: TurnNode | undefined = node.parentId === null ? undefined : nodes.get(node.parentId);
    const earlier: TurnNode | undefined =
      node.payload.kind === "restore" ? putBackTo(node.payload, parent, nodes) : undefined;
    if (earlier === undefined && parent !== undefined && changesFiles(node)) turns.push(parent.id);
    node = earlier ?? parent;
  }
  return turns;
}

function changesFiles({ payload }: TurnNode): boolean {
  return payload.kind !== "restore" && effectsOf(payload).some(({ by }) => by === "tool");
}

type Nodes = CommandHost["manager"]["context"]["nodes"];

/** The node whose files a restore gave; of one that took a restore back, the node above that restore. */
function putBackTo(
  { stateOf, undoes }: Extract<TurnNode["payload"], { kind: "restore" }>,
  above: TurnNode | undefined,
  nodes: Nodes,
): TurnNode | undefined {
  if (stateOf !== undefined) return nodes.get(stateOf);
  if (undoes === undefined) return undefined;
  for (
    let node = above;
    node !== undefined;
    node = node.parentId === null ? undefined : nodes.get(node.parentId)
  )
    if (node.payload.kind === "restore" && [node.id, node.payload.restoreId].includes(undoes))
      return node.parentId === null ? undefined : nodes.get(node.parentId);
  return undefined;
}
