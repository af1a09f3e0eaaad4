import type { SessionStore, StoredConversation } from "@holdfast/core/conversation";
import { isRefusal, type Workspace } from "@holdfast/core/files";
import { type Candidates, type Completion, completeCommand } from "../../commands/complete.js";
import { completeMention, pathsBeginning } from "../../input/complete-mention.js";
import type { NamedResources } from "../../input/expand-input.js";
import type { WrittenPrompt } from "../../input/written-prompts.js";
import { modelCatalog } from "../../models/catalog.js";
import type { Completer } from "./typed-input.js";

/** What a person can name in a line. */
export interface NamedThings {
  readonly workspace: Workspace;
  /** What `@server:uri` names. */
  readonly resources: NamedResources;
  readonly conversation: Pick<StoredConversation, "manager" | "session">;
  readonly store: Pick<SessionStore, "list">;
  readonly written: { readonly prompts: readonly WrittenPrompt[] };
}

/** How long a person waits for names. */
const mostMs = 500;

/** What the end of a line may become: of a command its words and what it names, else the names behind `@`. */
export async function completeLine(line: string, run: NamedThings | undefined): ReturnType<Completer> {
  const { from, candidates } = await completion(line, run).catch(() => ({
    from: line.length,
    candidates: [],
  }));
  return [candidates, line.slice(from)];
}

async function completion(line: string, run: NamedThings | undefined): Promise<Completion> {
  const begun = completeCommand(line);
  if (run === undefined) return begun;
  const { workspace, resources } = run;
  const ports = { workspace, servers: resources.servers, signal: AbortSignal.timeout(mostMs) };
  if (!line.trimStart().startsWith("/")) return completeMention(line, ports);
  return completeCommand(line, await namedIn(line.slice(begun.from), run, ports));
}

/** What a command can name, by its last word. */
async function namedIn(
  word: string,
  { conversation, store, written }: NamedThings,
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
