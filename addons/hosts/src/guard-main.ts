import type { OnMismatch } from "@holdfast/core/files/values";
import { answerToHook } from "./guard/answer-to-hook.js";

/** Where the memory of the hook is kept, and what an edit gets where others changed the file. */
export interface GuardOptions {
  /** It guards nothing: it only lets edits of our tools pass where the person accepts edits. */
  readonly acceptEdits?: boolean | undefined;
  readonly stateDir?: string | undefined;
  readonly onMismatch?: OnMismatch | undefined;
}

/**
 * `holdfast guard`: a hook of Claude Code or Gemini CLI, a bundle of its own, since a host starts it before and after
 * each call of a tool. It prints nothing where a call may run. Where it cannot judge it denies: a hook that fails in
 * another way would let the call pass. The one that accepts edits never denies: where it fails, the host asks.
 *
 * @returns the exit code.
 */
export async function runGuard(options: GuardOptions): Promise<number> {
  try {
    const answer = await answerToHook(await readEvent(), options);
    if (answer !== "") await written(`${answer}\n`);
    return 0;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`holdfast guard: the call cannot be judged: ${why}\n`);
    return options.acceptEdits === true ? 1 : blocked;
  }
}

async function readEvent(): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  // A cast: a stream without an encoding gives buffers, which its type does not say.
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > mostBytes) throw new Error(`The input is larger than ${mostBytes} bytes.`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    throw new Error("The input is not UTF-8.");
  }
}

function written(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

/** A host sends what its call says, and what a file of text held. It is held in memory several times. */
const mostBytes = 32 * 1024 * 1024;

/** The exit code that both hosts take for "this call must not run". */
const blocked = 2;
