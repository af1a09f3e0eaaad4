import type { TurnNode } from "@holdfast/core/conversation/values";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../../packages/agent/src/loop/turn.js";
import { cellsOf } from "../../../../packages/agent/src/ui/lines/cells.js";
import { themes } from "../../../../packages/agent/src/ui/lines/spans.js";
import { ended } from "../../../../packages/agent/test/ui/linear/shown.js";
import { emptyEditor, withText } from "../../src/input/editor.js";
import { frame, noTail, nothingStands } from "../../src/screen/frame.js";
import { committedTexts } from "../../src/screen/rows.js";
import {
  type ScreenState,
  type ScreenStep,
  screenState,
  updateScreen,
  wholeTexts,
} from "../../src/screen/update.js";
import { type ScreenInput, type Shown, viewScreen } from "../../src/screen/view.js";
import { Oracle } from "./oracle.js";

const text = (words: string): AgentEvent => ({ kind: "model", event: { kind: "text-delta", text: words } });
const thought = (words: string): AgentEvent => ({
  kind: "model",
  event: { kind: "thought-delta", text: words },
});
const begun = (callId: string, command: string): AgentEvent => ({
  kind: "call_begun",
  callId,
  name: "run_shell_command",
  args: { command },
});
const progress = (callId: string, words: string): AgentEvent => ({
  kind: "call_progress",
  callId,
  text: words,
});
const printed = (callId: string, ...lines: readonly string[]): AgentEvent => ({
  kind: "call_progress",
  callId,
  text: `3 s: ${lines.at(-1)}`,
  program: { id: callId, lastLines: lines.slice(-5), linesBefore: Math.max(0, lines.length - 5) },
});
const callEnded = (callId: string, command: string, output = ""): AgentEvent => ({
  kind: "call_ended",
  call: { callId, name: "run_shell_command", args: { command }, code: "ok", isError: false, text: output },
});
const inside = (event: AgentEvent): AgentEvent => ({ kind: "sub_agent", taskId: "look", event });
const noticed = (words: string): AgentEvent => ({ kind: "noticed", text: words });
const over: AgentEvent = { kind: "turn_ended", end: ended };
function answered(words: string): AgentEvent {
  const node = { id: "n", parentId: null, childIds: [], payload: { kind: "model_message", text: words } };
  // A cast: of a node, what is shown.
  return { kind: "answered", nodes: [node] as unknown as readonly TurnNode[] };
}

const idle: ScreenInput = { editor: emptyEditor(), label: "", isQuestion: false, waiting: [] };
const window = { columns: 60, rows: 20 };
const status = { model: "a/model", mode: "ask", help: "? for help", contextShare: 0.25, costUsd: 0.5 };

function played(events: readonly AgentEvent[]): {
  readonly state: ScreenState;
  readonly lines: readonly string[];
} {
  let state = screenState(0);
  const lines: string[] = [];
  for (const [at, event] of events.entries()) {
    const step = updateScreen(state, event, at * 1_000);
    state = step.state;
    lines.push(...committedTexts(step.commit, window.columns, themes.plain));
  }
  return { state, lines };
}

function tailOf(turn: ScreenState | undefined, more: Partial<Shown> = {}, size = window) {
  return viewScreen({ turn, input: idle, status, nowMs: 10_000, ...more }, size, themes.plain);
}

/** Each is known by its number, and none takes many rows. */
const event: fc.Arbitrary<(id: number) => AgentEvent> = fc.constantFrom(
  (id: number) => text(`w${id}. `),
  (id: number) => text(`w${id}. 日本\n`),
  (id: number) => thought(`w${id}. `),
  (id: number) => noticed(`w${id}. ${"long ".repeat(30)}`),
  (id: number) => begun(`c${id % 3}`, "sleep 1"),
  (id: number) => progress(`c${id % 3}`, "tick"),
  (id: number) => callEnded(`c${id % 3}`, `w${id}. e\u0301`),
  (id: number) => inside(begun(`s${id}`, "ls")),
  (id: number) => inside(noticed(`w${id}. `)),
  () => answered(""),
);

describe("a turn on a screen", () => {
  it("commits everything once, whatever comes and however wide the window is meanwhile", async () => {
    const sizes = fc.integer({ min: 40, max: 90 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(event, fc.option(sizes)), { maxLength: 40 }), async (steps) => {
        let size = { ...window, rows: 30 };
        const oracle = new Oracle(size);
        let [standing, state] = [nothingStands(size), screenState(0)];
        const said: string[] = [];
        for (const [at, [make, columns]] of [...steps, [() => over, null] as const].entries()) {
          if (columns !== null) {
            size = { ...size, columns };
            oracle.resize(size);
          }
          const one = make(at);
          if (JSON.stringify(one).includes(`w${at}. `)) said.push(`w${at}. `);
          const step = updateScreen(state, one, at * 100);
          state = step.state;
          const commit = committedTexts(step.commit, size.columns, themes.ansi);
          const tail = viewScreen({ turn: state, input: idle, status, nowMs: at * 100 }, size, themes.ansi);
          const next = frame(standing, { commit, tail, size });
          standing = next.standing;
          await oracle.write(next.bytes);
        }
        await oracle.write(frame(standing, { commit: [], tail: noTail, size }).bytes);
        const shown = oracle.lines().join("\n");
        const times = said.map((words) => [words, shown.split(words.trim()).length - 1]);
        expect(times).toEqual(said.map((words) => [words, 1]));
      }),
      { numRuns: 100 },
    );
  });

  it("shows what goes on in the tail, and leaves a line of it", () => {
    const events = [
      begun("c1", "npm test"),
      progress("c1", "3 s: ok 12"),
      inside(begun("s1", "ls")),
      text("Mean"),
      text("while."),
    ];
    const { state } = played(events);
    expect(tailOf(state).rows).toEqual([
      "Meanwhile.",
      "| $ npm test … 3 s: ok 12",
      "| agent look: 1 call $ ls … 8 s",
      `a/model · ask · context 25 % · $0.5000 · ? for help ${"─".repeat(7)}`,
      "",
    ]);
    const rest = played([...events, callEnded("c1", "npm test"), inside(over), over]);
    expect(rest.lines.slice(0, 2)).toEqual(["Meanwhile.", "$ npm test ✓"]);
    expect(rest.lines[2]).toMatch(/^agent look: 1 call +2 requests, /u);
    expect(tailOf(rest.state).rows).toHaveLength(2);
  });

  it("counts the time of a command from when it began, not from the question before it", () => {
    const { state } = played([
      begun("c1", "npm test"),
      noticed("Asked."),
      noticed("Yes."),
      progress("c1", ""),
    ]);
    expect(tailOf(state).rows[0]).toBe("| $ npm test … 7 s");
  });

  it("shows the last that a command printed, and less of it in a low window", () => {
    const lines = ["one", "two\u001b[2J", "three", "four", "five", "six"];
    const { state } = played([begun("c1", "npm test"), printed("c1", ...lines)]);
    const rowsIn = (rows: number, turn = state) =>
      tailOf(turn, {}, { columns: 60, rows })
        .rows.slice(1, -2)
        .map((row) => row.trim());
    const head = tailOf(state).rows[0];
    expect(head).toBe("| $ npm test … 10 s");
    expect(rowsIn(20)).toEqual(["… 1 line before, Ctrl+O", "two\\u001b[2J", ...lines.slice(2)]);
    expect(rowsIn(11)).toEqual(["… 4 lines before, Ctrl+O", "five", "six"]);
    expect(rowsIn(6)).toEqual(["six"]);
    expect(tailOf(state, {}, { columns: 60, rows: 4 }).rows).toEqual(["| $ npm test … 3 s: six", ""]);
    const two = played([begun("c1", "a"), begun("c2", "b"), printed("c1", ...lines), printed("c2", "x")]);
    expect(rowsIn(20, two.state)).toEqual(["… 4 lines before, Ctrl+O", "five", "six", "| $ b … 9 s", "x"]);
    const size = { columns: 60, rows: 20 };
    const first = frame(nothingStands(size), { commit: [], tail: tailOf(state), size });
    expect(frame(first.standing, { commit: [], tail: tailOf(state), size }).bytes).toBe("");
  });

  it("shows all that a running command printed on demand", () => {
    const { state } = played([begun("c1", "npm test"), printed("c1", "one")]);
    expect(wholeTexts(state, (id) => `${id}\nwhole`).at(-1)?.lines).toHaveLength(2);
    expect(wholeTexts(state)).toEqual([]);
  });

  it("keeps what was cut, the newest last", () => {
    const output = "one\ntwo\nthree\nfour\nfive";
    const { state } = played([
      callEnded("c1", "ls", output),
      inside(noticed("inside")),
      inside(over),
      text("a\nb"),
    ]);
    const texts = wholeTexts(state).map(({ title, lines }) => [
      title.map((one) => one.text).join(""),
      lines.length,
    ]);
    expect(texts).toEqual([
      ["$ ls", 5],
      ["agent look: 0 calls", 3],
    ]);
  });
});

it("moves no row of a paragraph when it is committed", async () => {
  const word = fc.constantFrom("word", "日本語", "é", "it.", "**bold**", "\n", "x".repeat(25));
  const paragraph = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(" "));
  await fc.assert(
    fc.asyncProperty(paragraph, fc.integer({ min: 20, max: 60 }), async (words, columns) => {
      const size = { columns, rows: 60 };
      const oracle = new Oracle(size);
      const shown = ({ commit }: ScreenStep) => committedTexts(commit, columns, themes.ansi);
      const open = updateScreen(screenState(0), text(`Begun ${words}`), 0);
      const tail = viewScreen({ turn: open.state, input: idle, status, nowMs: 0 }, size, themes.ansi);
      const first = frame(nothingStands(size), { commit: shown(open), tail, size });
      await oracle.write(first.bytes);
      const rows = oracle.rows();
      const before = rows.slice(
        0,
        rows.findIndex((row) => /a\/model|Answering/u.test(row)),
      );
      const end = updateScreen(open.state, answered(""), 0);
      await oracle.write(frame(first.standing, { commit: shown(end), tail: noTail, size }).bytes);
      const after = oracle.rows();
      expect(after.slice(0, before.length)).toEqual(before);
      expect(after.slice(before.length).join("")).toBe("");
    }),
    { numRuns: 200 },
  );
});

describe("the tail", () => {
  it("is shorter than the window less one line, and only open prose reaches the last column", () => {
    const long = played([text("日本語 ".repeat(200)), begun("c", "x".repeat(300))]).state;
    const waiting = Array.from({ length: 9 }, (_, at) => ({
      shown: `line ${at}\nand more`,
      steers: at % 2 === 0,
    }));
    const menu = {
      candidates: Array.from({ length: 30 }, (_, at) => `src/${"n".repeat(at * 3)}.ts`),
      chosen: 12,
    };
    const editor = withText(emptyEditor(), "🙂 words ".repeat(40));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        (columns, rows, hasMenu) => {
          const input = { ...idle, editor, label: "> ", waiting, ...(hasMenu ? { menu } : {}) };
          const tail = tailOf(long, { input }, { columns, rows });
          expect(tail.rows.length).toBeLessThanOrEqual(Math.max(1, rows - 2));
          expect(tail.cursor.row).toBeLessThan(tail.rows.length);
          for (const row of tail.rows) {
            const isProse =
              row.startsWith("日本") || row.startsWith("語") || row.startsWith("本") || row.startsWith(" ");
            expect(cellsOf(row)).toBeLessThan(Math.max(2, columns + (isProse ? 1 : 0)));
          }
        },
      ),
    );
  });

  it("has a line for each command in the background, and never too many", () => {
    const background = Array.from({ length: 5 }, (_, at) => {
      const id = `c${at}`;
      return { id, command: `npm  run\n${id} \u001b[2J`, seconds: 59 * at, end: undefined };
    });
    expect(tailOf(undefined, { background: background.slice(0, 1) }).rows[0]).toBe(
      "background c0 $ npm run c0 \\u001b[2J … runs for 0 s",
    );
    const { rows } = tailOf(undefined, { background });
    expect(rows[2]).toMatch(/^background c4 \$ npm run c4 .* … runs for 3 min$/u);
    expect(rows[3]).toBe("  and 2 more in the background, /background");
    expect(rows).toHaveLength(6);
  });

  it("says of what waits when it is sent, and folds what is too long", () => {
    const { state } = played([text("word ".repeat(400))]);
    const waiting = [
      { shown: "now", steers: true },
      { shown: "later", steers: false },
    ];
    const { rows } = tailOf(state, { input: { ...idle, waiting } });
    expect(rows[0]).toMatch(/^… \d+ lines, Ctrl\+O$/u);
    expect(rows.slice(-4, -2)).toEqual(["  after this step: now", "  after the turn: later"]);
    expect(rows).toHaveLength(18);
  });
});

it("writes no sequence of a model, a file or a server, whatever they send", () => {
  const sign = fc.constantFrom(
    "\u001b[2J",
    "\u001b]0;x\u0007",
    "\u009b31m",
    "\r",
    "\u202e",
    "`",
    "|",
    "\n",
    "# ",
    "[a](",
    "a",
  );
  const texts = fc.array(sign, { maxLength: 12 }).map((signs) => signs.join(""));
  fc.assert(
    fc.property(fc.array(texts, { minLength: 6, maxLength: 6 }), ([one = "", two = "", ...more]) => {
      const [three = "", four = "", five = "", six = ""] = more;
      const todos = { todos: [{ text: two, state: "doing" }] };
      const call = {
        callId: "t",
        name: "update_todos",
        args: todos,
        code: "ok",
        isError: false,
        text: three,
      };
      const events: readonly AgentEvent[] = [
        text(one),
        thought(two),
        begun(three, four),
        progress(three, five),
        inside(begun("x", six)),
        callEnded(three, four, five),
        { kind: "call_ended", call },
        text(six),
        answered(five),
        noticed(four),
      ];
      const { state, lines } = played([...events, over]);
      const menu = { candidates: [one, two], chosen: 0 };
      const input = { ...idle, label: three, menu, hint: four, waiting: [{ shown: five, steers: true }] };
      const facts = { ...status, model: six, task: one };
      const open = played(events).state;
      const tails = [open, state].flatMap((turn) => tailOf(turn, { input, status: facts }).rows);
      for (const row of [...lines, ...tails]) expect(row).not.toMatch(/[\p{Cc}\u202e]/u);
    }),
    { numRuns: 300 },
  );
});
