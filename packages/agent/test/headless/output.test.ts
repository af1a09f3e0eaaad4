import { randomBytes } from "node:crypto";
import { ContextManager } from "@holdfast/core/conversation";
import { timeSortedIds } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exitCodeOfTurn } from "../../src/headless/exit-codes.js";
import type { RunFacts } from "../../src/headless/json-output.js";
import {
  type OutputFormat,
  type OutputSinks,
  outputFormats,
  type RunOutput,
  runOutput,
} from "../../src/headless/output.js";
import type { AgentEvent, TurnEnd } from "../../src/loop/turn.js";
import { textOutput } from "../../src/ui/terminal/written-text.js";

const facts: RunFacts = {
  sessionId: "s1",
  model: "anthropic/claude-x",
  prompt: "Mend it.",
  tools: ["read_file"],
  mode: "ask",
  folder: "/work",
  instructions: ["AGENTS.md"],
};
const failure = { kind: "model_failure", reason: "rate_limit", message: "Too many requests." } as const;

function said(text: string, thought?: string): AgentEvent {
  const manager = new ContextManager({
    ids: timeSortedIds(Date.now, (bytes) => randomBytes(bytes)),
    now: Date.now,
  });
  const thoughts = thought === undefined ? [] : [{ kind: "thought", text: thought } as const];
  const nodes = manager.addAnswer({ step: "s", parts: [...thoughts, { kind: "text", text }] });
  if (isRefusal(nodes)) throw new Error(nodes.message);
  return { kind: "answered", nodes };
}

const call = {
  callId: "c1",
  name: "edit_file",
  args: {},
  code: "denied",
  isError: true,
  text: "FAILED (denied): no.\nMore.",
};
const events: readonly AgentEvent[] = [
  { kind: "step_begun", step: 1 },
  { kind: "model", event: { kind: "text-delta", text: "I lo" } },
  { kind: "model", event: { kind: "retry", attempt: 1, waitMs: 1_500, failure } },
  said("I look.", "Hidden."),
  { kind: "call_begun", callId: "c1", name: "edit_file", args: { file_path: "a.ts" } },
  { kind: "call_ended", call },
  { kind: "noticed", text: "a.ts is gone." },
  said("Done\u202e."),
];
const end: TurnEnd = {
  reason: "complete",
  text: "Done\u202e.",
  steps: 2,
  usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 3 },
  costUsd: 0.01,
  undone: [{ callId: "c1", name: "edit_file", code: "denied" }],
};

/** As the program writes a run where nobody watches. */
function outputIn(format: OutputFormat, sinks: OutputSinks, more: Partial<RunFacts> = {}): RunOutput {
  if (format !== "text") return runOutput(format, { ...facts, ...more }, sinks);
  const line = (spans: readonly { readonly text: string }[]) =>
    sinks.err(`${spans.map(({ text }) => text).join("")}\n`);
  return textOutput("notices", { words: sinks.out, line, now: sinks.now });
}

function played(
  format: OutputFormat,
  ended: TurnEnd = end,
  happened = events,
  more: Partial<RunFacts> = {},
): { readonly out: string; readonly err: string } {
  const written = { out: "", err: "" };
  let now = 1_000;
  const sinks = {
    out: (text: string) => {
      written.out += text;
    },
    err: (text: string) => {
      written.err += text;
    },
    now: () => (now += 5),
  };
  const output = outputIn(format, sinks, more);
  for (const event of happened) output.onEvent(event);
  output.notice("A server did not start.");
  output.end(ended);
  return written;
}

describe("the output of a run without a screen", () => {
  it("is, as text, the last words alone; all else goes to standard error", () => {
    const { out, err } = played("text");
    expect(out).toBe("Done\u202e.\n");
    expect(err.split("\n")).toEqual([
      "Too many requests. Trying again in 1.5 s.",
      "a.ts is gone.",
      "A server did not start.",
      "Not done: edit_file (denied).",
      "",
    ]);
  });

  describe("as text, of an answer that comes in pieces", () => {
    const delta = (text: string): AgentEvent => ({ kind: "model", event: { kind: "text-delta", text } });
    const step: AgentEvent = { kind: "step_begun", step: 1 };
    const begun: AgentEvent = { kind: "model", event: { kind: "call-delta", at: 0, name: "x", json: "" } };
    const calling = (text: string): AgentEvent => {
      const node = { id: "n", payload: { kind: "tool_call", callId: "c", name: "x", args: {} } };
      const { nodes = [] } = { ...said(text) } as { nodes?: readonly object[] };
      // A cast: nothing but the payloads is read.
      return { kind: "answered", nodes: [...nodes, node] } as unknown as AgentEvent;
    };
    const written = (happened: readonly AgentEvent[], text: string) =>
      played("text", { ...end, undone: [], text }, happened).out;
    const pieces = fc.array(fc.string({ unit: "grapheme", maxLength: 90 }), { minLength: 1, maxLength: 12 });
    const short = fc.string({ unit: "grapheme", maxLength: 140 }).filter((text) => text.length < 300);

    it("is the last words, whatever short words stood before a call, and each letter once", () => {
      fc.assert(
        fc.property(pieces, fc.array(short, { maxLength: 3 }), fc.boolean(), (parts, before, isCut) => {
          const text = `.${parts.join("")}`;
          const steps = before.flatMap((words) => [step, delta(words), begun, calling(words)]);
          const cut = isCut ? [said("."), step] : [];
          const answer = [delta("."), ...cut, ...parts.map(delta), said(text)];
          expect(written([...steps, step, ...answer], text)).toBe(text.endsWith("\n") ? text : `${text}\n`);
        }),
      );
    });

    it("is written as it comes once it is longer than what stands before a call", () => {
      const sinks = { out: "", err: "" };
      const out = (text: string) => (sinks.out += text);
      const output = outputIn("text", { out, err: () => {}, now: () => 0 });
      for (const event of [step, delta("a".repeat(299))]) output.onEvent(event);
      expect(sinks.out).toBe("");
      output.onEvent(delta("b"));
      expect(sinks.out).toBe(`${"a".repeat(299)}b`);
      output.notice("A server is late.");
      output.onEvent(delta("c\n"));
      expect(sinks.out).toBe(`${"a".repeat(299)}bc\n`);
      output.end({ ...end, text: sinks.out });
      expect(sinks.out).toBe(`${"a".repeat(299)}bc\n`);
    });

    it("keeps long words that stood before a call after all, on lines of their own", () => {
      const long = "long ".repeat(80);
      const happened = [step, delta(long), begun, calling(long), step, delta("End."), said("End.")];
      expect(written(happened, "End.")).toBe(`${long}\nEnd.\n`);
    });

    it("is whole where its request was made again, below what had come of it", () => {
      const long = "long ".repeat(80);
      const retry: AgentEvent = { kind: "model", event: { kind: "retry", attempt: 1, waitMs: 5, failure } };
      const happened = [step, delta(long), retry, delta(long), delta("End."), said(`${long}End.`)];
      expect(written(happened, `${long}End.`)).toBe(`${long}\n${long}End.\n`);
    });
  });

  it("is, as JSON, one object with the same exit code as the process", () => {
    const { out } = played("json");
    expect(JSON.parse(out)).toEqual({
      session_id: "s1",
      model: "anthropic/claude-x",
      response: "Done\u202e.",
      status: "error",
      exit_code: 64,
      stats: {
        total_tokens: 13,
        input_tokens: 10,
        output_tokens: 3,
        cached: 4,
        duration_ms: 5,
        tool_calls: 1,
        requests: 2,
        cost_usd: 0.01,
      },
      tools: { edit_file: { calls: 1, failed: 1 } },
      undone: [{ name: "edit_file", code: "denied" }],
      notices: ["a.ts is gone.", "A server did not start."],
      error: { type: "undone", message: "Finished, but not done: edit_file." },
    });
  });

  it("counts calls of every name that a model may give", () => {
    const names = ["constructor", "__proto__", "__proto__", "toString"];
    const calls = names.map((name) => ({ kind: "call_ended", call: { ...call, name } }) as const);
    const { tools } = JSON.parse(played("json", end, calls).out);
    expect(Object.entries(tools)).toEqual([
      ["constructor", { calls: 1, failed: 1 }],
      ["__proto__", { calls: 2, failed: 2 }],
      ["toString", { calls: 1, failed: 1 }],
    ]);
  });

  it("is, as a stream, a line for all that stands, and for nothing of a request that was made again", () => {
    const lines = played("stream-json")
      .out.trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual([
      "init",
      "message",
      "error",
      "thought",
      "message",
      "tool_use",
      "tool_result",
      "error",
      "message",
      "error",
      "result",
    ]);
    expect(lines[0]).toMatchObject({
      session_id: "s1",
      model: "anthropic/claude-x",
      mode: "ask",
      cwd: "/work",
      instructions: ["AGENTS.md"],
      tools: ["read_file"],
    });
    expect(lines.flatMap(({ role, content }) => (role === "assistant" ? [content] : []))).toEqual([
      "I look.",
      "Done\u202e.",
    ]);
    expect(lines[3]).toMatchObject({ content: "Hidden." });
    expect(lines[6]).toMatchObject({
      status: "error",
      error: { type: "denied", message: "FAILED (denied): no." },
    });
    expect(lines.at(-1)).toMatchObject({ status: "error", stats: { requests: 2, total_tokens: 13 } });
  });

  it("tells, as a stream, also what comes, where that is asked for; a beginning says what of it is void", () => {
    const deltas: readonly AgentEvent[] = [
      { kind: "step_begun", step: 1 },
      { kind: "model", event: { kind: "thought-delta", text: "Hid" } },
      { kind: "model", event: { kind: "text-delta", text: "I lo" } },
      { kind: "model", event: { kind: "retry", attempt: 1, waitMs: 1_500, failure } },
      { kind: "model", event: { kind: "call-delta", at: 0, name: "edit_file", json: '{"a' } },
      {
        kind: "sub_agent",
        taskId: "t1",
        event: { kind: "model", event: { kind: "text-delta", text: "Sub" } },
      },
    ];
    const linesOf = (includesPartial: boolean) =>
      played("stream-json", end, deltas, { includesPartial })
        .out.trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter(({ type }) => type === "delta");
    expect(linesOf(false)).toEqual([]);
    expect(linesOf(true).map(({ timestamp: _, type: __, ...line }) => line)).toEqual([
      { kind: "begin" },
      { kind: "thought", content: "Hid" },
      { kind: "text", content: "I lo" },
      { kind: "begin" },
      { kind: "call", at: 0, tool_name: "edit_file", json: '{"a' },
      { kind: "text", task_id: "t1", content: "Sub" },
    ]);
  });

  it.each(["text", "json"] as const)("tells in %s what a sub-agent was told of", (format) => {
    let out = "";
    let err = "";
    const output = outputIn(format, {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      now: () => 0,
    });
    const noticed: AgentEvent = { kind: "noticed", text: "No prices are known." };
    for (const event of [...events, { kind: "sub_agent", taskId: "t1", event: noticed } as const])
      output.onEvent(event);
    output.end(end);
    const told = format === "text" ? err : JSON.parse(out).notices.join("\n");
    expect(told.split(noticed.text)).toHaveLength(2);
  });

  it("counts the calls of sub-agents, and says what was done about the prompt", () => {
    const nested = (event: AgentEvent): AgentEvent => ({ kind: "sub_agent", taskId: "t1", event });
    const more: readonly AgentEvent[] = [
      nested(nested({ kind: "call_begun", callId: "c2", name: "read_file", args: {} })),
      nested(
        nested({ kind: "call_ended", call: { ...call, callId: "c2", name: "read_file", isError: false } }),
      ),
      { kind: "context", done: { kind: "compacted", tokensBefore: 90, tokensAfter: 40 } },
      { kind: "context", done: { kind: "warn", text: "Save it.", tokens: 80 } },
    ];
    const written = (format: OutputFormat) => {
      let out = "";
      const print = (text: string) => {
        out += text;
      };
      const output = outputIn(format, { out: print, err: () => {}, now: () => 0 });
      for (const event of [...events, ...more]) output.onEvent(event);
      output.end(end);
      return out;
    };
    const { stats, tools } = JSON.parse(written("json"));
    expect(stats.tool_calls).toBe(2);
    expect(tools.read_file).toEqual({ calls: 1, failed: 0 });
    const lines = written("stream-json").trimEnd().split("\n");
    const objects = lines.map((line) => JSON.parse(line));
    expect(objects.at(-1).stats.tool_calls).toBe(2);
    expect(objects.filter(({ type }) => type === "context")).toMatchObject([
      { done: "compacted", tokens_before: 90, tokens_after: 40 },
      { done: "warned", tokens: 80 },
    ]);
  });

  it("shows no control and no mark that turns the reading around where it is JSON", () => {
    for (const format of outputFormats.filter((name) => name !== "text"))
      expect(played(format).out).not.toContain("\u202e");
  });

  it("is a success only where all was done", () => {
    const { undone: _, ...rest } = end;
    expect(JSON.parse(played("json", { ...rest, undone: [] }).out)).toMatchObject({
      status: "success",
      exit_code: 0,
    });
  });
});

const { undone } = end;
const nothing = { text: "", steps: 1, usage: {}, undone: [] } as const;
const failedBy = (reason: "auth" | "unknown_model" | "rate_limit" | "cancelled"): TurnEnd => ({
  ...nothing,
  reason: "failed",
  failure: { kind: "model_failure", reason, message: "No." },
});

describe("the exit code of a turn", () => {
  it.each<readonly [TurnEnd, number]>([
    [{ ...nothing, reason: "complete" }, 0],
    [{ ...nothing, reason: "complete", undone }, 64],
    [{ ...nothing, reason: "max_turns", undone }, 53],
    [{ ...nothing, reason: "max_cost" }, 53],
    [{ ...nothing, reason: "repeating" }, 53],
    [{ ...nothing, reason: "cancelled", undone }, 130],
    [{ ...nothing, reason: "conversation" }, 1],
    [{ ...nothing, reason: "failed" }, 1],
    [failedBy("auth"), 41],
    [failedBy("unknown_model"), 52],
    [failedBy("rate_limit"), 1],
    [failedBy("cancelled"), 130],
  ])("%j is %i", (end, code) => {
    expect(exitCodeOfTurn(end)).toBe(code);
  });
});
