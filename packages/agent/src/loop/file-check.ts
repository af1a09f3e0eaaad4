import { type ContextManager, driftedFiles } from "@holdfast/core/conversation";
import { isSecret, type PreviewedFile, type PreviewOutcome, type Workspace } from "@holdfast/core/files";
import { describeChange } from "@holdfast/core/patch";
import { defined, escapeForDisplay } from "@holdfast/core/text";
import type { FileCheck } from "../host/shell-tool.js";

/**
 * Looks at the files that the conversation knows of, once more: what a command has changed is told to the model in the
 * command's own result. Each of them is hashed.
 */
export function fileCheckOf(manager: ContextManager, workspace: Workspace): FileCheck {
  // What was told once and could not be recorded is not told again.
  const toldAt = new WeakMap<ContextManager, Map<string, string | null>>();
  return async (_, at = manager) => {
    const told = toldAt.get(at) ?? new Map<string, string | null>();
    toldAt.set(at, told);
    const apart = await driftedFiles(at.context, workspace, at.manifests);
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
    const diffs = await shortDiffs(news, workspace);
    return { text: [head, ...shown, ...more, ...diffs].join("\n"), files };
  };
}

const mostShown = 50;

/** Lines of all differences of one command together: more is quicker read from the file. */
const mostDiffLines = 40;
/** A larger file is not compared for it. */
const mostChars = 200_000;

interface Change {
  readonly path: string;
  readonly expected: string | null;
  readonly now: string | null;
}

/** What was changed, set in so that no line of it passes for one of ours, where that is short, and the state before is kept; of what may hold secrets nothing. */
async function shortDiffs(news: readonly Change[], workspace: Workspace): Promise<readonly string[]> {
  const diffs: string[] = [];
  let room = mostDiffLines;
  for (const { path, expected, now } of news.slice(0, mostShown)) {
    if (room <= 0) break;
    if (expected === null || now === null || isSecret(path)) continue;
    const file = await wayBack(workspace, path, now, expected);
    if (file === undefined || "kind" in file || file.before === null || file.after === null) continue;
    if (file.before.length + file.after.length > mostChars) continue;
    const text = describeChange(file.after, file.before, { maxLines: mostDiffLines + 1 });
    const lines = text.split("\n").length;
    if (lines > room) continue;
    room -= lines;
    diffs.push(`${escapeForDisplay(path)}:`, ...text.split("\n").map((line) => `    ${line}`));
  }
  return diffs;
}

/**
 * What putting a file back to an earlier state comes to: its texts now and then come from one look, decoded as a read
 * decodes them. @param sha256 of the state then. @returns why that is not known; undefined where nothing is to be done.
 */
export async function wayBack(
  workspace: Pick<Workspace, "preview">,
  path: string,
  now: string | null,
  sha256: string | null,
  signal?: AbortSignal,
): Promise<PreviewedFile | Exclude<PreviewOutcome, { kind: "preview" }> | undefined> {
  const change = { path, content: { kind: "state", from: now, sha256 } } as const;
  const back = await workspace.preview({ kind: "apply_changes", changes: [change] }, defined({ signal }));
  return back.kind === "preview" ? back.files[0] : back;
}

function stateWords(sha256: string | null): string {
  return sha256 === null ? "it is not there any more" : `another state, sha256 ${sha256.slice(0, 16)}…`;
}
