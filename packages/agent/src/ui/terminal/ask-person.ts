import { createInterface } from "node:readline/promises";
import { setTimeout as wait } from "node:timers/promises";
import { editText } from "../../host/editor.js";
import type { AskPerson } from "../../loop/gate.js";
import { askIn } from "../asking/ask-list.js";
import { themes } from "../lines/spans.js";
import { isTooSmall, tooSmall } from "../lines/window.js";
import { windowSize } from "./streams.js";

/** Where a question is asked that no conversation surrounds. */
interface AskingBeside {
  /** Standard output unless given. */
  readonly output?: NodeJS.WriteStream;
  /** It is not answered then. */
  readonly signal?: AbortSignal | undefined;
  /** Called for Ctrl-C, which is no signal while a line is typed. */
  readonly interrupted?: () => void;
}

/** Whether a person says yes; not where there is no terminal to ask in, nor where the question does not fit into it. */
export async function consents(question: string): Promise<boolean> {
  const isYes = /^y(es)?$/i.test(await askPerson(question));
  // How much was shown before it is not known.
  if (!isYes || !isTooSmall(windowSize(), Number.POSITIVE_INFINITY)) return isYes;
  process.stderr.write(`${tooSmall}\n`);
  return false;
}

/** A line of the person's; empty where there is no terminal to ask in. */
export async function askPerson(question: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return "";
  return ((await askInTerminal(question)) ?? "").trim();
}

/**
 * Asks in the terminal, whose input is read only while the question is open. What was typed before it was seen, up to a
 * while after the last key, answers another one. @returns undefined where the signal came, or the person left.
 */
async function askInTerminal(question: string, asking: AskingBeside = {}): Promise<string | undefined> {
  const { output = process.stdout, signal, interrupted } = asking;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const over = new AbortController();
  lines.once("close", () => over.abort());
  lines.once("SIGINT", () => {
    lines.close();
    if (interrupted === undefined) process.kill(process.pid, "SIGINT");
    else interrupted();
  });
  const ending = AbortSignal.any(signal === undefined ? [over.signal] : [over.signal, signal]);
  let keyMs = Date.now();
  const note = () => {
    keyMs = Date.now();
  };
  process.stdin.on("keypress", note);
  while (Date.now() - keyMs < answerAfterMs && !ending.aborted)
    await wait(answerAfterMs - (Date.now() - keyMs), undefined, { signal: ending }).catch(() => {});
  process.stdin.off("keypress", note);
  lines.write(null, { ctrl: true, name: "u" });
  const said = await lines.question(question, { signal: ending }).catch(() => undefined);
  lines.close();
  return said;
}

/**
 * Asks on standard error, in a run that is no conversation. @param interrupted called for Ctrl-C. @param hasColor whether
 * standard error has.
 */
export function askBeside(interrupted: () => void, hasColor: boolean): AskPerson {
  const output = process.stderr;
  return askIn({
    show: (text) => void output.write(text),
    theme: hasColor ? themes.ansi : themes.plain,
    answer: (question, signal) => askInTerminal(question, { output, signal, interrupted }),
    edit: (text, name, signal) => editText({ text, name, signal }),
    size: () => windowSize(output),
  });
}

/** Without a key for so long, what is pressed next is meant for the question. */
export const answerAfterMs = 350;
