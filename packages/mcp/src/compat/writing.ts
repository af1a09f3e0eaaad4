import {
  applyEdits,
  carriesContent,
  currentBase,
  describeChange,
  type ExactEdit,
  isRefusal,
  type WriteOutcome,
} from "@holdfast/core";
import type { CompatArguments } from "./arguments.js";
import { type CompatAnswer, type CompatSession, fail, failWrite, say } from "./session.js";

/**
 * Creates a file, or overwrites one whose present state this run has shown in full. What the tool has no
 * argument for, the base hash, is the state that was shown last.
 */
export function writeFile(
  session: CompatSession,
  { path, content }: CompatArguments<"write_file">,
): Promise<CompatAnswer> {
  const { workspace, known } = session;
  return known.inTurn(path, async () => {
    const state = known.get(path);
    const base = state?.whole === true ? { base: state.sha256 } : {};
    const outcome = await workspace.write({ path, content, tool: "write_file", ...base });
    if (!outcome.success) return failWrite(session, path, outcome, carriesContent(outcome.code));
    known.learn(path, outcome.state?.sha256 ?? null, true);
    return say(`Successfully wrote to ${path}`);
  });
}

/**
 * Replaces exact texts, each of which stands in the file once. The edit is held against the state that this
 * run has shown; where it has shown none, the old texts are all that the client claims to know.
 */
export function editFile(
  session: CompatSession,
  { path, edits, dryRun }: CompatArguments<"edit_file">,
): Promise<CompatAnswer> {
  const wanted = edits.map(({ oldText, newText }) => ({ oldString: oldText, newString: newText }));
  if (dryRun === true) return previewEdits(session, path, wanted);
  const { workspace, known } = session;
  return known.inTurn(path, async () => {
    const state = known.get(path);
    const change = {
      path,
      base: state?.sha256 ?? currentBase,
      content: { kind: "edits", edits: wanted },
    } as const;
    const set = await workspace.applyChanges({ changes: [change], tool: "edit_file" });
    const outcome: WriteOutcome | undefined = set.files[0]?.outcome;
    if (outcome === undefined || !set.success) {
      const refused = outcome ?? { ...set, kind: "write", state: null, shownBefore: false };
      return failWrite(session, path, refused, carriesContent(refused.code));
    }
    known.learn(path, outcome.state?.sha256 ?? null, state?.whole === true);
    return say(
      showDiff(
        path,
        outcome.change?.beforeText ?? outcome.state?.content ?? "",
        outcome.state?.content ?? "",
      ),
    );
  });
}

async function previewEdits(
  { workspace }: CompatSession,
  path: string,
  edits: readonly ExactEdit[],
): Promise<CompatAnswer> {
  const read = await workspace.read({ path });
  if (isRefusal(read)) return fail(read);
  const edited = applyEdits(read.state.content, edits, { path });
  if (isRefusal(edited)) return fail(edited);
  return say(showDiff(path, read.state.content, edited.text));
}

/** As the official server shows it: a unified diff in a fence that is longer than any in the text. */
function showDiff(path: string, before: string, after: string): string {
  const diff = describeChange(before, after, { context: 4, maxLines: mostLines });
  const fence = "`".repeat(Math.max(3, ...(diff.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return `${fence}diff\n--- ${path}\toriginal\n+++ ${path}\tmodified\n${diff}\n${fence}\n\n`;
}

const mostLines = 2_000;

export async function moveFile(
  session: CompatSession,
  { source, destination }: CompatArguments<"move_file">,
): Promise<CompatAnswer> {
  const { workspace, known } = session;
  return known.inTurn(source, async () => {
    const state = known.get(source);
    const change = {
      path: source,
      base: state?.sha256 ?? currentBase,
      renameTo: destination,
      content: { kind: "same" },
    } as const;
    const set = await workspace.applyChanges({ changes: [change], tool: "move_file" });
    if (!set.success) {
      const refusals = set.files.filter(({ outcome }) => !outcome.success);
      const reason = refusals.find(({ outcome }) => outcome.code !== "not_applied") ?? refusals[0];
      const refused = reason?.outcome;
      return failWrite(
        session,
        source,
        refused ?? { ...set, kind: "write", state: null, shownBefore: false },
        false,
      );
    }
    known.learn(source, null, false);
    if (state !== undefined) known.learn(destination, state.sha256, state.whole);
    return say(`Successfully moved ${source} to ${destination}`);
  });
}

export async function createDirectory(
  { workspace }: CompatSession,
  { path }: CompatArguments<"create_directory">,
): Promise<CompatAnswer> {
  const outcome = await workspace.makeFolder({ path });
  return isRefusal(outcome) ? fail(outcome) : say(`Successfully created directory ${path}`);
}
