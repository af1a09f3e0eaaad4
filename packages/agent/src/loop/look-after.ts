import { type ContextManager, escapeForDisplay, filesApart, type Workspace } from "@holdfast/core";
import type { LookAfter } from "../host/index.js";

/**
 * Looks at the files that the conversation knows of, once more: what a command has changed is told to the model in the
 * command's own result. Each of them is hashed.
 */
export function lookAfterOf(manager: ContextManager, workspace: Workspace): LookAfter {
  // What was told once and could not be recorded is not told again.
  const told = new Map<string, string | null>();
  return async () => {
    const apart = await filesApart(manager.context, workspace, manager.manifests);
    const found = apart.flatMap(({ path, expected, found: now }) =>
      now === undefined ? [] : [{ path, expected, now }],
    );
    const news = found.filter(({ path, now }) => told.get(path) !== now);
    for (const { path, now } of news) told.set(path, now);
    const files = news.map(
      ({ path, expected, now }) => ({ path, before: expected, after: now, by: "seen" }) as const,
    );
    if (news.length === 0) return { text: "", files };
    const shown = news
      .slice(0, mostShown)
      .map(({ path, now }) => `- ${escapeForDisplay(path)}: ${stateWords(now)}`);
    const more = news.length > mostShown ? [`- and ${news.length - mostShown} more`] : [];
    const head =
      "Files that you know have changed meanwhile; read what you need of them before you change them:";
    return { text: [head, ...shown, ...more].join("\n"), files };
  };
}

const mostShown = 50;

function stateWords(sha256: string | null): string {
  return sha256 === null ? "it is not there any more" : `another state, sha256 ${sha256.slice(0, 16)}…`;
}
