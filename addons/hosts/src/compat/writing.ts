import type { PreviewOutcome } from "@holdfast/core/files";
import type { ShownLines } from "@holdfast/core/files/seen";
import {
  type ChangeOutcome,
  displacedNoteOf,
  type FileState,
  isRefusal,
  shownBase,
  type WriteOutcome,
} from "@holdfast/core/files/values";
import { describeShownInTurns } from "@holdfast/core/patch";
import { escapeForPeople } from "@holdfast/core/text";
import type { CompatArguments } from "./arguments.js";
import type { AnswerRoom } from "./fit.js";
import { answerText, type CompatAnswer, type CompatCall, fail, failWrite } from "./session.js";

/** Creates a file, or overwrites one of whose present state this run has shown every line. */
export async function writeFile(
  call: CompatCall,
  { path, content }: CompatArguments<"write_file">,
): Promise<CompatAnswer> {
  const { workspace, knowledge } = call;
  const request = { kind: "write", path, content, tool: "write_file", hashless: true } as const;
  const outcome = await workspace.run(request, { knowledge });
  return isRefusal(outcome)
    ? failWrite(call, outcome)
    : answerText(withNote(`Successfully wrote to ${escapeForPeople(path)}`, outcome));
}

/**
 * Replaces exact texts, each of which stands in the file once. The edit is held against the state that was
 * shown last; where none was shown, the old texts are all that the client claims to know.
 */
export async function editFile(
  call: CompatCall,
  { path, edits, dryRun }: CompatArguments<"edit_file">,
): Promise<CompatAnswer> {
  const { workspace, knowledge } = call;
  const wanted = edits.map(({ oldText, newText }) => ({ oldString: oldText, newString: newText }));
  const request = { kind: "edit", path, edits: wanted, tool: "edit_file", base: shownBase } as const;
  return dryRun === true
    ? answerPreview(call, path, await workspace.preview(request, { knowledge }))
    : answerEdited(call, path, await workspace.run(request, { knowledge }));
}

async function answerPreview(call: CompatCall, path: string, outcome: PreviewOutcome): Promise<CompatAnswer> {
  switch (outcome.kind) {
    case "preview": {
      const [file] = outcome.files;
      if (file?.isUnshown === true) return answerText(outcome.message + unshown);
      const texts = { before: file?.before ?? "", after: file?.after ?? "" };
      return answerText((await diffOf(path, texts, call.room)).text);
    }
    case "unchanged":
      return answerText((await diffOf(path, { before: "", after: "" }, call.room)).text);
    case "change_set":
      throw new Error("the preview of an edit is of a change set");
    case "refusal":
      // What a preview shows is no licence: nothing was read.
      return fail(call, outcome);
    default:
      return outcome satisfies never;
  }
}

async function answerEdited(call: CompatCall, path: string, outcome: WriteOutcome): Promise<CompatAnswer> {
  if (isRefusal(outcome)) return failWrite(call, outcome);
  const { state } = outcome;
  if (state.content === null) return answerText(outcome.message + unshown);
  const after = state.content;
  const before = outcome.kind === "written" ? outcome.change.beforeText : null;
  const { text, lines } = await diffOf(path, { before: before ?? after, after }, call.room);
  return answerText(withNote(text, outcome), linesOf(state, lines));
}

/** In the official server's words, and behind them what other programs wrote into replaced files. */
function withNote(text: string, outcome: ChangeOutcome): string {
  const note = displacedNoteOf(outcome, text).trim();
  return note === "" || text.endsWith("\n") ? text + note : `${text}\n${note}`;
}

/** Of a file that may hold secrets nothing is shown to who has not read it. */
const unshown =
  " What changed is not shown, since the file may hold secrets: read it to see its present state.";

function linesOf({ path, sha256, facts }: FileState, lines: ShownLines["lines"]): readonly ShownLines[] {
  if (sha256 === null || facts === undefined || lines.length === 0) return [];
  return [{ path, sha256, lines, total: facts.totalLines }];
}

/** As the official server shows it: a unified diff in a fence that is longer than any in the text. */
async function diffOf(
  path: string,
  { before, after }: { readonly before: string; readonly after: string },
  room: AnswerRoom,
): Promise<FencedDiff> {
  const name = escapeForPeople(path);
  const left = room.size - 2 * room.sizeOf(name) - framingChars;
  const fits = (text: string) => room.sizeOf(text) <= left;
  const options = { context: 4, maxLines: mostLines, fits };
  const { text, lines } = await describeShownInTurns(before, after, options, nextTurn);
  const fence = "`".repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return { text: `${fence}diff\n--- ${name}\toriginal\n+++ ${name}\tmodified\n${text}\n${fence}\n\n`, lines };
}

interface FencedDiff {
  readonly text: string;
  readonly lines: ShownLines["lines"];
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

const mostLines = 2_000;
/** For the fence and the words beside the path, which stands there twice. */
const framingChars = 100;

/** `move_file`: refused where something has the new name. */
export async function moveFile(
  call: CompatCall,
  { source, destination }: CompatArguments<"move_file">,
): Promise<CompatAnswer> {
  const { workspace, knowledge } = call;
  const content = { kind: "same" } as const;
  const change = { path: source, base: shownBase, renameTo: destination, content } as const;
  const request = { kind: "apply_changes", changes: [change], tool: "move_file" } as const;
  const set = await workspace.run(request, { knowledge });
  if (!isRefusal(set))
    return answerText(
      withNote(`Successfully moved ${escapeForPeople(source)} to ${escapeForPeople(destination)}`, set),
    );
  const refusals = set.files.flatMap(({ outcome }) => (isRefusal(outcome) ? [outcome] : []));
  const failed = fail(call, refusals.find(({ code }) => code !== "not_applied") ?? refusals[0] ?? set);
  return { ...failed, text: withNote(failed.text, set) };
}

/** `create_directory`: with the folders above it; one that exists is fine. */
export async function createDirectory(
  call: CompatCall,
  { path }: CompatArguments<"create_directory">,
): Promise<CompatAnswer> {
  const outcome = await call.workspace.makeFolder({ path });
  return isRefusal(outcome)
    ? fail(call, outcome)
    : answerText(`Successfully created directory ${escapeForPeople(path)}`);
}
