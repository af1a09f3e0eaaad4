import type { CallKnowledge, ShownLines } from "@holdfast/core/files/seen";
import type { OutcomeCode } from "@holdfast/core/files/values";
import {
  carriesContent,
  inWords,
  isRefusal,
  type ReadRefusal,
  type ReadState,
  type Refusal,
  type Vocabulary,
  type WriteRefusal,
} from "@holdfast/core/files/values";
import type { ServedWorkspace } from "@holdfast/mcp";
import { type AnswerRoom, fitLines } from "./fit.js";

/** One call of a tool. */
export interface CompatCall {
  readonly workspace: ServedWorkspace;
  /** What this run of the server has shown stands in for the hash that the tools have no argument for. */
  readonly knowledge: CallKnowledge;
  /** How the offered tools and their arguments are called. */
  readonly words: Vocabulary;
  /** How much the answer may hold. */
  readonly room: AnswerRoom;
}

/** The words of the official server's tools; without the writing ones where nothing may be changed. */
export function compatWords(readOnly: boolean): Vocabulary {
  const reading = { read: "read_text_file", window: "head or tail" };
  if (readOnly) return reading;
  return { ...reading, write: "write_file", edit: "edit_file", oldString: "oldText", newString: "newText" };
}

/** A text for the client, or why there is none; a failure is an error to clients of the official server. */
export type CompatAnswer = TextAnswer | MediaAnswer | FailedAnswer;

/** An answer of words. */
interface TextAnswer {
  readonly kind: "text";
  readonly text: string;
  /** The lines of files that the text shows. */
  readonly shown: readonly ShownLines[];
}

/** An answer of bytes that a model can see or hear. */
interface MediaAnswer {
  readonly kind: "media";
  readonly item: MediaItem;
  /** What is said beside it; nothing unless given. */
  readonly notes?: readonly { readonly type: "text"; readonly text: string }[];
}

/** A refusal, as the official server words one. */
interface FailedAnswer {
  readonly kind: "failed";
  readonly code?: OutcomeCode;
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
export function fail({ words }: Pick<CompatCall, "words">, refusal: Refusal): FailedAnswer {
  const { code } = refusal;
  return { kind: "failed", code, text: `FAILED (${code}): ${inWords(refusal, words)}`, shown: [] };
}

/** What an answer shows of files; an image is no licence to write. */
export function shownIn(answer: CompatAnswer): readonly ShownLines[] {
  return answer.kind === "media" ? [] : answer.shown;
}

/** Reads a text of which the client is shown all. */
export async function readWhole({ workspace, knowledge }: CompatCall, path: string): Promise<WholeFile> {
  const outcome = await workspace.run({ kind: "read", path }, { knowledge, isSilent: true });
  return isRefusal(outcome) ? outcome : { kind: "whole", state: outcome.state };
}

/** A read of a whole file, or why there is none. */
type WholeFile = { readonly kind: "whole"; readonly state: ReadState } | ReadRefusal;

/**
 * A refused write. Where the client does not know the file as it is, its present text comes with the answer,
 * which then counts as a read of it.
 */
export function failWrite(call: CompatCall, outcome: WriteRefusal): FailedAnswer {
  const failed = fail(call, outcome);
  const { state, code } = outcome;
  const content = state?.content ?? null;
  if (state === null || content === null || !showsFile(code) || content.length > mostShown) return failed;
  const lead = `${failed.text}\n\nThe file now holds:\n`;
  return { kind: "failed", ...fitLines(lead, { state, content }, call) };
}

function showsFile(code: OutcomeCode): boolean {
  return carriesContent(code) || code === "not_read" || code === "unseen_lines";
}

const mostShown = 256 * 1024;
