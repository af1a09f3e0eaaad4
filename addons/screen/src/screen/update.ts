import type { AgentEvent } from "@holdfast/agent";
import {
  below,
  callHead,
  elastic,
  innermost,
  type Line,
  type LinearState,
  linearState,
  span,
  type Todo,
  textLines,
  todosIn,
  todosName,
  updateLinear,
  waitLine,
} from "@holdfast/agent/shown";
import { counted, defined } from "@holdfast/core/text";
import type { RanProgram } from "@holdfast/core/tools";
import { appendMarkdown, emptyMarkdown, endMarkdown, type MarkdownState } from "../markdown/stream.js";
import { committed, type Finished, finished } from "./rows.js";

/** A long text that is shown as one line, or cut: Ctrl-O shows it whole. */
export interface WholeText {
  readonly title: Line;
  readonly lines: readonly Line[];
  /** It is broken between words. */
  readonly isProse?: true;
}

/** A call that goes on. */
interface RunningCall {
  readonly head: Line;
  readonly told: string;
  readonly sinceMs: number;
  /** What it runs, with the last that was printed. */
  readonly program?: RanProgram;
}

/** A sub-agent at work: one line of the screen, with all that it said behind it. */
interface Branch {
  readonly calls: number;
  readonly linear: LinearState;
  readonly lines: readonly Line[];
}

/** What goes on in a turn, as far as it is not committed. A value; `update` makes the next one. */
export interface ScreenState {
  readonly linear: LinearState;
  /** What the model says. */
  readonly prose: MarkdownState;
  readonly running: ReadonlyMap<string, RunningCall>;
  readonly branches: ReadonlyMap<string, Branch>;
  /** What is to be done, as the model told it last. */
  readonly todos: readonly Todo[];
  /** The newest last. */
  readonly whole: readonly WholeText[];
}

/** What an event makes of the screen: the next state, and what is finished. */
export interface ScreenStep {
  readonly state: ScreenState;
  readonly commit: readonly Finished[];
}

/** The screen before a turn. @param former of which the long texts stay. */
export function screenState(nowMs: number, former?: ScreenState): ScreenState {
  return {
    linear: linearState(nowMs),
    prose: emptyMarkdown(),
    running: new Map(),
    branches: new Map(),
    todos: former?.todos ?? [],
    whole: former?.whole ?? [],
  };
}

/** What the next event of a turn makes of the screen. Pure. */
export function updateScreen(state: ScreenState, event: AgentEvent, nowMs: number): ScreenStep {
  const step = event.kind === "sub_agent" ? inBranch(state, event, nowMs) : inTurn(state, event, nowMs);
  const { whole } = step.state;
  return { ...step, state: { ...step.state, whole: whole.slice(-mostWhole) } };
}

/** Something that goes on: a line, and the last that it printed below it. */
interface Activity {
  readonly head: Line;
  readonly printed: readonly Line[];
}

/**
 * What the model is about: each call that goes on, each sub-agent, else what is waited for.
 *
 * @param outputRows rows for what commands print, of all of them together.
 */
export function activities(state: ScreenState, nowMs: number, outputRows: number): readonly Activity[] {
  const { running, branches, linear } = state;
  const rowsEach = Math.floor(outputRows / Math.max(1, running.size));
  const calls = [...running.values()].map(({ head, told, sinceMs, program }): Activity => {
    const printed = program === undefined ? [] : printedLines(program, rowsEach);
    const words = told === "" || printed.length > 0 ? secondsSince(sinceMs, nowMs) : told;
    return { head: [...head, span(` … ${words}`, "faint")], printed };
  });
  const agents = [...branches].map(([id, branch]): Activity => {
    const wait = waitLine(branch.linear, nowMs) ?? [];
    return { head: [...branchHead(id, branch), span(" "), ...wait], printed: [] };
  });
  if (calls.length + agents.length > 0) return [...calls, ...agents];
  const wait = waitLine(linear, nowMs);
  return wait === undefined ? [] : [{ head: wait, printed: [] }];
}

/** The last lines, below how many are before them where there is a row for that. */
function printedLines({ lastLines, linesBefore = 0 }: RanProgram, rows: number): readonly Line[] {
  if (rows < 1) return [];
  const isFolded = rows > 1 && (linesBefore > 0 || lastLines.length > rows);
  const shown = lastLines.slice(isFolded ? 1 - rows : -rows).map((line) => below(line));
  const before = linesBefore + lastLines.length - shown.length;
  const fold = `… ${before.toLocaleString("en")} line${before === 1 ? "" : "s"} before, Ctrl+O`;
  return isFolded ? [below(fold), ...shown] : shown;
}

/**
 * The long texts, the newest last; what the model is saying is one, too, and what a command is printing.
 *
 * @param printed all that a command has printed.
 */
export function wholeTexts(
  { whole, prose, running }: ScreenState,
  printed: (id: string) => string | undefined = () => undefined,
): readonly WholeText[] {
  const outputs = [...running.values()].flatMap(({ head, program }) => {
    const text = program === undefined ? undefined : printed(program.id);
    return text === undefined ? [] : [wholeText(head, text)];
  });
  return [...whole, ...longText([span("Answer")], prose.text), ...outputs];
}

const mostWhole = 50;
/** A text of more lines is worth a look of its own. */
const longLines = 4;
const longChars = 400;
/** So much of a thought stands in its line. */
const shownChars = 80;

type Within<Kind extends AgentEvent["kind"]> = Extract<AgentEvent, { kind: Kind }>;

function inTurn(
  state: ScreenState,
  event: Exclude<AgentEvent, Within<"sub_agent">>,
  nowMs: number,
): ScreenStep {
  const { state: linear, output } = updateLinear(state.linear, event, nowMs);
  const thought = linear.thought === "" ? state.linear.thought : "";
  const commit: Finished[] = [];
  let { prose } = state;
  const end = () => {
    commit.push(...finished(endMarkdown(prose)));
    prose = emptyMarkdown();
  };
  for (const one of output) {
    if (one.kind === "words") {
      const added = appendMarkdown(prose, one.text);
      commit.push(...finished(added.finished));
      prose = added.state;
    } else {
      end();
      commit.push(committed(one.line));
    }
  }
  if (event.kind === "answered" || event.kind === "turn_ended") end();
  const whole = [...state.whole, ...longText([span("Thought")], thought, shownChars), ...wholeOf(event)];
  const todos = todosAfter(state, event);
  return {
    state: { ...state, linear, prose, todos, whole, running: runningAfter(state, event, nowMs) },
    commit,
  };
}

function todosAfter({ todos }: ScreenState, event: AgentEvent): ScreenState["todos"] {
  if (event.kind !== "call_ended" || event.call.name !== todosName || event.call.isError) return todos;
  return todosIn(event.call.args) ?? todos;
}

/** How far the list of what is to be done has come, and what is under way; undefined where nothing is left. */
export function todoLine({ todos }: ScreenState): Line | undefined {
  const done = todos.filter(({ state }) => state === "done").length;
  if (done === todos.length) return undefined;
  const now = todos.find(({ state }) => state === "doing") ?? todos.find(({ state }) => state === "todo");
  return [span(`To do ${done}/${todos.length}: `, "accent"), elastic(now?.text ?? "")];
}

function runningAfter({ running }: ScreenState, event: AgentEvent, nowMs: number): ScreenState["running"] {
  switch (event.kind) {
    case "call_begun":
      return new Map([...running, [event.callId, { head: callHead(event), told: "", sinceMs: nowMs }]]);
    case "call_progress": {
      const call = running.get(event.callId);
      const { program } = event;
      if (call === undefined) return running;
      const sinceMs = event.text === "" ? nowMs : call.sinceMs;
      const told = { ...call, told: event.text, sinceMs, ...defined({ program }) };
      return new Map([...running, [event.callId, told]]);
    }
    case "call_ended":
      return new Map([...running].filter(([id]) => id !== event.call.callId));
    case "turn_ended":
      return new Map();
    default:
      return running;
  }
}

/** What one sub-agent does is kept behind its line; what has to be said is said at once. */
function inBranch(state: ScreenState, { taskId, event }: Within<"sub_agent">, nowMs: number): ScreenStep {
  const { calls, linear, lines }: Branch = state.branches.get(taskId) ?? {
    calls: 0,
    linear: linearState(nowMs, { holdsChars: Infinity }),
    lines: [],
  };
  const step = updateLinear(linear, event, nowMs);
  const said = step.output.flatMap((one) => (one.kind === "line" ? [one] : []));
  const branch: Branch = {
    calls: calls + (innermost(event).kind === "call_begun" ? 1 : 0),
    linear: step.state,
    lines: [...lines, ...said.map(({ line }) => line)].slice(-mostLines),
  };
  const notices = said
    .filter(({ isNotice }) => isNotice)
    .map(({ line }) => [...branchHead(taskId, branch), span(" "), ...line]);
  if (event.kind !== "turn_ended")
    return {
      state: { ...state, branches: new Map([...state.branches, [taskId, branch]]) },
      commit: notices.map(committed),
    };
  const branches = new Map([...state.branches].filter(([id]) => id !== taskId));
  const head = branchHead(taskId, branch);
  const words = wholeText(head, event.end.text);
  const whole = [...state.whole, { ...words, lines: [...branch.lines, ...words.lines] }];
  const closing = said.at(-1)?.line ?? [];
  return {
    state: { ...state, branches, whole },
    commit: [...notices, [...head, span(" "), ...closing]].map(committed),
  };
}

function branchHead(taskId: string, { calls }: Branch): Line {
  return [span("agent ", "accent"), span(taskId), span(`: ${counted(calls, "call")}`, "faint")];
}

/** Lines of a sub-agent that are kept. */
const mostLines = 5_000;

function wholeOf(event: AgentEvent): readonly WholeText[] {
  return event.kind === "call_ended" ? longText(callHead(event.call), event.call.text) : [];
}

function longText(title: Line, text: string, mostChars = longChars): readonly WholeText[] {
  const whole = wholeText(title, text);
  return whole.lines.length > longLines || text.length > mostChars ? [whole] : [];
}

/** A text to be looked at. */
export function wholeText(title: Line, text: string): WholeText {
  return { title, lines: text === "" ? [] : textLines(text) };
}

function secondsSince(sinceMs: number, nowMs: number): string {
  return `${Math.floor((nowMs - sinceMs) / 1_000)} s`;
}
