import { answerAfterMs } from "@holdfast/agent/ui";
import { escapeText } from "@holdfast/core/text";
import type { Completion } from "../input/complete.js";
import {
  type EditorState,
  type EditorWish,
  emptyEditor,
  replaced,
  textOf,
  withText,
} from "../input/editor.js";
import type { Key } from "../input/keys.js";
import { startVi, update, viWords } from "../input/vi.js";
import { sentWords } from "../input/view.js";
import type { Menu, ScreenInput } from "../screen/view.js";
import type { InputHistory } from "./input-history.js";
import type { Question, SentLine } from "./typed-lines.js";

/** Completes a text. */
export type Completer = (text: string) => Promise<Completion>;

/** Words to choose from, and the end of the text that they stand for. */
type OfferedWords = Menu & { readonly end: string };

/** What a person types: for the model, or as an answer; with what waits, and words to choose from. */
export class TypedInput {
  /** What is typed for the model. */
  #draft: EditorState;
  /** What is typed as an answer. */
  #answer: EditorState | undefined;
  /** Whether the question does not listen yet: what is typed was begun before it. */
  #isDue = false;
  #question: Question | undefined;
  /** What is sent otherwise than it was typed: the key that answered the question, a word that was chosen. */
  #chosen: { readonly shown: string; readonly isAnswer: boolean } | undefined;
  #waiting: readonly SentLine[] = [];
  #menu: OfferedWords | undefined;
  /** The text for which words are looked up. */
  #asked = "";

  /** @param changed words to choose from have come. @param hasVi whether it has the modes of vi. */
  constructor(
    private readonly completer: Completer,
    private readonly history: InputHistory | undefined,
    private readonly changed: () => void,
    hasVi: boolean,
  ) {
    this.#draft = emptyEditor(history?.entries, hasVi ? { vi: startVi } : {});
  }

  get question(): Question | undefined {
    return this.#question;
  }

  get isAnswer(): boolean {
    return this.#answer !== undefined;
  }

  get text(): string {
    return textOf(this.#editor);
  }

  set text(text: string) {
    this.#set(withText(this.#editor, text));
  }

  set waiting(lines: readonly SentLine[]) {
    this.#waiting = lines;
  }

  ask(question: Question | undefined): void {
    this.#question = question;
    const { wants } = question ?? {};
    this.#isDue = wants === "answer";
    this.#answer = undefined;
    this.#draft = { ...this.#draft, isBusy: wants !== "prompt" };
    if (wants !== "prompt") this.#menu = undefined;
  }

  /**
   * Lets a question listen, once the line is empty and a while after the last key.
   *
   * @returns in how many milliseconds it may; undefined where it does, or a line stands there.
   */
  listen(quietMs: number): number | undefined {
    if (!this.#isDue || this.#draft.text.trim() !== "" || this.#draft.search !== undefined) return undefined;
    if (quietMs < answerAfterMs) return answerAfterMs - quietMs;
    this.#isDue = false;
    // An Enter that was pressed while an editor had the terminal is an empty line here.
    this.#draft = withText(this.#draft, "");
    const isSecret = this.#question?.isSecret === true;
    // Enter may be pressed behind a key that answered the question before.
    const maySendNothing = !/\[n\]/u.test(this.#question?.label ?? "");
    this.#answer = emptyEditor([], { maySendNothing, isSecret });
    return undefined;
  }

  /** Puts texts before what was begun. */
  takeBack(lines: readonly SentLine[]): void {
    const begun = textOf(this.#draft);
    const texts = [...lines.map(({ text }) => text), ...(begun === "" ? [] : [begun])];
    if (lines.length > 0) this.#draft = withText(this.#draft, texts.join("\n"));
  }

  /**
   * What a key asks for that no text can do by itself. A letter that the question offers answers it on an empty line.
   *
   * @param isAlone no other key came with it: what is pasted answers nothing.
   */
  key(key: Key, isAlone = false): EditorWish | undefined {
    const isEnter = key.kind === "chord" && key.chord === "enter";
    if (isAlone && this.#answer?.text === "" && key.kind === "text" && this.#isOffered(key.text)) {
      this.#answer = undefined;
      this.#chosen = { shown: key.text, isAnswer: true };
      return { kind: "send", text: key.text };
    }
    if (isEnter && this.#menu === undefined && this.#answer === undefined && chooses.test(this.#draft.text)) {
      this.#draft = withText(this.#draft, `${this.#draft.text} `);
      return undefined;
    }
    if (this.#menu !== undefined && this.#chooses(this.#menu, key)) {
      const isSent = isEnter && choosing.test(this.#draft.text);
      if (!isSent) return undefined;
      this.#chosen = { shown: escapeText(this.#draft.text.trimEnd()), isAnswer: false };
    }
    // It may be the beginning of a secret, which a line for the model would show.
    if (this.#isDue && this.#question?.isSecret === true && key.kind !== "chord") return undefined;
    const after = update(this.#editor, key);
    this.#set(after);
    return after.wish;
  }

  /** A text that was sent by the last key. @param shown how it stands in the scrollback. */
  sent({ kind, text }: Extract<EditorWish, { text: string }>, shown: string): SentLine {
    this.#menu = undefined;
    const chosen = this.#chosen;
    this.#chosen = undefined;
    if (chosen?.isAnswer === true) return { text, steers: false, ...chosen };
    if (this.#answer === undefined) this.history?.add(text);
    if (chosen !== undefined) return { text, steers: false, ...chosen };
    return { text, shown, steers: kind === "send", isAnswer: this.#answer !== undefined };
  }

  /** Whether a question has this letter in brackets, such as `[y]es`. */
  #isOffered(letter: string): boolean {
    const { label = "", isSecret } = this.#question ?? {};
    return isSecret !== true && /^\p{L}$/u.test(letter) && label.includes(`[${letter.toLowerCase()}]`);
  }

  /** How the text would stand in the scrollback. */
  get shownText(): string {
    return sentWords(this.#editor, "");
  }

  /** Looks up what a command or a name that was begun may become, and offers it; nothing is chosen by that. */
  async suggest(): Promise<void> {
    const begun = this.#draft.text.slice(0, this.#draft.cursor);
    const isBegun =
      this.#answer === undefined &&
      this.#question?.wants === "prompt" &&
      /^\/[^\n]*$|(?:^|\s)@[^\s]*$/u.test(begun);
    if (!isBegun) this.#menu = undefined;
    if (!isBegun || begun === this.#asked) {
      if (!isBegun) this.#asked = "";
      return;
    }
    this.#asked = begun;
    const { candidates, from, says } = await this.completer(begun);
    if (this.#asked !== begun) return;
    const end = begun.slice(from);
    const isNews = candidates.some((candidate) => candidate !== end);
    const chosen = choosing.test(begun) ? 0 : -1;
    this.#menu = isNews ? { candidates, end, chosen, ...(says && { says }) } : undefined;
    this.changed();
  }

  /** Completes the text as far as that is clear, and offers the rest. */
  async complete(): Promise<void> {
    const before = this.#draft;
    if (this.#answer !== undefined || before.text === "") return;
    const { candidates, from, says } = await this.completer(before.text.slice(0, before.cursor));
    const end = before.text.slice(from, before.cursor);
    const [only, second] = candidates;
    const isWhole = only !== undefined && second === undefined && !only.endsWith("/");
    const common = isWhole ? `${only} ` : commonStart(candidates);
    this.#menu = undefined;
    if (isWhole || common.length > end.length)
      this.#draft = replaced(before, before.cursor - end.length, common);
    else if (only !== undefined) this.#menu = { candidates, end, chosen: 0, ...(says && { says }) };
    this.#asked = this.#draft.text.slice(0, this.#draft.cursor);
  }

  shown(hint: string | undefined): ScreenInput {
    const editor = this.#editor;
    // Where nothing is asked, nothing looks as if it were.
    const asked = this.#isDue ? undefined : this.#question;
    const isIdle = asked === undefined && editor.text === "" && editor.search === undefined;
    const mode = viWords(editor);
    const label = isIdle ? "" : `${mode === "" ? "" : `${mode} `}${asked?.label ?? "> "}`;
    const menu = this.#menu;
    const isKeys = this.#answer?.text === "" && label.includes("[n]");
    const said = hint ?? (this.#isDue && !isIdle ? waitingQuestion : isKeys ? oneKey(label) : undefined);
    return {
      editor,
      label,
      isQuestion: this.#answer !== undefined,
      waiting: this.#waiting,
      ...(menu === undefined ? {} : { menu }),
      ...(said === undefined ? {} : { hint: said }),
    };
  }

  get #editor(): EditorState {
    return this.#answer ?? this.#draft;
  }

  #set(state: EditorState): void {
    if (this.#answer === undefined) this.#draft = state;
    else this.#answer = state;
  }

  /** Whether the key is for the words that are offered. */
  #chooses(menu: OfferedWords, key: Key): boolean {
    const { candidates, chosen, end } = menu;
    const chord = key.kind === "chord" ? key.chord : "";
    if (chord === "escape") this.#menu = undefined;
    else if (chord === "down") this.#menu = { ...menu, chosen: (chosen + 1) % candidates.length };
    else if (chord === "up" && chosen >= 0)
      this.#menu = { ...menu, chosen: (chosen + candidates.length - 1) % candidates.length };
    else if ((chord === "enter" || chord === "tab") && chosen >= 0) {
      const taken = candidates[chosen] ?? end;
      const blank = taken.endsWith("/") ? "" : " ";
      this.#draft = replaced(this.#draft, this.#draft.cursor - end.length, taken + blank);
      this.#menu = undefined;
    } else return false;
    return true;
  }
}

/** Commands that name one thing, which is chosen: from a list that Enter opens, and whose row Enter takes. */
const chooses = /^\/(?:model|resume)$/u;
const choosing = /^\/(?:model|resume|effort|mode|mcp) \S* ?$/u;

/** What is said of a question that stands. */
function oneKey(label: string): string {
  const isOfModel = /^Do it\?/u.test(label);
  return `One key answers. Other words and Enter are a no${isOfModel ? ", and the model reads them" : ""}.`;
}

/** What is said where a question waits for the line. */
export const waitingQuestion =
  "A question waits above: send this line to the model, or clear it with Ctrl-C.";

function commonStart(texts: readonly string[]): string {
  const [first = "", ...others] = texts;
  let length = first.length;
  while (!others.every((text) => text.startsWith(first.slice(0, length)))) length -= 1;
  return first.slice(0, length);
}
