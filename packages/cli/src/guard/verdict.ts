import type { HostMemory } from "@holdfast/core/node";
import { expectedStates } from "./expected-states.js";
import { type GuardedFile, lookAt } from "./guarded-file.js";
import type { HookEvent, ToolCall } from "./hook-event.js";

/** What a hook answers: nothing, or why the call must not run. */
export type Verdict = { readonly kind: "pass" } | { readonly kind: "deny"; readonly reason: string };

const pass: Verdict = { kind: "pass" };

/** Judges a call that is about to run, and learns from one that has run. */
export async function judge(event: HookEvent, memory: HostMemory): Promise<Verdict> {
  if (event.failed) return pass;
  const { tool } = event;
  switch (tool.kind) {
    case "other":
      return pass;
    case "own":
      if (event.moment === "after") await learnFromOwn(event, tool.paths, memory);
      return pass;
    case "read":
    case "overwrite":
    case "edit":
      return event.moment === "before" ? before(event, tool, memory) : after(event, tool, memory);
    default:
      return tool satisfies never;
  }
}

type FileCall = Extract<ToolCall, { kind: "read" | "overwrite" | "edit" }>;

async function before(event: HookEvent, tool: FileCall, memory: HostMemory): Promise<Verdict> {
  const file = await lookAt(tool.path, event.cwd);
  if (typeof file === "string") {
    // What cannot be looked at now cannot be judged; a read harms nobody.
    return tool.kind === "read" ? pass : { kind: "deny", reason: `holdfast guard: ${file}.` };
  }
  const known = memory.seen(file.path);
  const now = known.filter(({ sha256 }) => sha256 === file.sha256);
  const whole = now.some((state) => state.whole);
  const wholeAfter =
    tool.kind === "overwrite" || (tool.kind === "read" ? !tool.part && fitsOneRead(file) : whole);
  const { path, sha256 } = file;
  const note = { path, call: event.call, before: sha256, wholeAfter };
  const allowed = sha256 === null || tool.kind === "read" || (tool.kind === "edit" ? now.length > 0 : whole);
  if (!allowed) return deny(tool, file, known.length > 0 && now.length === 0, memory);
  memory.remember({ ...note, expected: expectedStates(tool, file.bytes) });
  return pass;
}

/** A read showed the state that stood there before and after it; a write left what it was asked for. */
async function after(event: HookEvent, tool: FileCall, memory: HostMemory): Promise<Verdict> {
  const file = await lookAt(tool.path, event.cwd);
  if (typeof file === "string" || file.sha256 === null) return pass;
  const note = memory.note(file.path, event.call);
  if (note === undefined) return pass;
  const shown = tool.kind === "read" ? note.before === file.sha256 : note.expected.includes(file.sha256);
  if (shown) memory.learn({ path: file.path, sha256: file.sha256, whole: note.wholeAfter });
  return pass;
}

/** Our own tools name the hash of the state that they hand out: it is the one on disk, or it is not learned. */
async function learnFromOwn(event: HookEvent, paths: readonly string[], memory: HostMemory): Promise<void> {
  for (const path of paths) {
    const file = await lookAt(path, event.cwd);
    if (typeof file === "string" || file.sha256 === null || !event.answer.includes(file.sha256)) continue;
    // An edit's answer has the hash of the whole and the text of a part.
    const whole = file.text !== undefined && event.answer.includes(file.text);
    memory.learn({ path: file.path, sha256: file.sha256, whole });
  }
}

/** Hosts cut longer files and lines without asking. */
function fitsOneRead({ text }: GuardedFile): boolean {
  if (text === undefined) return false;
  const lines = text.split("\n");
  return lines.length <= 2_000 && lines.every((line) => line.length <= 2_000);
}

/** The refusal brings the file as it is now; that counts as a read, so that the next call can pass. */
function deny(tool: FileCall, file: GuardedFile, changed: boolean, memory: HostMemory): Verdict {
  const { path, sha256, text } = file;
  const why = changed
    ? "State Mismatch: File has changed on disk since it was last read."
    : tool.kind === "overwrite"
      ? "Not read: this session has not seen the whole content of the file that would be overwritten."
      : "Not read: this session has not read the file.";
  const state = `${path}\nsha256 ${sha256}`;
  if (text === undefined || text.length > mostShown) {
    return {
      kind: "deny",
      reason: `${why} Nothing was written. Read the file, then make the change again.\n${state}`,
    };
  }
  if (sha256 !== null) memory.learn({ path, sha256, whole: true });
  const marker = markerFor(text);
  return {
    kind: "deny",
    reason: `${why} Nothing was written. This is the file as it is now; make the change again from it.\n${state}\n${marker}\n${text}${marker}`,
  };
}

const mostShown = 24_000;

/** A line that does not occur in the text. */
function markerFor(text: string): string {
  let dashes = "-----";
  while (text.includes(dashes)) dashes += "-";
  return dashes;
}
