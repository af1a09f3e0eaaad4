import { escapeInJson } from "@holdfast/core/text";
import { type AgentEvent, innermost, type TurnEnd } from "../loop/turn.js";
import type { CommandResult } from "../slash/command.js";
import { commandFields, jsonDocument, type RunFacts } from "./json-output.js";
import { streamLines } from "./stream-json.js";

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

/** The writer of a format for programs; text is for persons (`textOutput`). */
export function runOutput(
  format: Exclude<OutputFormat, "text">,
  facts: RunFacts,
  sinks: OutputSinks,
): RunOutput {
  switch (format) {
    case "json":
      return jsonOutput(facts, sinks);
    case "stream-json":
      return streamOutput(facts, sinks);
    default:
      return format satisfies never;
  }
}

function jsonOutput(facts: RunFacts, { out, err, now }: OutputSinks): RunOutput {
  const began = now();
  const calls: { readonly name: string; readonly isError: boolean }[] = [];
  const notices: string[] = [];
  return {
    onEvent: (event) => {
      const inner = innermost(event);
      if (inner.kind === "call_ended") calls.push({ name: inner.call.name, isError: inner.call.isError });
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
