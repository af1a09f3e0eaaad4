import { escapeInJson } from "@holdfast/core/text";
import type { CommandResult } from "../commands/command.js";
import { describeResult } from "../commands/describe-result.js";
import { cacheBrokeWords } from "../loop/cache-watch.js";
import { type AgentEvent, innermost, type TurnEnd } from "../loop/turn.js";
import { commandFields, jsonDocument } from "./json-output.js";
import type { RunFacts } from "./run-facts.js";
import { silenceWords, streamLines } from "./stream-json.js";

/** How the answer of a run is written. */
export const outputFormats = ["text", "json", "stream-json"] as const;

/** `text`: the last words of the model. `json`: one object at the end. `stream-json`: an object a line as it happens. */
export type OutputFormat = (typeof outputFormats)[number];

/** Where a run is written. */
export interface OutputSinks {
  /** Standard output: nothing but the format stands there. */
  readonly out: (text: string) => void;
  /** Standard error: sentences for a person. */
  readonly err: (text: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Writes one run. */
export interface RunOutput {
  readonly onEvent: (event: AgentEvent) => void;
  /** A sentence about the run that no event tells: settings that were left out, a server that did not start. */
  notice(text: string): void;
  /** The last that is written. */
  end(end: TurnEnd): void;
  /** The last that is written where the prompt was a slash command. */
  command(result: CommandResult): void;
}

/** The writer of a format. Nothing of a request that failed is written: an answer is told when it stands in the tree. */
export function runOutput(format: OutputFormat, facts: RunFacts, sinks: OutputSinks): RunOutput {
  switch (format) {
    case "text":
      return textOutput(sinks);
    case "json":
      return jsonOutput(facts, sinks);
    case "stream-json":
      return streamOutput(facts, sinks);
    default:
      return format satisfies never;
  }
}

function textOutput({ out, err }: OutputSinks): RunOutput {
  return {
    onEvent: (event) => {
      const inner = innermost(event);
      if (inner.kind === "noticed") err(`${inner.text}\n`);
      if (inner.kind === "context" && inner.done.kind === "cache_broke" && inner.done.tokens >= worthTelling)
        err(`${cacheBrokeWords(inner.done)}\n`);
      if (event.kind === "model" && event.event.kind === "retry")
        err(`${event.event.failure.message} Trying again in ${seconds(event.event.waitMs)}.\n`);
      if (event.kind === "model" && event.event.kind === "silent") err(`${silenceWords(event.event)}\n`);
    },
    notice: (text) => err(`${text}\n`),
    end: (end) => {
      if (end.text !== "") out(end.text.endsWith("\n") ? end.text : `${end.text}\n`);
      for (const line of endLines(end)) err(`${line}\n`);
    },
    command: (result) => {
      const text = `${wordsOfCommand(result)}\n`;
      if (result.kind === "told") out(text);
      else err(text);
    },
  };
}

/** Tokens that are written again; fewer are no news for a person. */
const worthTelling = 4_096;

function jsonOutput(facts: RunFacts, { out, err, now }: OutputSinks): RunOutput {
  const began = now();
  const calls: { readonly name: string; readonly isError: boolean }[] = [];
  const notices: string[] = [];
  return {
    onEvent: (event) => {
      const inner = innermost(event);
      if (inner.kind === "call_ended") calls.push(inner.call);
      if (inner.kind === "noticed") notices.push(inner.text);
    },
    notice: (text) => {
      notices.push(text);
      err(`${text}\n`);
    },
    end: (end) => {
      const document = jsonDocument({ facts, end, calls, notices, durationMs: now() - began });
      out(`${escapeInJson(JSON.stringify(document, null, 2))}\n`);
    },
    command: (result) =>
      out(
        `${escapeInJson(JSON.stringify({ session_id: facts.sessionId, ...commandFields(result) }, null, 2))}\n`,
      ),
  };
}

function streamOutput(facts: RunFacts, { out, now }: OutputSinks): RunOutput {
  const began = now();
  const lines = streamLines(facts, now);
  const write = (entries: readonly object[]) => {
    for (const entry of entries) out(`${escapeInJson(JSON.stringify(entry))}\n`);
  };
  write(lines.begin());
  return {
    onEvent: (event) => write(lines.of(event)),
    notice: (text) => write(lines.notice(text)),
    end: (end) => write(lines.end(end, now() - began)),
    command: (result) => write(lines.command(result, now() - began)),
  };
}

/** A change of the session is a flag where there is no screen. */
function wordsOfCommand(result: CommandResult): string {
  if (result.kind !== "session") return describeResult(result);
  return "There is no next line here: use --resume, --fork, or neither for a new session.";
}

/** What a person is told of an end: why it is no success, and what was left undone. */
function endLines({ message, undone }: TurnEnd): readonly string[] {
  const left = undone.map(({ name, code }) => `Not done: ${name} (${code}).`);
  return message === undefined ? left : [...left, message];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
