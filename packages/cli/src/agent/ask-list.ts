import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { Asked, AskPerson, PersonsAnswer } from "@holdfast/agent";
import type { Paint } from "../shell/terminal.js";
import { answerOf, answerOfList, choicesOf, choicesOfList, wordsOfAsked } from "./asked.js";

/** Where a person sees a question and types the answer. */
interface AskingPlace {
  readonly show: (text: string) => void;
  readonly paint: Paint;
  /** A line that was typed after the question was seen; undefined where the signal came, or the person left. */
  readonly answer: (question: string, signal?: AbortSignal) => Promise<string | undefined>;
}

/** Asks line by line: one thing by itself; several changes as one list, or one by one where the person says so. */
export function askIn(place: AskingPlace): AskPerson {
  return async (list, signal) => {
    if (list.length > 1) {
      const { said } = await askAbout(place, list, (hides) => choicesOfList(list, hides), signal);
      const given = said === undefined ? list.map(() => unanswered) : answerOfList(said, list);
      if (given !== undefined) return given;
    }
    const answers: PersonsAnswer[] = [];
    for (const asked of list) {
      const { said, hides } = await askAbout(place, [asked], (hidden) => choicesOf(asked, hidden), signal);
      answers.push(said === undefined ? unanswered : answerOf(said, asked, hides));
    }
    return answers;
  };
}

const unanswered: PersonsAnswer = { kind: "no", message: "The question was not answered." };

/** Shows, cut first and whole where that is asked for, until the answer is another one. */
async function askAbout(
  { show, paint, answer }: AskingPlace,
  list: readonly Asked[],
  choices: (hides: boolean) => string,
  signal?: AbortSignal,
): Promise<{ readonly said: string | undefined; readonly hides: boolean }> {
  for (let isWhole = false; ; isWhole = true) {
    const shown = list.map((asked) => wordsOfAsked(asked, isWhole, paint));
    for (const { words } of shown) show(`\n${words}\n`);
    const hides = shown.some((one) => one.hides);
    const said = await answer(choices(hides), signal);
    if (!hides || said === undefined || !/^s(how( all)?)?$/iu.test(said.trim())) return { said, hides };
  }
}

/**
 * Asks on standard error, in a run that is no conversation. Standard input is read only while a question is open.
 *
 * @param interrupted called for Ctrl-C, which is no signal while a line is typed. @param paint for standard error.
 */
export function askBeside(interrupted: () => void, paint: Paint): AskPerson {
  const answer = async (question: string, signal?: AbortSignal) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
    const over = new AbortController();
    lines.once("close", () => over.abort());
    lines.once("SIGINT", () => {
      lines.close();
      interrupted();
    });
    const ending = AbortSignal.any(signal === undefined ? [over.signal] : [over.signal, signal]);
    // What was typed before the question was seen answers another one.
    const early = () =>
      once(lines, "line", { signal: AbortSignal.any([ending, AbortSignal.timeout(earlyMs)]) });
    while (await early().catch(() => undefined));
    lines.write(null, { ctrl: true, name: "u" });
    const said = await lines.question(question, { signal: ending }).catch(() => undefined);
    lines.close();
    return said;
  };
  return askIn({ show: (text) => void process.stderr.write(text), paint, answer });
}

const earlyMs = 100;
