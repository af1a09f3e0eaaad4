import { rebasedWords } from "@holdfast/core/files";
import { isKnownWhole } from "@holdfast/core/files/seen";
import type { OnMismatch } from "@holdfast/core/files/values";
import type { HostFact, HostMemory } from "@holdfast/core/node";
import { learnChanged, learnPrinted, noteBefore } from "./command.js";
import { type EarlierState, earlierState, keepText, mostShown } from "./earlier-state.js";
import { expectedFacts, factsOfMade, someOf, totalLines, wholeText } from "./expected-facts.js";
import { type GuardedFile, lookAt } from "./guarded-file.js";
import type { HookEvent, ToolCall } from "./hook-event.js";
import { decode } from "./host-text.js";
import { isCertainOn, isQuotedFrom } from "./moved-edit.js";

/** What a hook answers: nothing, or what the model is to know of a call that ran, or why one must not run. */
export type Verdict =
  | { readonly kind: "pass"; readonly said?: string }
  | { readonly kind: "deny"; readonly reason: string };

const pass: Verdict = { kind: "pass" };

/** What a session of a host goes by. */
interface Bounds {
  readonly memory: HostMemory;
  /** What an edit of a file that others changed gets: only under `rebase` may it run. */
  readonly onMismatch: OnMismatch;
}

/** Judges a call that is about to run, and learns from one that has run. */
export async function judge(event: HookEvent, bounds: Bounds): Promise<Verdict> {
  const { tool } = event;
  if (event.failed && tool.kind !== "command") return pass;
  switch (tool.kind) {
    case "other":
      return pass;
    case "command":
    case "search": {
      const before = event.moment === "before";
      if (before && tool.kind === "command") await noteBefore(event, bounds.memory);
      if (before) return pass;
      const said = tool.kind === "command" ? await learnChanged(event, bounds.memory) : "";
      await learnPrinted(event, tool.words, bounds.memory);
      return said === "" ? pass : { kind: "pass", said: `holdfast guard: ${said}` };
    }
    case "own":
      if (event.moment === "after") await learnFromOwn(event, tool.paths, bounds.memory);
      return pass;
    case "read":
    case "overwrite":
    case "edit":
      return event.moment === "before" ? before(event, tool, bounds) : after(event, tool, bounds.memory);
    default:
      return tool satisfies never;
  }
}

type FileCall = Extract<ToolCall, { kind: "read" | "overwrite" | "edit" }>;

async function before(event: HookEvent, tool: FileCall, { memory, onMismatch }: Bounds): Promise<Verdict> {
  const file = await lookAt(tool.path, event.cwd);
  if (typeof file === "string") {
    // What cannot be looked at now cannot be judged; a read harms nobody.
    return tool.kind === "read" ? pass : { kind: "deny", reason: `holdfast guard: ${file}.` };
  }
  const ruling = rulingOn(tool, file, memory);
  const earlier = ruling === "changed" ? earlierState(file, memory) : undefined;
  const rebased = onMismatch === "rebase" ? rebasedOn(tool, file, earlier) : undefined;
  if (ruling !== "allowed" && rebased === undefined) return deny(tool, file, ruling, earlier, memory);
  const facts = expectedFacts(tool, file);
  memory.remember({
    path: file.path,
    call: event.call,
    facts,
    ...(rebased === undefined ? {} : { rebased }),
  });
  return pass;
}

/**
 * An edit quotes what it replaces, which is enough where the session knows no other state of the file; who replaces all of
 * a file was shown every line of it.
 */
function rulingOn(tool: FileCall, file: GuardedFile, memory: HostMemory): "allowed" | "changed" | "unseen" {
  const { path, sha256 } = file;
  if (sha256 === null || tool.kind === "read") return "allowed";
  let known = memory.known(path);
  // Calls run side by side: one that has written was perhaps not heard of yet.
  const expected = known.find(path, sha256) === undefined ? memory.expected(path, sha256) : undefined;
  if (expected !== undefined) {
    memory.learn(path, expected);
    known = memory.known(path);
  }
  const now = known.find(path, sha256);
  const isSeen = now?.isSeen === true;
  const total = totalLines(file) ?? now?.total;
  const isWhole = isSeen && total !== undefined && isKnownWhole({ total, lines: now.lines });
  if (tool.kind === "edit" ? isSeen : isWhole) return "allowed";
  const states = [...known.states(path)];
  const text = states.length === 0 ? decode(file.bytes) : undefined;
  if (tool.kind === "edit" && text !== undefined && isQuotedFrom(text, tool.edits)) return "allowed";
  const others = states.filter((state) => known.find(path, state)?.isSeen === true);
  return !isSeen && others.length > 0 ? "changed" : "unseen";
}

/** What is said of an edit of an older state that is certain on the present one, once it has run. */
function rebasedOn(tool: FileCall, file: GuardedFile, earlier: EarlierState | undefined) {
  if (tool.kind !== "edit" || file.text === undefined || earlier?.difference === undefined) return undefined;
  if (!isCertainOn(earlier.text, file.text, tool.edits)) return undefined;
  const { difference, facts } = earlier;
  return { words: `${rebasedWords({ by: "any" })}\n${difference}`, facts };
}

/** What was expected is known where the file is in that state. */
async function after(event: HookEvent, tool: FileCall, memory: HostMemory): Promise<Verdict> {
  const file = await lookAt(tool.path, event.cwd);
  if (typeof file === "string" || file.sha256 === null) return pass;
  const { path, sha256 } = file;
  const note = memory.note(path, event.call);
  const met = note?.facts.filter((fact) => stateOf(fact) === sha256) ?? [];
  const rebased = met.length > 0 ? note?.rebased : undefined;
  const isUnread = tool.kind === "edit" && [...memory.known(path).states(path)].length === 0;
  const learned =
    met.length > 0 ? [...(rebased?.facts ?? []), ...met] : laterFacts(event, tool, file, memory);
  for (const fact of learned) memory.learn(path, fact);
  const words = rebased?.words ?? (isUnread ? rest(file, memory) : undefined);
  if (learned.length > 0 || words !== undefined) keepText(file, memory);
  return words === undefined ? pass : { kind: "pass", said: `holdfast guard: ${words}` };
}

/** Of a short file that was edited unread the model is shown the whole, so that it may replace all of it next. */
function rest(file: GuardedFile, memory: HostMemory): string | undefined {
  const { path, sha256, text } = file;
  if (sha256 === null || text === undefined || text.length > mostRest) return undefined;
  if (rulingOn({ kind: "overwrite", path, content: "" }, file, memory) === "allowed") return undefined;
  memory.learn(path, wholeText(sha256, text));
  return `This session had not read the file. ${presentWords(file, text)}`;
}

/** In UTF-16 units: nobody asked for it. */
const mostRest = 2_000;

function presentWords({ path, sha256 }: GuardedFile, text: string): string {
  const marker = markerFor(text);
  return `This is the file as it is now:\n${path}\nsha256 ${sha256}\n${marker}\n${text}${marker}`;
}

/** Where calls ran side by side, the state that this one was made on came about after it was looked at. */
function laterFacts(
  { made }: HookEvent,
  tool: FileCall,
  { path, sha256, text }: GuardedFile,
  memory: HostMemory,
): readonly HostFact[] {
  if (tool.kind !== "edit" || sha256 === null) return [];
  const known = memory.known(path);
  const told = made === undefined ? undefined : factsOfMade(made);
  if (told?.after === sha256 && known.find(path, told.before)?.isSeen === true) return [told, someOf(sha256)];
  for (const state of [...known.states(path)].slice(0, mostLater)) {
    const bytes = known.find(path, state)?.isSeen === true ? memory.kept(state) : undefined;
    if (bytes === undefined) continue;
    const met = expectedFacts(tool, { path, sha256: state, bytes, text });
    const fitting = met.filter((fact) => stateOf(fact) === sha256);
    if (fitting.length > 0) return fitting;
  }
  return [];
}

const mostLater = 4;

function stateOf(fact: HostFact): string | null {
  return fact.kind === "changed" ? fact.after : fact.sha256;
}

/** Our own tools name the hash of the state that they hand out: it is the one on disk, or it is not learned. */
async function learnFromOwn(event: HookEvent, paths: readonly string[], memory: HostMemory): Promise<void> {
  for (const path of paths) {
    const file = await lookAt(path, event.cwd);
    if (typeof file === "string" || file.sha256 === null || !event.answer.includes(file.sha256)) continue;
    const { sha256, text } = file;
    // An edit's answer has the hash of the whole and the text of a part.
    const whole = text !== undefined && event.answer.includes(text);
    memory.learn(file.path, whole ? wholeText(sha256, text) : someOf(sha256));
    keepText(file, memory);
  }
}

/** The refusal brings what the session lacks; that counts as a read, so that the next call can pass. */
function deny(
  tool: FileCall,
  file: GuardedFile,
  ruling: "changed" | "unseen",
  earlier: EarlierState | undefined,
  memory: HostMemory,
): Verdict {
  const { path, sha256, text } = file;
  const why =
    ruling === "changed"
      ? "State Mismatch: File has changed on disk since it was last read."
      : tool.kind === "overwrite"
        ? "Not read: this session has not seen the whole content of the file that would be overwritten."
        : "Not read: this session has not read the file.";
  const state = `${path}\nsha256 ${sha256}`;
  const denied = (then: string) => ({ kind: "deny", reason: `${why} Nothing was written. ${then}` }) as const;
  // Who replaces all of a file has to know all of it.
  const isEnough = earlier !== undefined && (tool.kind === "edit" || earlier.isWhole);
  if (isEnough && earlier.difference !== undefined) {
    for (const fact of earlier.facts) memory.learn(path, fact);
    keepText(file, memory);
    return denied(`Make the change again from the file as it is now.\n${earlier.difference}\n${state}`);
  }
  if (text === undefined || text.length > mostShown) {
    return denied(`Read the file, then make the change again.\n${state}`);
  }
  if (sha256 !== null) memory.learn(path, wholeText(sha256, text));
  keepText(file, memory);
  return denied(`Make the change again. ${presentWords(file, text)}`);
}

/** A line that does not occur in the text. */
function markerFor(text: string): string {
  let dashes = "-----";
  while (text.includes(dashes)) dashes += "-";
  return dashes;
}
