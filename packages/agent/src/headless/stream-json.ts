import type { TurnPayload } from "@holdfast/core/conversation/values";
import { cacheBrokeWords } from "../loop/cache-watch.js";
import { type AgentEvent, type ContextStep, type EndedCall, innermost, type TurnEnd } from "../loop/turn.js";
import type { CommandResult } from "../slash/command.js";
import { commandFields, errorOf, type RunFacts, statsOf } from "./json-output.js";

/** The lines of `-o stream-json`: objects with the event names of gemini-cli (page 6), in the order in which they happen. */
interface StreamLines {
  begin(): readonly object[];
  of(event: AgentEvent): readonly object[];
  notice(text: string): readonly object[];
  end(end: TurnEnd, durationMs: number): readonly object[];
  command(result: CommandResult, durationMs: number): readonly object[];
}

/**
 * Makes the lines of one run. An answer is a line when it stands in the tree, so that nothing of a request that was
 * made again is in the stream, but in lines of the type `delta`, where they are asked for: those behind a `begin` that no
 * `message` or `tool_use` follows are void.
 *
 * @param now milliseconds since the epoch, for the time of each line.
 */
export function streamLines(facts: RunFacts, now: () => number): StreamLines {
  let calls = 0;
  const line = (type: string, fields: object) => ({
    type,
    timestamp: new Date(now()).toISOString(),
    ...fields,
  });
  const warning = (message: string) => line("error", { severity: "warning", message });
  const delta: Writers["delta"] = (kind, fields) =>
    facts.includesPartial === true ? [line("delta", { kind, ...fields })] : [];
  return {
    begin: () => [
      line("init", {
        session_id: facts.sessionId,
        model: facts.model,
        mode: facts.mode,
        cwd: facts.folder,
        tools: facts.tools,
        instructions: facts.instructions,
      }),
      line("message", { role: "user", content: facts.prompt }),
    ],
    of: (event) => {
      if (innermost(event).kind === "call_begun") calls += 1;
      return linesOf(event, { line, warning, delta });
    },
    notice: (text) => [warning(text)],
    end: (end, durationMs) => {
      const error = errorOf(end);
      const status = error === undefined ? "success" : "error";
      const failed = error === undefined ? {} : { error };
      return [line("result", { status, ...failed, stats: statsOf(end, calls, durationMs) })];
    },
    command: (result, durationMs) => {
      const { status, exit_code, ...fields } = commandFields(result);
      return [
        line("command", fields),
        line("result", { status, exit_code, stats: { duration_ms: durationMs } }),
      ];
    },
  };
}

interface Writers {
  readonly line: (type: string, fields: object) => object;
  readonly warning: (message: string) => object;
  readonly delta: (kind: "begin" | "text" | "thought" | "call", fields: object) => readonly object[];
}

function linesOf(event: AgentEvent, writers: Writers): readonly object[] {
  const { line, warning, delta } = writers;
  switch (event.kind) {
    case "answered":
      return event.nodes.flatMap(({ payload }) => answerLines(payload, line));
    case "call_begun":
      return [line("tool_use", { tool_name: event.name, tool_id: event.callId, parameters: event.args })];
    case "call_ended":
      return [line("tool_result", resultFields(event.call)), ...finalLines(event.call, line)];
    case "noticed":
      return [warning(event.text)];
    case "model":
      return modelLines(event.event, writers);
    case "sub_agent":
      return linesOf(event.event, writersOf(event.taskId, writers));
    case "context":
      return [line("context", contextFields(event.done))];
    case "step_begun":
      return delta("begin", {});
    case "turn_begun":
    case "call_progress":
    case "turn_ended":
      return [];
    default:
      return event satisfies never;
  }
}

/** A plan that ends the turn is the last message. */
function finalLines({ run }: EndedCall, line: Writers["line"]): readonly object[] {
  const final = run !== undefined && "final" in run ? run.final : undefined;
  return final === undefined ? [] : [line("message", { role: "assistant", content: final })];
}

function answerLines(payload: TurnPayload, line: Writers["line"]): readonly object[] {
  if (payload.kind !== "model_message") return [];
  const { thought = "", text } = payload;
  return [
    ...(thought === "" ? [] : [line("thought", { content: thought })]),
    ...(text === "" ? [] : [line("message", { role: "assistant", content: text })]),
  ];
}

function modelLines(
  event: Extract<AgentEvent, { kind: "model" }>["event"],
  { warning, delta }: Writers,
): readonly object[] {
  switch (event.kind) {
    case "text-delta":
      return delta("text", { content: event.text });
    case "thought-delta":
      return delta("thought", { content: event.text });
    case "call-delta":
      return delta("call", { at: event.at, tool_name: event.name, json: event.json });
    case "retry":
      return [warning(event.failure.message), ...delta("begin", {})];
    case "silent":
      return [warning(silenceWords(event))];
    default:
      return event satisfies never;
  }
}

/** For how long nothing has come. */
export function silenceWords({ ms }: { readonly ms: number }): string {
  return `Nothing has come from the model for ${Math.round(ms / 1_000)} s.`;
}

/** What a sub-agent does is a line like any other, with the task that it works on; the innermost counts. */
function writersOf(task_id: string, { line, delta }: Writers): Writers {
  const own: Writers["line"] = (type, fields) => line(type, { task_id, ...fields });
  return {
    line: own,
    warning: (message) => own("error", { severity: "warning", message }),
    delta: (kind, fields) => delta(kind, { task_id, ...fields }),
  };
}

/** What was done about the prompt: what a script needs to follow the costs. */
function contextFields(done: ContextStep): object {
  switch (done.kind) {
    case "clear": {
      const { tokensBefore, tokensAfter, cleared, cost, predictedSaving } = done.report;
      const sizes = { tokens_before: tokensBefore, tokens_after: tokensAfter };
      return { done: "cleared", ...sizes, results: cleared.length, cost, predicted_saving: predictedSaving };
    }
    case "warn":
      return { done: "warned", tokens: done.tokens };
    case "compacted":
      return { done: "compacted", tokens_before: done.tokensBefore, tokens_after: done.tokensAfter };
    case "cache_broke": {
      const { cause, tokens, nodeId } = done;
      const node = nodeId === undefined ? {} : { node_id: nodeId };
      return { done: "cache_broke", cause, tokens, ...node, message: cacheBrokeWords(done) };
    }
    case "not_compacted":
      return { done: "not_compacted", reason: done.reason, message: done.message };
    default:
      return done satisfies never;
  }
}

function resultFields({ callId, isError, code, text }: Extract<AgentEvent, { kind: "call_ended" }>["call"]) {
  return isError
    ? { tool_id: callId, status: "error", output: text, error: { type: code, message: firstLine(text) } }
    : { tool_id: callId, status: "success", output: text };
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line;
}
