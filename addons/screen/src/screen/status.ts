import type { CommandHost } from "@holdfast/agent";
import type { Commands } from "@holdfast/agent/host";
import { elastic, type Line, nameOfModel, sentTokens, span, type TurnPlace } from "@holdfast/agent/shown";
import { type ListedTask, listTasks } from "@holdfast/core/conversation";
import { counted, defined, escapeForPeople } from "@holdfast/core/text";

/** What a person wants to know at any time; what nobody knows is absent. */
export interface StatusFacts {
  readonly model: string;
  readonly effort?: string;
  readonly mode: string;
  /** The task that is open, or the label of the branch. */
  readonly task?: string;
  /** How much of the window the prompt fills, from 0 to 1. */
  readonly contextShare?: number;
  /** How much of what was sent in this run came from the provider's cache. */
  readonly cacheShare?: number;
  readonly costUsd?: number;
  /** Files that the model read and that have changed since. */
  readonly staleFiles?: number;
  /** What is waited for, and what failed: MCP servers and hooks, such as `docs: connecting…`. */
  readonly servers?: readonly string[];
  /** What the person's own command says in the place of the rest (`ui.statusLine`). */
  readonly own?: string;
  /** What a person can do now. */
  readonly help: string;
}

/** What the status line says of a run. */
export function statusFacts({ agent, manager: { context } }: CommandHost): StatusFacts {
  const { model, mode, effort } = agent;
  const { window } = model;
  const { input, cached } = sentTokens(context);
  return {
    model: nameOfModel(model),
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
export async function staleFiles({ agent, manager, workspace }: CommandHost): Promise<number> {
  const { context, manifests } = manager;
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

/** The state of things in one line. */
export function statusLine(facts: StatusFacts): Line {
  const {
    model,
    effort,
    mode,
    task,
    contextShare,
    cacheShare,
    costUsd,
    staleFiles = 0,
    servers = [],
    own,
    help,
  } = facts;
  const parts = [
    effort === undefined ? mode : `${effort} · ${mode}`,
    ...(task === undefined ? [] : [task]),
    ...(contextShare === undefined ? [] : [`context ${percent(contextShare)}`]),
    ...(cacheShare === undefined ? [] : [`cached ${percent(cacheShare)}`]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [`$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`]),
  ];
  const stale = staleFiles === 0 ? [] : [span(` · ${counted(staleFiles, "read file")} changed`, "note")];
  return [
    ...(own === undefined
      ? [elastic(model, "faint"), span(` · ${parts.join(" · ")}`, "faint")]
      : [elastic(own, "faint")]),
    ...stale,
    ...servers.map((words) => span(` · ${words}`, "note")),
    span(` · ${help}`, "faint"),
  ];
}

/** A run that is shown: what its commands work on, and the commands of the model with what each has printed. */
export interface ShownRun {
  readonly host: CommandHost;
  readonly commands: Pick<Commands, "inBackground" | "textOf">;
  /** How the MCP servers stand. */
  readonly servers: () => ServerStates;
  /** What else a turn waits for now: hooks that take long. */
  readonly waitsFor: () => readonly string[];
}

/** How MCP servers stand. */
export type ServerStates = ReturnType<NonNullable<TurnPlace["resources"]["states"]>>;

/** What is said of the servers that are not ready, and whether one of them is still waited for. */
export function serverWords(states: ServerStates): {
  readonly words: readonly string[];
  readonly isWaiting: boolean;
} {
  const shown = states.flatMap(({ name, kind }) => {
    const word = kind === "idle" ? "connecting…" : kind === "failed" ? "failed" : undefined;
    return word === undefined ? [] : [`${escapeForPeople(name)}: ${word}`];
  });
  return { words: shown, isWaiting: states.some(({ kind }) => kind === "idle") };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
