import { isRefusal, type Refusal, refuse, type Workspace, type WriteOutcome } from "@holdfast/core";
import { KnownStates } from "./known-states.js";

/** What the official server's tools need of a workspace. */
export type FilesystemWorkspace = Pick<
  Workspace,
  "roots" | "read" | "list" | "write" | "applyChanges" | "makeFolder" | "info" | "readBytes"
>;

/** What the tools share during one run of the server. */
export interface CompatSession {
  readonly workspace: FilesystemWorkspace;
  readonly known: KnownStates;
}

export function openSession(workspace: FilesystemWorkspace): CompatSession {
  return { workspace, known: new KnownStates(workspace.roots) };
}

/** A text for the client, or why there is none; a failure is an error to clients of the official server. */
export type CompatAnswer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "media"; readonly item: MediaItem }
  | FailedAnswer;

export interface FailedAnswer {
  readonly kind: "failed";
  readonly text: string;
}

export type MediaItem =
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    };

export function say(text: string): CompatAnswer {
  return { kind: "text", text };
}

export function fail({ code, message }: Refusal): FailedAnswer {
  return { kind: "failed", text: `FAILED (${code}): ${message}` };
}

/** Reads a text of which the client is shown all, and notes that. */
export async function readWhole(
  { workspace, known }: CompatSession,
  path: string,
): Promise<{ readonly kind: "whole"; readonly content: string } | Refusal> {
  const outcome = await workspace.read({ path });
  if (isRefusal(outcome)) {
    if (outcome.code === "file_missing") known.learn(path, null, false);
    return outcome;
  }
  known.learn(path, outcome.state.sha256, true);
  return { kind: "whole", content: outcome.state.content };
}

/**
 * A refused write. Where the file is other than the client knows, its present text comes with the answer,
 * which then counts as a read of it.
 */
export function failWrite(
  session: CompatSession,
  path: string,
  outcome: WriteOutcome,
  showsState: boolean,
): CompatAnswer {
  const refusal = refuse(refusalCode(outcome), outcome.message);
  // What is gone can be written anew: the tools have no argument to say that it is known to be gone.
  if (refusal.code === "file_missing") session.known.learn(path, null, false);
  const { state } = outcome;
  if (!showsState || state === null || state.content === null || state.content.length > mostShown)
    return fail(refusal);
  session.known.learn(path, state.sha256, true);
  const { text } = fail(refusal);
  return { kind: "failed", text: `${text}\n\nThe file now holds:\n${state.content}` };
}

const mostShown = 256 * 1024;

function refusalCode({ code }: WriteOutcome): Refusal["code"] {
  switch (code) {
    case "ok":
    case "applied":
    case "already_applied":
    case "no_change":
      throw new Error(`a failed write cannot be ${code}`);
    default:
      return code;
  }
}
