import type { Refusal } from "@holdfast/core/files/values";
import { escapeText } from "@holdfast/core/text";
import type { EditedText } from "../../host/editor.js";
import type { Asked, AskPerson, PersonsAnswer } from "../../loop/gate.js";
import type { DiffOptions } from "../diff/diff-lines.js";
import { drawnLines, rowsOf } from "../lines/between-words.js";
import { type Line, span, type Theme, themes } from "../lines/spans.js";
import { isTooSmall, tooSmall, type WindowSize } from "../lines/window.js";
import {
  answerByNumbers,
  answerByText,
  answerOf,
  answerOfList,
  answerToPlan,
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
  /** The cells in which it is shown; undefined where nothing knows them. */
  readonly size?: () => WindowSize | undefined;
}

/** Asks line by line: one thing by itself; several changes as one list, or one by one where the person says so. */
export function askIn(place: AskingPlace): AskPerson {
  return async (list, signal) => {
    while (list.length > 1) {
      const { said, isSeen } = await askAbout(place, list, (hides) => choicesOfList(list, hides), signal);
      const given = said === undefined ? list.map(() => unanswered) : answerOfList(said, list);
      if (given === undefined) break;
      if (isSeen || given.every(({ kind }) => kind === "no")) return given;
      place.show(`${tooSmall}\n`);
    }
    const answers: PersonsAnswer[] = [];
    for (const asked of list) {
      let answer = asked.kind === "plan" ? await aboutPlan(place, asked, signal) : undefined;
      while (answer === undefined) {
        const choices = (hidden: boolean) => choicesOf(asked, hidden);
        const { said, hides, isSeen } = await askAbout(place, [asked], choices, signal);
        answer = said === undefined ? unanswered : await meant(said, asked, hides, place, signal);
        if (isSeen || answer === undefined || answer.kind === "no") continue;
        place.show(`${tooSmall}\n`);
        answer = undefined;
      }
      answers.push(answer);
    }
    return answers;
  };
}

/** Asks about a plan until the answer is none to edit it. */
async function aboutPlan(
  place: AskingPlace,
  asked: Extract<Asked, { kind: "plan" }>,
  signal?: AbortSignal,
): Promise<PersonsAnswer> {
  let { plan } = asked;
  for (;;) {
    const choices = (hides: boolean) => choicesOf(asked, hides);
    const { said, isSeen } = await askAbout(place, [{ ...asked, plan }], choices, signal);
    if (said === undefined) return unanswered;
    if (/^e(dit)?$/iu.test(said.trim())) {
      const edited = await place.edit(plan, "plan.md", signal);
      if (edited.kind === "edited") plan = edited.text;
      else place.show(`${escapeText(edited.message)}\n`);
      continue;
    }
    const answer = answerToPlan(said, plan === asked.plan ? undefined : plan);
    if (isSeen || answer.kind === "no") return answer;
    place.show(`${tooSmall}\n`);
  }
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

/** What was typed, and whether the question was there to be seen then. */
interface Said {
  readonly said: string | undefined;
  readonly hides: boolean;
  readonly isSeen: boolean;
}

/** Shows, cut first and whole where that is asked for, until the answer is another one. */
async function askAbout(
  { show, theme, answer, diff, size }: AskingPlace,
  list: readonly Asked[],
  choices: (hides: boolean) => string,
  signal?: AbortSignal,
): Promise<Said> {
  for (let isWhole = false; ; isWhole = true) {
    const shown = list.map((asked) => linesOfAsked(asked, isWhole, diff?.()));
    const before = size?.();
    for (const { lines } of shown) show(`\n${drawnLines(lines, theme, before?.columns).join("\n")}\n`);
    const hides = shown.some((one) => one.hides);
    const question = choices(hides);
    const said = await answer(question, signal);
    const lines = [...shown.flatMap((one) => one.lines), [span(question)]];
    const isSeen = [before, size?.()].every((one) => one === undefined || isInView(lines, one));
    if (!hides || said === undefined || !/^s(how( all)?)?$/iu.test(said.trim()))
      return { said, hides, isSeen };
  }
}

/** Whether what is asked can be seen. Some rows are taken by what goes on. */
function isInView(lines: readonly Line[], size: WindowSize): boolean {
  const [all, last] = [lines, lines.slice(-1)].map((some) => rowsOf(some, size.columns) + 3);
  return !isTooSmall(size, all ?? 0) && (last ?? 0) <= size.rows;
}

/** What a person is asked, as text without colours. */
export function wordsOfAsked(asked: Asked): string {
  return drawnLines(linesOfAsked(asked).lines, themes.plain).join("\n");
}
