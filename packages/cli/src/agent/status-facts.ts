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

/** The name of the task that the head is in, where it is none of the session itself. */
function currentTask({ tasks }: ListedTask): string | undefined {
  for (const task of tasks) {
    const name = task.current ? task.name : currentTask(task);
    if (name !== undefined) return name;
  }
  return undefined;
}
