import { resolve } from "node:path";
import { joinSpans } from "@holdfast/core/files/seen";
import type { HostMemory } from "@holdfast/core/node";
import { splitLines } from "@holdfast/core/text";
import { earlierState, keepText } from "./earlier-state.js";
import { someOf } from "./expected-facts.js";
import { type GuardedFile, lookAt } from "./guarded-file.js";
import type { HookEvent } from "./hook-event.js";
import { countLines } from "./host-text.js";

/** Before a command that may change any file: notes which files of the session somebody else has changed already. */
export async function noteBefore({ cwd, call: id }: HookEvent, memory: HostMemory): Promise<void> {
  const call = commandOf(id);
  for (const path of memory.paths().slice(0, mostFiles)) {
    const file = await lookAt(path, cwd);
    const isOthers = typeof file === "string" || !isSeenNow(file, memory);
    if (isOthers !== isNotedAsOthers(path, call, memory))
      memory.remember({ path, call, facts: isOthers ? [] : [{ kind: "shown", sha256: "", lines: [] }] });
  }
  memory.remember({ path: "", call, facts: [] });
}

/** Not the id of a call alone: a host without ids gives none to other calls about a path, too. */
const commandOf = (call: string) => `command ${call}`;

function isNotedAsOthers(path: string, call: string, memory: HostMemory): boolean {
  return memory.note(path, call)?.facts.length === 0;
}

/**
 * What a command made of a known state is the session's own. Somebody else may have written meanwhile, so the model is
 * told what changed; lines that it was not told of are not seen, and no whole write goes over them.
 *
 * @returns what the model is told.
 */
export async function learnChanged({ cwd, call: id }: HookEvent, memory: HostMemory): Promise<string> {
  const call = commandOf(id);
  if (memory.note("", call) === undefined) return "";
  const told: string[] = [];
  for (const path of memory.paths().slice(0, mostFiles)) {
    const file = await lookAt(path, cwd);
    if (
      isNotedAsOthers(path, call, memory) ||
      typeof file === "string" ||
      file.sha256 === null ||
      isSeenNow(file, memory)
    )
      continue;
    const [before] = memory.known(path).states(path);
    const earlier = earlierState(file, memory);
    const [changed, shown] = earlier?.facts ?? [];
    const words = shown === undefined ? undefined : earlier?.difference;
    const isTold = words !== undefined && told.join("\n").length + words.length < mostTold;
    memory.learn(
      path,
      changed ?? { kind: "changed", before: before ?? null, after: file.sha256, version: 0 },
    );
    memory.learn(path, isTold && shown !== undefined ? shown : someOf(file.sha256));
    told.push(
      isTold ? `${path}\n${words}` : `${path}: not shown here; read it before you write the whole of it.`,
    );
    keepText(file, memory);
  }
  return told.length === 0 ? "" : `These files changed while the command ran:\n${told.join("\n")}`;
}

function isSeenNow({ path, sha256 }: GuardedFile, memory: HostMemory): boolean {
  return sha256 !== null && memory.known(path).find(path, sha256)?.isSeen === true;
}

/** Whole lines of files that stand in the answer of a command or a search: `cat`, `sed -n`, `grep`. */
export async function learnPrinted(
  { cwd, answer }: HookEvent,
  words: readonly string[],
  memory: HostMemory,
): Promise<void> {
  const printed = linesByFile(answer);
  const named = new Set(words);
  for (const path of [...new Set([...words, ...printed.keys()])].slice(0, mostNames)) {
    const file = path === "" ? "none" : await lookAt(resolve(cwd, path), cwd);
    if (typeof file === "string" || file.sha256 === null || file.text === undefined) continue;
    const { contents } = splitLines(file.text);
    const shown = [printed.get(path), named.has(path) ? printed.get("") : undefined];
    const isShown = (line: string) => shown.some((one) => one?.has(line) === true);
    const lines = contents.flatMap((line, at) => (isShown(line) ? [{ from: at + 1, to: at + 1 }] : []));
    if (!lines.some(({ from }) => /\w/.test(contents[from - 1] ?? ""))) continue;
    const { path: real, sha256, text } = file;
    memory.learn(real, { kind: "shown", sha256, lines: joinSpans(lines), total: countLines(text) });
    keepText(file, memory);
  }
}

/** Lines by the file that a search names before them, or in a line of its own; "" are those of files that the call named. */
function linesByFile(answer: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (path: string, line: string) => {
    const lines = found.get(path) ?? new Set();
    found.set(path, lines.add(line).add(line.replace(numbered, "")));
  };
  let heading = "";
  for (const line of answer.split(/\r?\n/)) {
    heading = /^File: (.+)$/.exec(line)?.[1] ?? heading;
    const [, path, rest = ""] = /^([^:]+):(.*)$/.exec(line) ?? [];
    add(heading, line);
    if (path !== undefined) add(path, rest);
  }
  return found;
}

/** The number that a search puts before a line. */
const numbered = /^\s*L?\d+(?:[:-]|\t) ?/;

/** Those that the session heard of last: a command waits for the look at each. */
const mostFiles = 100;
const mostNames = 200;
/** In UTF-16 units: a formatter may change every file. */
const mostTold = 4_000;
