import { type CommandHost, type StatusFacts, sentTokens } from "@holdfast/agent";
import { type ListedTask, listTasks } from "@holdfast/core/conversation";
import { defined } from "@holdfast/core/text";
import type { OpenedRun } from "./open-run.js";

/** What the status line says of a run. */
export function statusFacts({ agent, conversation }: OpenedRun, { modelName }: CommandHost): StatusFacts {
  const { context } = conversation.manager;
  const { model, mode, effort } = agent;
  const { window } = model;
  const { input, cached } = sentTokens(context);
  return {
    model: modelName?.() ?? model.target.model,
    mode,
    help: "? for help",
    costUsd: agent.meter.spent.costUsd,
    ...defined({
      effort,
      task: currentTask(listTasks(context)),
      cacheShare: cached === 0 ? undefined : cached / input,
      contextShare: window === undefined ? undefined : agent.contextMap.tokens / window.tokens,
    }),
  };
}

/** How many files in the prompt are not on the disk as the conversation knows them last. */
export async function staleFiles({ agent, conversation, workspace }: OpenedRun): Promise<number> {
  const { context, manifests } = conversation.manager;
  const known = manifests.at(context, context.currentNodeId);
  const paths = agent.contextMap.files.slice(0, mostFiles).map(({ path }) => path);
  const states = await workspace.fileStates(paths);
  return paths.filter((path, at) => {
    const [last, now] = [known.get(manifests.naming(path)), states[at]];
    return last !== undefined && now !== undefined && now.barred === undefined && now.sha256 !== last;
  }).length;
}

/** More are not looked at: each is read whole. */
const mostFiles = 50;

/** The name of the task that the head is in, where it is none of the session itself. */
function currentTask({ tasks }: ListedTask): string | undefined {
  for (const task of tasks) {
    const name = task.current ? task.name : currentTask(task);
    if (name !== undefined) return name;
  }
  return undefined;
}
