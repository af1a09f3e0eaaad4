import type { ModelEvent } from "@holdfast/core/context";
import type { TurnNode } from "@holdfast/core/conversation/values";
import { clip, counted } from "@holdfast/core/text";
import { silenceWords } from "../../headless/stream-json.js";
import { secondsWords } from "../../host/shell-tool.js";
import { cacheBrokeWords } from "../../loop/cache-watch.js";
import type { AgentEvent, ContextStep, TurnEnd } from "../../loop/turn.js";
import { elastic, type Line, type Span, span, textLines } from "../lines/spans.js";
import { callHead, callLines, whyNot } from "./call-lines.js";

/** What was written of a turn, as far as what follows depends on it. */
export interface LinearState {
  /**
   * How many characters of an answer are held back until it is known whether it calls a tool: words before a call are short,
   * and a line like any other. 0: none, they are written as they come.
   */
  readonly holdsChars: number;
  /** Words and lines are written to different places, so that no line ends the words. */
  readonly isApart: boolean;
  /** What may be the last words: since the last call, before this answer, and how much of it is written. */
  readonly said: { readonly text: string; readonly before: string; readonly written: number };
  readonly begunMs: number;
  /** Words were written that end no line. */
  readonly isOpen: boolean;
  /** Of the answer that is under way: words of it were written. */
  readonly hasWords: boolean;
  /** Words that wait for the next ones: half a letter, or blanks that an answer begins with. */
  readonly held: string;
  /** What was thought since the last line. */
  readonly thought: string;
  /** What is waited for. */
  readonly waits: { readonly line: Line; readonly told?: string; readonly sinceMs: number } | undefined;
}

/** What is written: words as they are, or a line. A notice is for everybody, also where nobody watches. */
type LinearOutput =
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "line"; readonly line: Line; readonly isNotice: boolean };

/** What an event came to. */
interface LinearStep {
  readonly state: LinearState;
  readonly output: readonly LinearOutput[];
}

/** The state before a turn. */
export function linearState(begunMs: number, { holdsChars = 0, isApart = false } = {}): LinearState {
  const nothing = { isOpen: false, hasWords: false, held: "", thought: "", waits: undefined };
  return { ...nothing, holdsChars, isApart, begunMs, said: unsaid };
}

const unsaid: LinearState["said"] = { text: "", before: "", written: 0 };

/**
 * What the next event of a turn writes. Pure. Nothing is written twice or taken back: of words whose answer broke off that
 * is said.
 */
export function updateLinear(state: LinearState, event: AgentEvent, nowMs: number): LinearStep {
  const writing = new Writing(state, nowMs);
  writing.take(event);
  return { state: writing.state, output: writing.output };
}

/** What is waited for and for how long; undefined while words are under way, which nothing is to be mixed into. */
export function waitLine({ waits, isOpen }: LinearState, nowMs: number): Line | undefined {
  if (waits === undefined || isOpen) return undefined;
  const { line, told, sinceMs } = waits;
  const words = told ?? `${Math.floor((nowMs - sinceMs) / 1_000)} s`;
  return [...line, span(" … ", "faint"), elastic(words, "faint")];
}

/** What is left to be written of the last words of a turn, with the end of the line. */
export function lastWords({ said, isOpen, held }: LinearState, text: string): string {
  const written = said.text.slice(0, Math.max(0, said.written - held.length));
  if (written.trimEnd() === text.trimEnd() && written !== "") return isOpen ? "\n" : "";
  const isBegun = written !== "" && text.startsWith(written);
  const rest = isBegun ? text.slice(written.length) : `${isOpen ? "\n" : ""}${text}`;
  return rest === "" || rest.endsWith("\n") ? rest : `${rest}\n`;
}

/** One update while it is made. */
class Writing {
  readonly output: LinearOutput[] = [];
  /** How many sub-agents deep it happens. */
  #depth = 0;

  constructor(
    public state: LinearState,
    private readonly nowMs: number,
  ) {}

  take(event: AgentEvent): void {
    switch (event.kind) {
      case "sub_agent":
        this.#depth += 1;
        this.take(event.event);
        break;
      case "step_begun":
        this.#breakOff("… broke off; asking again");
        this.#wait([span("Waiting for the model")]);
        break;
      case "model":
        this.#model(event.event);
        break;
      case "answered":
        this.#answered(event.nodes);
        break;
      case "call_begun":
        this.#wait(callHead(event));
        break;
      case "call_progress":
        this.#told(event.text);
        break;
      case "call_ended":
        for (const line of callLines(event.call)) this.#line(line);
        break;
      case "noticed":
        this.#text(event.text, "note");
        break;
      case "context":
        for (const line of contextLines(event.done)) this.#line(line, event.done.kind === "cache_broke");
        break;
      case "turn_ended":
        this.#over(event.end);
        break;
      case "turn_begun":
        break;
      default:
        event satisfies never;
    }
  }

  #model(event: Extract<AgentEvent, { kind: "model" }>["event"]): void {
    switch (event.kind) {
      case "text-delta":
        this.#thought();
        this.#wait([span("Answering")]);
        if (this.#depth === 0) this.#saying(event.text);
        break;
      case "thought-delta":
        // A sub-agent's are told with its answer: several may think at a time.
        if (this.#depth === 0) this.#set({ thought: this.state.thought + event.text });
        this.#close();
        this.#wait([span("Thinking")]);
        break;
      case "call-delta":
        this.#thought();
        this.#close(true);
        this.#wait([span(`Writing a call of ${event.name}`)]);
        break;
      case "retry":
        this.#broken(retryWords(event, this.state.hasWords));
        this.#set({ hasWords: false, thought: "" });
        this.#wait([span("Waiting to ask again")]);
        break;
      case "silent":
        this.#text(silenceWords(event), "note");
        break;
      default:
        event satisfies never;
    }
  }

  /** The answer stands: what of its words was not written is, unless they may be the last ones of a run that holds them. */
  #answered(nodes: readonly TurnNode[]): void {
    const said = nodes.flatMap(({ payload }) => (payload.kind === "model_message" ? [payload] : []));
    this.#thought(this.#depth === 0 ? undefined : said.map(({ thought = "" }) => thought).join(" "));
    const texts = said.map(({ text }) => text).filter((text) => text !== "");
    const isCalling = nodes.some(({ payload }) => payload.kind === "tool_call");
    const { holdsChars, hasWords, said: all } = this.state;
    const isHeld = this.#depth > 0 || holdsChars > 0;
    if (!isHeld && !hasWords) for (const text of texts) this.#words(text);
    if (isHeld && !hasWords && (this.#depth > 0 || isCalling))
      for (const text of texts) this.#text(text.trim(), "plain", false);
    if (this.#depth > 0) return;
    this.#close(isCalling);
    // An answer that used up its tokens goes on where it ends.
    this.#set({ hasWords: false, said: isCalling ? unsaid : { ...all, before: all.text } });
  }

  /** Words as they come, once so many have come that they stand before no call. */
  #saying(text: string): void {
    const { holdsChars, said, isOpen } = this.state;
    const all = said.text + text;
    const isWritten = holdsChars === 0 || said.written > 0 || all.length >= holdsChars;
    if (isWritten && isOpen) this.#set({ hasWords: true });
    if (isWritten) this.#words(said.written > 0 || holdsChars === 0 ? text : all);
    this.#set({ said: { ...said, text: all, written: isWritten ? all.length : 0 } });
  }

  #over(end: TurnEnd): void {
    this.#thought();
    this.#breakOff("… broke off");
    if (this.#depth === 0) for (const line of undoneLines(end)) this.#line(line, true);
    this.#line(closingLine(end, this.#depth === 0 ? this.nowMs - this.state.begunMs : undefined));
    this.#set({ waits: undefined });
  }

  /** Words of an answer that does not stand are marked: what follows is another one. */
  #breakOff(words: string): void {
    if (this.state.hasWords) this.#broken(words);
    this.#set({ hasWords: false, thought: "" });
  }

  /** Of words that do not stand no more is to be written, and what stands is written whole. */
  #broken(words: string): void {
    this.#close(true);
    this.#text(words, "note");
    const { before } = this.state.said;
    this.#set({ said: { text: before, before, written: 0 } });
  }

  /** What was thought, folded into one line. */
  #thought(thought = this.state.thought): void {
    const text = thought.replace(/\s+/gu, " ").trim();
    this.#set({ thought: "" });
    if (text !== "")
      this.#line([span(`Thought, ${text.split(" ").length} words: ${clip(text, 81)}`, "faint")]);
  }

  #words(text: string): void {
    const { hasWords, held } = this.state;
    const come = hasWords ? held + text : (held + text).replace(/^\s*\n/u, "");
    const isBlank = !hasWords && come.trim() === "";
    // A return may be half of a line's end, and a surrogate half of a letter.
    const end = isBlank ? 0 : come.length - (/[\r\ud800-\udbff]$/.test(come) ? 1 : 0);
    const words = come.slice(0, end);
    this.#set({ held: come.slice(end) });
    if (words === "") return;
    this.output.push({ kind: "words", text: words });
    this.#set({ hasWords: true, isOpen: !words.endsWith("\n") });
  }

  /** Ends the line of words, where one is open: for what is written in the same place, or because they are over. */
  #close(isOver = false): void {
    const { isOpen, hasWords, held, isApart } = this.state;
    if (isApart && !isOver) return;
    const rest = hasWords ? held : "";
    if (isOpen || rest !== "") this.output.push({ kind: "words", text: `${rest}\n` });
    this.#set({ isOpen: false, held: "" });
  }

  #text(text: string, kind: Span["kind"], isNotice = true): void {
    for (const line of textLines(text, kind)) this.#line(line, isNotice);
  }

  #line(line: Line, isNotice = false): void {
    this.#close();
    const indent = "  ".repeat(this.#depth);
    this.output.push({ kind: "line", line: indent === "" ? line : [span(indent), ...line], isNotice });
  }

  /** What a call says of itself; nothing yet where it begins now. */
  #told(text: string): void {
    const { waits } = this.state;
    if (waits === undefined) return;
    const { line } = waits;
    this.#set({ waits: text === "" ? { line, sinceMs: this.nowMs } : { ...waits, told: text } });
  }

  /** What is waited for already goes on. */
  #wait(line: Line): void {
    const { waits } = this.state;
    const isSame = waits !== undefined && line.every(({ text }, at) => waits.line[at]?.text === text);
    if (!isSame) this.#set({ waits: { line, sinceMs: this.nowMs } });
  }

  #set(changes: Partial<LinearState>): void {
    this.state = { ...this.state, ...changes };
  }
}

/** What was done about the prompt. A break of the cache that costs little is no news. */
function contextLines(done: ContextStep): readonly Line[] {
  switch (done.kind) {
    case "clear": {
      const { cleared, tokensBefore, tokensAfter, cost, predictedSaving } = done.report;
      const why = cost > predictedSaving ? " at the limit, though it costs more than it may save" : "";
      return sizes(`${cleared.length} earlier results cleared${why}`, tokensBefore, tokensAfter);
    }
    case "compacted":
      return sizes("What came before was summed up", done.tokensBefore, done.tokensAfter);
    case "warn":
      return [
        [span(`The prompt has ${count(done.tokens)} tokens; the model is to save what it needs.`, "faint")],
      ];
    case "not_compacted":
      return [[span(done.message, "note")]];
    case "cache_broke":
      return done.tokens < worthTelling ? [] : [[span(cacheBrokeWords(done), "note")]];
    default:
      return done satisfies never;
  }
}

/** Tokens that are written again; fewer are no news for a person. */
const worthTelling = 4_096;

type Retry = Extract<ModelEvent, { kind: "retry" }>;

/** That a request failed and is made again. @param isSeen words of its answer stand there already. */
function retryWords({ failure: { message }, waitMs }: Retry, isSeen: boolean): string {
  const wait = `${(waitMs / 1_000).toFixed(1)} s`;
  return isSeen ? `… broke off; asking again in ${wait}. ${message}` : `${message} Trying again in ${wait}.`;
}

/** Why a turn is no success, and what was left undone. */
function undoneLines({ message, undone }: TurnEnd): readonly Line[] {
  const left = undone.map(({ name, code }) => [span(`Not done: ${name} (${whyNot(code)}).`, "bad")]);
  return message === undefined ? left : [...left, [span(message, "note")]];
}

/** What a turn took. @param ms left out where nobody measured it. */
function closingLine({ steps, usage, costUsd }: TurnEnd, ms?: number): Line {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = usage;
  const cached = Math.round((cachedInputTokens / inputTokens) * 100);
  const parts = [
    counted(steps, "request"),
    `${count(inputTokens)} tokens in${cached > 0 ? ` (${cached} % cached)` : ""}`,
    `${count(outputTokens)} out`,
    ...(costUsd === undefined || costUsd === 0 ? [] : [`$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`]),
    ...(ms === undefined ? [] : [secondsWords(ms / 1_000)]),
  ];
  return [span(parts.join(", "), "faint")];
}

function sizes(words: string, before: number, after: number): readonly Line[] {
  return [[span(`${words}: ${count(before)} → ${count(after)} tokens`, "faint")]];
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
