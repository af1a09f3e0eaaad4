import { once } from "node:events";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline/promises";
import {
  type Asked,
  type AskPerson,
  type DiffOptions,
  type EditedText,
  editText,
  fitted,
  type PersonsAnswer,
  painted,
  type Theme,
  themes,
} from "@holdfast/agent";
import type { Refusal } from "@holdfast/core/files";
import { defined } from "@holdfast/core/text";
import { escapeText } from "../shell/terminal.js";
import {
  answerByNumbers,
  answerByText,
  answerOf,
  answerOfList,
  choicesOf,
  choicesOfList,
  editableOf,
  isNumbers,
  linesOfAsked,
} from "./asked.js";

/** Where a person sees a question and types the answer. */
interface AskingPlace {
  readonly show: (text: string) => void;
  readonly theme: Theme;
  /** A line that was typed after the question was seen; undefined where the signal came, or the person left. */
  readonly answer: (question: string, signal?: AbortSignal) => Promise<string | undefined>;
  /** Opens the person's editor on a text; a sentence where there is none, or it failed. */
  readonly edit: (text: string, name: string, signal?: AbortSignal) => Promise<EditedText | Refusal>;
  readonly diff?: () => DiffOptions;
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
      let answer: PersonsAnswer | undefined;
      while (answer === undefined) {
        const { said, hides } = await askAbout(place, [asked], (hidden) => choicesOf(asked, hidden), signal);
        answer = said === undefined ? unanswered : await meant(said, asked, hides, place, signal);
      }
      answers.push(answer);
    }
    return answers;
  };
}

/** What was typed: numbers of changes, the wish to edit, or a word. Undefined: nothing was edited, which is no answer. */
async function meant(
  said: string,
  asked: Asked,
  hides: boolean,
  place: AskingPlace,
  signal?: AbortSignal,
): Promise<PersonsAnswer | undefined> {
  const file = /^e(dit)?$/iu.test(said.trim()) ? editableOf(asked) : undefined;
  if (file === undefined) {
    const byNumbers = hides ? undefined : answerByNumbers(said, asked);
    if (byNumbers !== undefined || asked.kind !== "change" || !isNumbers(said))
      return byNumbers ?? answerOf(said, asked, hides);
    place.show("No parts have these numbers; nothing is done yet.\n");
    return undefined;
  }
  const edited = await place.edit(file.after ?? "", file.path, signal);
  if (edited.kind === "edited" && edited.isChanged) return answerByText(file, edited.text);
  place.show(edited.kind === "edited" ? "Nothing was edited.\n" : `${escapeText(edited.message)}\n`);
  if (edited.kind === "edited" || edited.code === "not_found") return undefined;
  return { kind: "no", message: "The user wanted to edit it, and did not." };
}

const unanswered: PersonsAnswer = { kind: "no", message: "The question was not answered." };

/** Shows, cut first and whole where that is asked for, until the answer is another one. */
async function askAbout(
  { show, theme, answer, diff }: AskingPlace,
  list: readonly Asked[],
  choices: (hides: boolean) => string,
  signal?: AbortSignal,
): Promise<{ readonly said: string | undefined; readonly hides: boolean }> {
  for (let isWhole = false; ; isWhole = true) {
    const shown = list.map((asked) => linesOfAsked(asked, isWhole, diff?.()));
    for (const { lines } of shown)
      show(`\n${lines.map((line) => painted(fitted(line), theme)).join("\n")}\n`);
    const hides = shown.some((one) => one.hides);
    const said = await answer(choices(hides), signal);
    if (!hides || said === undefined || !/^s(how( all)?)?$/iu.test(said.trim())) return { said, hides };
  }
}

/**
 * Asks on standard error, in a run that is no conversation. Standard input is read only while a question is open.
 *
 * @param interrupted called for Ctrl-C, which is no signal while a line is typed. @param hasColor whether standard error has.
 */
export function askBeside(interrupted: () => void, hasColor: boolean): AskPerson {
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
  const show = (text: string) => void process.stderr.write(text);
  return askIn({ show, theme: themeFor(hasColor), answer, edit: editHere });
}

/** Opens the person's editor on a terminal that nobody draws on. */
export function editHere(text: string, name: string, signal?: AbortSignal): Promise<EditedText | Refusal> {
  return editText({ text, name, environment: process.env, tempDir: tmpdir(), ...defined({ signal }) });
}

/** The colours of a terminal that may have none. */
export function themeFor(hasColor: boolean): Theme {
  return hasColor ? themes.ansi : themes.plain;
}

const earlyMs = 100;
