import type { TurnNode } from "@holdfast/core/conversation/values";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/loop/turn.js";
import { linearState, updateLinear } from "../../../src/ui/linear/update.js";
import { ended, shown } from "./shown.js";

const failure = { kind: "model_failure", reason: "rate_limit", message: "Too many requests." } as const;
const step: AgentEvent = { kind: "step_begun", step: 1 };
const text = (words: string): AgentEvent => ({ kind: "model", event: { kind: "text-delta", text: words } });
const thought = (words: string): AgentEvent => ({
  kind: "model",
  event: { kind: "thought-delta", text: words },
});
const call: AgentEvent = {
  kind: "model",
  event: { kind: "call-delta", at: 0, name: "edit_file", json: "{" },
};
const retry: AgentEvent = { kind: "model", event: { kind: "retry", attempt: 1, waitMs: 1_500, failure } };
const silent: AgentEvent = { kind: "model", event: { kind: "silent", ms: 15_000 } };
const over: AgentEvent = { kind: "turn_ended", end: ended };
const inside = (event: AgentEvent): AgentEvent => ({ kind: "sub_agent", taskId: "t1", event });
const closing = "2 requests, 12,345 tokens in (90 % cached), 210 out, $0.0123";
const shell = { callId: "c1", name: "run_shell_command", args: { command: "npm\n test" } };

function answered(words: string, calls = 0): AgentEvent {
  const node = (payload: object) => ({ id: "n", parentId: null, childIds: [], payload });
  const message = node({ kind: "model_message", text: words });
  const made = Array.from({ length: calls }, () =>
    node({ kind: "tool_call", callId: "c1", name: "x", args: {} }),
  );
  // A cast: of a node, what is shown.
  return { kind: "answered", nodes: [message, ...made] as unknown as readonly TurnNode[] };
}

/** A clearing by these figures of its report. */
const cleared = (cost: number, predictedSaving: number): AgentEvent => ({
  kind: "context",
  done: {
    kind: "clear",
    changes: [],
    report: {
      tokensBefore: 101_000,
      tokensAfter: 50_000,
      firstChangedId: "n",
      tokensRewritten: 0,
      requestsToPay: 1,
      expectedRequests: 1,
      cost,
      predictedSaving,
      cleared: [],
      writtenOut: [],
      thoughtsLost: 0,
    },
  },
});

const rows: readonly (readonly [string, readonly AgentEvent[], string])[] = [
  [
    "words as they come, and what a turn took",
    [step, text("I lo"), text("ok.\n"), text("Done."), answered("I look.\nDone."), over],
    `I look.\nDone.\n${closing}, 5.0 s\n`,
  ],
  [
    "thoughts in one line before the words",
    [step, thought("It is\nthe"), thought("re."), text("\n\nWritten."), answered("Written.")],
    "Thought, 3 words: It is there.\nWritten.\n",
  ],
  [
    "thoughts between words on a line of their own",
    [step, text("One."), thought("Hm."), text("Two."), answered("One.Two.")],
    "One.\nThought, 1 words: Hm.\nTwo.\n",
  ],
  ["words that did not come one by one", [step, answered("Whole.")], "Whole.\n"],
  [
    "that an answer broke off and is another one now",
    [step, text("I lo"), retry, text("I look."), answered("I look.")],
    "I lo\n… broke off; asking again in 1.5 s. Too many requests.\nI look.\n",
  ],
  [
    "that a request which had shown nothing is made again",
    [step, thought("Lost."), retry, text("Yes."), answered("Yes.")],
    "Too many requests. Trying again in 1.5 s.\nYes.\n",
  ],
  [
    "that an answer was refused in its middle, and asked again without a retry",
    [
      step,
      text("I lo"),
      { kind: "noticed", text: "The prompt was too long." },
      step,
      text("Yes."),
      answered("Yes."),
    ],
    "I lo\nThe prompt was too long.\n… broke off; asking again\nYes.\n",
  ],
  [
    "that a turn was cancelled amid its words",
    [
      step,
      text("I lo"),
      { kind: "turn_ended", end: { ...ended, reason: "cancelled", message: "Cancelled." } },
    ],
    `I lo\n… broke off\nCancelled.\n${closing}, 2.0 s\n`,
  ],
  ["a silence", [step, silent], "Nothing has come from the model for 15 s.\n"],
  [
    "what is done about the prompt",
    [
      { kind: "context", done: { kind: "compacted", tokensBefore: 90_000, tokensAfter: 40_000 } },
      cleared(40_327, 16_649),
      cleared(10, 20),
      { kind: "context", done: { kind: "warn", text: "Save it.", tokens: 80_000 } },
      { kind: "context", done: { kind: "cache_broke", cause: "idle", at: 0, tokens: 4_095 } },
      { kind: "context", done: { kind: "cache_broke", cause: "idle", at: 0, tokens: 5_000 } },
      { kind: "context", done: { kind: "not_compacted", reason: "no_cut", message: "There is no cut." } },
    ],
    "What came before was summed up: 90,000 → 40,000 tokens\n" +
      "0 earlier results cleared at the limit, though it costs more than it may save: 101,000 → 50,000 tokens\n" +
      "0 earlier results cleared: 101,000 → 50,000 tokens\n" +
      "The prompt has 80,000 tokens; the model is to save what it needs.\n" +
      "The cache broke at 00:00:00 UTC, about 5000 tokens are written again: it was not used for as long as the provider keeps it.\n" +
      "There is no cut.\n",
  ],
  [
    "what a sub-agent does, indented, its words when they stand",
    [
      step,
      text("Go."),
      answered("Go.", 1),
      inside(text("I wo")),
      inside(answered("I work.\n\tWell.")),
      inside({ kind: "noticed", text: "It is gone." }),
      inside(over),
      text("Done."),
    ],
    `Go.\n  I work.\n      Well.\n  It is gone.\n  ${closing}\nDone.`,
  ],
  [
    "what was left undone",
    [{ kind: "turn_ended", end: { ...ended, undone: [{ callId: "c", name: "edit_file", code: "denied" }] } }],
    `Not done: edit_file (denied).\n${closing}, 0.0 s\n`,
  ],
];

describe("a turn, line by line", () => {
  it.each(rows)("shows %s", (_, events, expected) => {
    expect(shown(events).text).toBe(expected);
  });

  it("holds the words of a run whose last words come at the end, and shows those before a call", () => {
    const events = [
      step,
      text("I lo"),
      retry,
      text("I look."),
      answered("I look.", 1),
      step,
      answered("Done."),
    ];
    expect(shown(events, { holdsChars: Infinity }).text).toBe(
      "Too many requests. Trying again in 1.5 s.\nI look.\n",
    );
  });

  it("says what is waited for, with seconds, and nothing amid words", () => {
    const events = [
      step,
      thought("Hm."),
      thought("Hm."),
      text("I lo"),
      text("ok.\n"),
      call,
      answered("I look.", 1),
    ];
    const begun: AgentEvent = { kind: "call_begun", ...shell };
    const noticed: AgentEvent = { kind: "noticed", text: "Somebody is asked." };
    const progress: AgentEvent = { kind: "call_progress", callId: "c1", text: "3.1 s: ok" };
    const beginsNow: AgentEvent = { ...progress, text: "" };
    const { waits } = shown([...events, begun, noticed, beginsNow, progress, over]);
    expect(waits).toEqual([
      "Waiting for the model … 0 s",
      "Thinking … 0 s",
      "Thinking … 1 s",
      undefined,
      "Answering … 1 s",
      "Writing a call of edit_file … 0 s",
      "Writing a call of edit_file … 1 s",
      "$ npm test … 0 s",
      "$ npm test … 1 s",
      "$ npm test … 0 s",
      "$ npm test … 3.1 s: ok",
      undefined,
    ]);
  });

  it("writes no half of a letter and no half of a line's end", () => {
    let state = linearState(0);
    const written = ["😀".charAt(0), `${"😀".charAt(1)}\r`, "\nz"].flatMap((words) => {
      const next = updateLinear(state, text(words), 0);
      state = next.state;
      return next.output.map((one) => (one.kind === "words" ? one.text : ""));
    });
    expect(written).toEqual(["😀", "\r\nz"]);
  });

  it("lets nothing that acts on a terminal into a line, and cuts what is long", () => {
    const hostile = `x\u001b[2J\u202e${"名".repeat(60)}.ts`;
    const [line = ""] = shown([{ kind: "call_begun", ...shell, args: { command: hostile } }], {
      columns: 40,
    }).waits;
    expect(line).toMatch(/^\$ x\\u001b\[2J\\u202e名*…名+\.ts … 0 s$/u);
    expect(line.length + (line.match(/名/g)?.length ?? 0)).toBeLessThanOrEqual(40);
  });

  it("marks as notices what is to be said where nobody watches", () => {
    const events = [step, thought("Hm."), text("I lo"), retry, silent, over];
    expect(shown(events).notices).toEqual([
      "… broke off; asking again in 1.5 s. Too many requests.",
      "Nothing has come from the model for 15 s.",
    ]);
  });
});
