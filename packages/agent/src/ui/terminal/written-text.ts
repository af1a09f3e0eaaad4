import { escapeInParts, escapeText } from "@holdfast/core/text";
import type { RunOutput } from "../../headless/output.js";
import type { AgentEvent, TurnEnd } from "../../loop/turn.js";
import { describeResult } from "../../slash/results.js";
import { type LinearState, lastWords, linearState, updateLinear, waitLine } from "../linear/update.js";
import { drawnLines } from "../lines/between-words.js";
import { fitted, type Line, painted, signAt, signMs, themes } from "../lines/spans.js";
import type { Streams } from "./streams.js";

/** What one turn of a conversation is written to. */
export interface TurnText extends Pick<RunOutput, "onEvent" | "notice"> {
  /** Does something that has the terminal for itself, such as a question. */
  aside<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The turn is over; without an end, it was a command of the person's, of which nothing more is to be said. */
  end(end?: TurnEnd): void;
}

/** Writes a run as text in a terminal or a pipe; a sign of life, where a line can be written anew, goes on until `end`. */
export function writtenText(terminal: Streams, detail: TextDetail): RunOutput & TurnText {
  const theme = terminal.errHasColor ? themes.ansi : themes.plain;
  const shown = escapeInParts(escapeText);
  const output = textOutput(detail, {
    words: (text) => void terminal.out(detail === "talk" || terminal.outIsTerminal ? shown(text) : text),
    line: (line) => terminal.err(`${drawnLines([line], theme, terminal.columns())}\n`),
    now: Date.now,
    isApart: detail !== "talk" && !terminal.outIsTerminal,
  });
  let isAside = false;
  const live = () => {
    const line = isAside ? undefined : output.waits();
    const sign = signAt(Date.now());
    // Never in the last column: what wraps cannot be written anew.
    const room = (terminal.columns() ?? 80) - sign.length - 2;
    terminal.status(line === undefined ? "" : `${sign} ${painted(fitted(line, room), theme)}`);
  };
  const timer = detail === "notices" ? undefined : setInterval(live, signMs).unref();
  return {
    ...output,
    end: (end) => {
      clearInterval(timer);
      terminal.status("");
      if (end !== undefined) output.end(end);
    },
    aside: (work) => {
      isAside = true;
      terminal.status("");
      return work().finally(() => {
        isAside = false;
      });
    },
  };
}

/** Where the text of a run is written. */
interface TextSinks {
  /** Standard output: words of the model. They may end anywhere. */
  readonly words: (text: string) => void;
  /** Standard error: a line for a person, not yet made safe to show (`fitted`). */
  readonly line: (line: Line) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Nobody sees words and lines in one place; unless false. */
  readonly isApart?: boolean;
}

/**
 * What a person is shown of a run: `talk` and `watch` all, the words as they come; `notices` only what has to be said where
 * nobody watches, and the last words. Where nobody sees the words, those before a call are held back.
 */
type TextDetail = "talk" | "watch" | "notices";

/** A run as text, for a person. */
interface TextOutput extends RunOutput {
  /** What is waited for now; undefined where that is plain to see. */
  waits(): Line | undefined;
}

/** Writes a run as text, line after line; nothing that was written is ever changed. */
export function textOutput(
  detail: TextDetail,
  { words, line, now, isApart = detail !== "talk" }: TextSinks,
): TextOutput {
  let state: LinearState = linearState(now(), { isApart, holdsChars: isApart ? mostBeforeCall : 0 });
  const take = (event: AgentEvent) => {
    const step = updateLinear(state, event, now());
    state = step.state;
    for (const one of step.output) {
      if (one.kind === "words") words(one.text);
      else if (detail !== "notices" || one.isNotice) line(one.line);
    }
  };
  return {
    // The end of the turn is told by `end`, below the last words.
    onEvent: (event) => (event.kind === "turn_ended" ? undefined : take(event)),
    notice: (text) => take({ kind: "noticed", text }),
    end: (end) => {
      const rest = detail === "talk" ? "" : lastWords(state, end.text);
      if (rest !== "") words(rest);
      state = { ...state, isOpen: false };
      take({ kind: "turn_ended", end });
    },
    command: (result) => {
      if (result.kind === "told") return words(`${describeResult(result)}\n`);
      take({ kind: "noticed", text: result.kind === "session" ? noNextLine : describeResult(result) });
    },
    waits: () => waitLine(state, now()),
  };
}

/** More than models say before a call, in characters. */
const mostBeforeCall = 300;

/** A change of the session is a flag where there is no screen. */
const noNextLine = "There is no next line here: use --resume, --fork, or neither for a new session.";
