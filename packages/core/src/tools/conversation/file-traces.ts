import type { FileEffect, ShownText } from "../../conversation/index.js";
import type { FileState, ReadOutcome, WriteOutcome } from "../../files/index.js";
import { countLines, joinLines, splitLines } from "../../text/index.js";
import { type EnvelopeFile, parseEnvelope } from "../wire/parse-envelope.js";
import type { ToolResult } from "../wire/result.js";

/**
 * What a tool did to files or found out about them: a read has seen a state; a write has replaced one by
 * another; a refusal that tells the true state has seen it.
 */
export function fileEffects(result: ToolResult): readonly FileEffect[] {
  return tracesOf(result).flatMap(({ state, written }): readonly FileEffect[] => {
    if (state === null) return [];
    const { path, sha256: after } = state;
    if (written === undefined || written.code !== "applied") return [{ path, after, by: "seen" }];
    const { replaced } = written;
    return [{ path, ...(replaced === undefined ? {} : { before: replaced }), after, by: "tool" }];
  });
}

/**
 * Which lines of which states stand where in a reply. Each span is held against the state itself; what does
 * not equal its lines is left out, and so is all of a reply as JSON, where line breaks are escapes.
 *
 * @param output the reply as it was rendered from `result`.
 */
export function shownTexts(result: ToolResult, output: string): readonly ShownText[] {
  const states = tracesOf(result).flatMap(({ state }) => (state === null ? [] : [state]));
  const frames = states.length === 0 ? [] : (parseEnvelope(output)?.files ?? []);
  return frames.flatMap((frame) => {
    const state = states.find(({ path, sha256 }) => path === frame.path && sha256 === frame.sha256);
    return state === undefined ? [] : shownOf(frame, state, output);
  });
}

interface Trace {
  readonly state: FileState | null;
  readonly written?: WriteOutcome;
}

function tracesOf(result: ToolResult): readonly Trace[] {
  switch (result.kind) {
    case "read":
      return traceOfRead(result.outcome);
    case "read_many":
      return result.outcome.files.flatMap(traceOfRead);
    case "write":
      return tracesOfWrite(result.outcome);
    case "change_set":
      return result.outcome.files.flatMap(({ outcome }) => tracesOfWrite(outcome));
    case "list":
    case "find":
    case "search":
    case "refused":
      return [];
    default:
      return result satisfies never;
  }
}

function traceOfRead(outcome: ReadOutcome): readonly Trace[] {
  return outcome.kind === "read" ? [{ state: outcome.state }] : [];
}

function tracesOfWrite(written: WriteOutcome): readonly Trace[] {
  return [{ state: written.state, written }, ...(written.together ?? []).flatMap(tracesOfWrite)];
}

function shownOf(frame: EnvelopeFile, state: FileState, output: string): readonly ShownText[] {
  const { path, sha256, content } = state;
  if (sha256 === null || content === null) return [];
  const first = state.lines?.from ?? 1;
  const whole = { from: first, to: first + countLines(content) - 1, start: frame.start };
  const spans = [
    ...(frame.content === null ? [] : [{ ...whole, length: frame.content.length }]),
    ...frame.windows.map(({ from, to, start, text }) => ({ from, to, start, length: text.length })),
  ];
  const lines = splitLines(content);
  return spans.flatMap(({ from, to, start, length }) => {
    const end = start + length;
    const stands = joinLines(lines, from - first, to - first + 1) === output.slice(start, end);
    return stands && from >= first && from <= to && to <= whole.to
      ? [{ path, sha256, from, to, start, end }]
      : [];
  });
}
