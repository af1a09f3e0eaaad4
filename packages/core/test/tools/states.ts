import type { FileState, ReadOutcome, ReadState, TextFacts, WriteOutcome } from "../../src/files/index.js";
import { countLines, describeEndings, splitLines } from "../../src/text/index.js";
import type { ToolWorkspace } from "../../src/tools/index.js";

/** States and workspaces as data, for the tests of what is told about them. */
export const someHash = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9";

export function factsOf(content: string, unusual: Partial<TextFacts> = {}): TextFacts {
  return {
    encoding: "utf-8",
    bom: false,
    guessed: false,
    endings: describeEndings(splitLines(content)),
    totalLines: countLines(content),
    finalNewline: /[\n\r]$/.test(content),
    totalBytes: new TextEncoder().encode(content).length,
    ...unusual,
  };
}

export function stateOf(content: string, more: Partial<ReadState> = {}): ReadState {
  return { path: "src/a.ts", version: 3, sha256: someHash, content, facts: factsOf(content), ...more };
}

export const missingState: FileState = { path: "gone.ts", version: 4, sha256: null, content: null };

export function readOf(content: string, more: Partial<ReadState> = {}): ReadOutcome {
  return { kind: "read", state: stateOf(content, more) };
}

export function writeOf(more: Partial<WriteOutcome>): WriteOutcome {
  return {
    kind: "write",
    success: true,
    code: "applied",
    message: "Patch applied successfully.",
    state: stateOf("one\ntwo\n"),
    shownBefore: false,
    ...more,
  };
}

/** A workspace that answers as told and fails loudly where nothing was told. */
export function scripted(answers: Partial<ToolWorkspace>): ToolWorkspace {
  const unexpected = (name: string) => () => Promise.reject(new Error(`unexpected call of ${name}`));
  return {
    read: unexpected("read"),
    readMany: unexpected("readMany"),
    list: unexpected("list"),
    find: unexpected("find"),
    search: unexpected("search"),
    patch: unexpected("patch"),
    write: unexpected("write"),
    edit: unexpected("edit"),
    append: unexpected("append"),
    prepend: unexpected("prepend"),
    insertLines: unexpected("insertLines"),
    updateSection: unexpected("updateSection"),
    replace: unexpected("replace"),
    applyEdit: unexpected("applyEdit"),
    applyChanges: unexpected("applyChanges"),
    undo: unexpected("undo"),
    ...answers,
  };
}
