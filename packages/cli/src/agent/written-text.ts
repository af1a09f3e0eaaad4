import {
  fitted,
  painted,
  type TextDetail,
  type TextOutput,
  type TurnEnd,
  textOutput,
  themes,
} from "@holdfast/agent";
import { escapeInParts, escapeText } from "@holdfast/core/text";
import type { Terminal } from "../shell/terminal.js";

/** A run as text in a terminal or a pipe, with a sign of life where a line can be written anew. */
interface WrittenText extends TextOutput {
  /** Does something that has the terminal for itself, such as a question. */
  aside<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** What one turn of a conversation needs of it. */
export interface TurnText extends Pick<WrittenText, "onEvent" | "notice" | "aside"> {
  /** The turn is over; without an end, it was a command of the person's, of which nothing more is to be said. */
  end(end?: TurnEnd): void;
}

/** Writes a run as text; the sign of life goes on until `end`. */
export function writtenText(terminal: Terminal, detail: TextDetail): WrittenText & TurnText {
  const theme = terminal.errHasColor ? themes.ansi : themes.plain;
  const shown = escapeInParts(escapeText);
  const output = textOutput(detail, {
    words: (text) => void terminal.out(detail === "talk" || terminal.outIsTerminal ? shown(text) : text),
    line: (line) => terminal.err(`${painted(fitted(line, terminal.columns()), theme)}\n`),
    now: Date.now,
  });
  let isAside = false;
  const live = () => {
    const line = isAside ? undefined : output.waits();
    const sign = frames[Math.floor(Date.now() / frameMs) % frames.length] ?? "";
    // Never in the last column: what wraps cannot be written anew.
    const room = (terminal.columns() ?? 80) - sign.length - 2;
    terminal.status(line === undefined ? "" : `${sign} ${painted(fitted(line, room), theme)}`);
  };
  const timer = detail === "notices" ? undefined : setInterval(live, frameMs).unref();
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

const frames = ["-", "\\", "|", "/"];
const frameMs = 200;
