import {
  allOf,
  type CallKnowledge,
  carriesContent,
  isRefusal,
  type OutcomeCode,
  type ReadRefusal,
  type ReadState,
  type Refusal,
  type ShownLines,
  type Workspace,
  type WriteRefusal,
} from "@holdfast/core";

/** What the official server's tools need of a workspace. */
export type FilesystemWorkspace = Pick<
  Workspace,
  "roots" | "run" | "begin" | "preview" | "list" | "makeFolder" | "info" | "readBytes"
>;

/** One call of a tool. */
export interface CompatCall {
  readonly workspace: FilesystemWorkspace;
  /** What this run of the server has shown stands in for the hash that the tools have no argument for. */
  readonly knowledge: CallKnowledge;
}

/** A text for the client, or why there is none; a failure is an error to clients of the official server. */
export type CompatAnswer = TextAnswer | MediaAnswer | FailedAnswer;

/** An answer of words. */
export interface TextAnswer {
  readonly kind: "text";
  readonly text: string;
  /** The lines of files that the text shows. */
  readonly shown: readonly ShownLines[];
}

/** An answer of bytes that a model can see or hear. */
export interface MediaAnswer {
  readonly kind: "media";
  readonly item: MediaItem;
}

/** A refusal, as the official server words one. */
export interface FailedAnswer {
  readonly kind: "failed";
  readonly text: string;
  readonly shown: readonly ShownLines[];
}

/** One medium of an answer; `data` is base64. */
export type MediaItem =
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    };

/** An answer of one text. */
export function answerText(text: string, shown: readonly ShownLines[] = []): TextAnswer {
  return { kind: "text", text, shown };
}

/** The answer for a refusal of the workspace. */
export function fail({ code, message }: Refusal): FailedAnswer {
  return { kind: "failed", text: `FAILED (${code}): ${message}`, shown: [] };
}

/** What an answer shows of files; an image is no licence to write. */
export function shownIn(answer: CompatAnswer): readonly ShownLines[] {
  return answer.kind === "media" ? [] : answer.shown;
}

/** Reads a text of which the client is shown all. */
export async function readWhole({ workspace, knowledge }: CompatCall, path: string): Promise<WholeFile> {
  const outcome = await workspace.run({ kind: "read", path }, { knowledge });
  return isRefusal(outcome) ? outcome : { kind: "whole", state: outcome.state };
}

/** A read of a whole file, or why there is none. */
export type WholeFile = { readonly kind: "whole"; readonly state: ReadState } | ReadRefusal;

/**
 * A refused write. Where the client does not know the file as it is, its present text comes with the answer,
 * which then counts as a read of it.
 */
export function failWrite(outcome: WriteRefusal): FailedAnswer {
  const failed = fail(outcome);
  const { state, code } = outcome;
  const content = state?.content ?? null;
  if (state === null || content === null || !showsFile(code) || content.length > mostShown) return failed;
  return {
    kind: "failed",
    text: `${failed.text}\n\nThe file now holds:\n${content}`,
    shown: allOf(state),
  };
}

function showsFile(code: OutcomeCode): boolean {
  return carriesContent(code) || code === "not_read" || code === "unseen_lines";
}

const mostShown = 256 * 1024;
