import {
  type Candidates,
  type Completion,
  completeCommand,
  completeMention,
  modelCatalog,
  pathsBeginning,
} from "@holdfast/agent";
import { isRefusal } from "@holdfast/core/files";
import type { OpenedRun } from "./open-run.js";

/** How long a person waits for names. */
const mostMs = 500;

/** What the end of a line may become: of a command its words and what it names, else the names behind `@`. */
export async function completeLine(line: string, run: OpenedRun | undefined): Promise<Completion> {
  const begun = completeCommand(line);
  if (run === undefined) return begun;
  const { workspace, resources } = run;
  const ports = { workspace, servers: resources.servers, signal: AbortSignal.timeout(mostMs) };
  if (!line.trimStart().startsWith("/")) return completeMention(line, ports);
  return completeCommand(line, await namedIn(line.slice(begun.from), run, ports));
}

/** No names. */
export function nothingAt(line: string): Completion {
  return { from: line.length, candidates: [] };
}

/** What a command can name, by its last word. */
async function namedIn(
  word: string,
  { conversation, store, written }: OpenedRun,
  ports: Parameters<typeof pathsBeginning>[1],
): Promise<Candidates> {
  const { context } = conversation.manager;
  const [paths, listed] = await Promise.all([pathsBeginning(word, ports), store.list()]);
  const sessions = isRefusal(listed) ? [] : listed.map(({ id }) => id);
  const among = (names: readonly string[]) => (start: string) =>
    names.filter((name) => name.startsWith(start));
  return {
    path: () => paths,
    task: among([...context.tasks.keys()]),
    node: among([...context.nodes.keys()]),
    session: among(sessions),
    command: among(written.prompts.map(({ name }) => name)),
    model: among([...modelCatalog.keys()]),
  };
}
