import { type HostMemory, isKnownWhole } from "@holdfast/core/node";
import { expectedFacts, totalLines, wholeText } from "./expected-facts.js";
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
  const ruling = rulingOn(tool, file, memory);
  if (ruling !== "allowed") return deny(tool, file, ruling === "changed", memory);
  memory.remember({ path: file.path, call: event.call, facts: expectedFacts(tool, file) });
  return pass;
}

/** An edit quotes what it replaces; who replaces all of a file was shown every line of it. */
function rulingOn(tool: FileCall, file: GuardedFile, memory: HostMemory): "allowed" | "changed" | "unseen" {
  const { path, sha256 } = file;
  if (sha256 === null || tool.kind === "read") return "allowed";
  const known = memory.known(path);
  const now = known.find(path, sha256);
  const isSeen = now?.isSeen === true;
  const total = totalLines(file) ?? now?.total;
  const isWhole = isSeen && total !== undefined && isKnownWhole({ total, lines: now.lines });
  if (tool.kind === "edit" ? isSeen : isWhole) return "allowed";
  const others = [...known.states(path)].filter((state) => known.find(path, state)?.isSeen === true);
  return !isSeen && others.length > 0 ? "changed" : "unseen";
}

/** What was expected is known where the file is in that state. */
async function after(event: HookEvent, tool: FileCall, memory: HostMemory): Promise<Verdict> {
  const file = await lookAt(tool.path, event.cwd);
  if (typeof file === "string" || file.sha256 === null) return pass;
  for (const fact of memory.note(file.path, event.call)?.facts ?? []) {
    const state = fact.kind === "changed" ? fact.after : fact.sha256;
    if (state === file.sha256) memory.learn(file.path, fact);
  }
  return pass;
}

/** Our own tools name the hash of the state that they hand out: it is the one on disk, or it is not learned. */
async function learnFromOwn(event: HookEvent, paths: readonly string[], memory: HostMemory): Promise<void> {
  for (const path of paths) {
    const file = await lookAt(path, event.cwd);
    if (typeof file === "string" || file.sha256 === null || !event.answer.includes(file.sha256)) continue;
    const { sha256, text } = file;
    // An edit's answer has the hash of the whole and the text of a part.
    const whole = text !== undefined && event.answer.includes(text);
    const fact = whole
      ? wholeText(sha256, text)
      : ({ kind: "shown", sha256, lines: [], someText: true } as const);
    memory.learn(file.path, fact);
  }
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
  if (sha256 !== null) memory.learn(path, wholeText(sha256, text));
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
