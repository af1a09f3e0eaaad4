import type { Key } from "./keys.js";
import { type Folds, freeSign, isFolded, lineStartAt, unfolded, unitBefore, unitEnd } from "./units.js";

/** A text that a person types. A value: each key makes another one of it. */
export interface EditorState {
  /** With one character for each long paste. */
  readonly text: string;
  /** UTF-16 units, never within a grapheme. */
  readonly cursor: number;
  readonly folds: Folds;
  /** What was deleted last, for Ctrl-Y. */
  readonly deleted: string;
  /** What was sent before, the oldest first. */
  readonly history: readonly string[];
  /** Which of it is shown; its length where none is. */
  readonly recalled: number;
  /** What was typed before something was recalled. */
  readonly draft: string;
  /** A search in the history: its words, and the entry that holds them. */
  readonly search?: { readonly words: string; readonly at: number };
  /** Whether a model works: Alt-Enter then sends for later. */
  readonly isBusy: boolean;
  /** Whether Enter sends nothing, too. */
  readonly maySendNothing: boolean;
  /** Whether the text is a secret, which is not shown. */
  readonly isSecret: boolean;
  /** What the last key asks of whoever holds the editor. */
  readonly wish?: EditorWish;
  /** What the text was before, the last one last, and what was undone of it. */
  readonly past: readonly EditorMoment[];
  readonly future: readonly EditorMoment[];
  /** Whether letters are being typed, which are undone word by word. */
  readonly isTyping: boolean;
  /** The modes of vi, where the person wants them. */
  readonly vi?: ViMode;
}

/** A text to go back to. */
type EditorMoment = Pick<EditorState, "text" | "cursor" | "folds">;

/** Where a person is in the modes of vi. */
export interface ViMode {
  readonly mode: "insert" | "normal" | "visual";
  /** Keys of a command that is not whole. */
  readonly keys: string;
  /** Where a selection began. */
  readonly anchor: number;
  /** The last search within a line, such as `fx`. */
  readonly find: string;
  /** The last command that changed the text, and what was then typed. */
  readonly repeats: { readonly keys: string; readonly typed: string };
  /** Where typing began. */
  readonly typedFrom: number;
}

/** What no editor can do by itself. `send`: now, or while a model works with its next request; `queue`: after its work. */
export type EditorWish =
  | { readonly kind: "send" | "queue"; readonly text: string }
  | { readonly kind: "complete" | "edit" | "interrupt" | "escape" | "leave" | "suspend" | "redraw" };

/** An editor without a text. */
export function emptyEditor(
  history: readonly string[] = [],
  more: Partial<Pick<EditorState, "maySendNothing" | "isSecret" | "vi">> = {},
): EditorState {
  const typed = {
    text: "",
    cursor: 0,
    folds: new Map<string, string>(),
    deleted: "",
    draft: "",
    isBusy: false,
    past: [],
    future: [],
    isTyping: false,
  };
  return { ...typed, history, recalled: history.length, maySendNothing: false, isSecret: false, ...more };
}

/** What a key makes of the text, without the modes of vi. Pure. */
export function edited({ wish: _, ...state }: EditorState, key: Key): EditorState {
  const next = pressed(state, key);
  const isMove = key.kind === "chord" && (keyOf.get(key.chord) ?? key.chord) === "ctrl-_";
  return isMove || next.wish !== undefined ? next : remembered(state, next, key.kind === "text");
}

/** The second state, from which one can go back to the first; letters that follow one another are one step. */
export function remembered(before: EditorState, after: EditorState, isTyping = false): EditorState {
  if (before.text === after.text) return { ...after, isTyping: isTyping && before.isTyping };
  const goesOn = isTyping && before.isTyping && !/\s$/u.test(before.text.slice(0, before.cursor));
  const past = goesOn ? before.past : [...before.past.slice(-mostMoments), momentOf(before)];
  return { ...after, past, future: [], isTyping };
}

/** The text before the last change, or after it again. */
export function undone(state: EditorState, way: "past" | "future" = "past"): EditorState {
  const back = way === "past" ? "future" : "past";
  const moment = state[way].at(-1);
  if (moment === undefined) return state;
  const rest = { [way]: state[way].slice(0, -1), [back]: [...state[back], momentOf(state)] };
  return { ...state, ...moment, ...rest, isTyping: false };
}

function momentOf({ text, cursor, folds }: EditorState): EditorMoment {
  return { text, cursor, folds };
}

const mostMoments = 200;

function pressed(state: EditorState, key: Key): EditorState {
  if (state.search !== undefined) return searching(state, state.search, key);
  if (key.kind === "chord") return actions[keyOf.get(key.chord) ?? key.chord]?.(state) ?? state;
  return inserted(state, key.text.replace(/\r\n?/gu, "\n"));
}

/** The text as it is sent. */
export function textOf({ text, folds }: EditorState): string {
  return unfolded(text, folds);
}

/** The same editor with another text, and the cursor at its end. */
export function withText(state: EditorState, text: string): EditorState {
  return remembered(state, inserted({ ...state, text: "", cursor: 0 }, text));
}

/** Replaces the text from a position to the cursor. */
export function replaced(state: EditorState, from: number, by: string): EditorState {
  return remembered(state, inserted(dropped(state, from, state.cursor), by));
}

/** The entry that a search has found. */
export function foundEntry({ history, search }: EditorState): string | undefined {
  return search === undefined ? undefined : history[search.at];
}

type Act = (state: EditorState) => EditorState;

const wishes =
  (kind: Exclude<EditorWish["kind"], "send" | "queue">): Act =>
  (state) => ({ ...state, wish: { kind } });

/** Cuts without a place for it in `deleted`. */
const dropped = (state: EditorState, from: number, to: number): EditorState => ({
  ...cut(state, from, to),
  deleted: state.deleted,
});

/** What each key does; a key that is neither here nor another name of one here does nothing. */
const actions: Readonly<Record<string, Act>> = {
  enter: (state) =>
    state.text[state.cursor - 1] === "\\" ? replaced(state, state.cursor - 1, "\n") : sent(state, "send"),
  "alt-enter": (state) => (state.isBusy ? sent(state, "queue") : inserted(state, "\n")),
  "ctrl-j": (state) => inserted(state, "\n"),
  left: (state) => moved(state, unitBefore(state.text, state.cursor, state.folds)),
  right: (state) => moved(state, unitEnd(state.text, state.cursor, state.folds)),
  "alt-b": (state) => moved(state, wordStart(state)),
  "alt-f": (state) => moved(state, wordEnd(state)),
  home: (state) => moved(state, lineStart(state)),
  end: (state) => moved(state, lineEnd(state)),
  up: (state) => vertical(state, -1) ?? recalled(state, state.recalled - 1),
  down: (state) => vertical(state, 1) ?? recalled(state, state.recalled + 1),
  "ctrl-p": (state) => recalled(state, state.recalled - 1),
  "ctrl-n": (state) => recalled(state, state.recalled + 1),
  "ctrl-r": (state) => (state.isSecret ? state : searched(state, { words: "", at: state.history.length })),
  backspace: (state) => dropped(state, unitBefore(state.text, state.cursor, state.folds), state.cursor),
  delete: (state) => dropped(state, state.cursor, unitEnd(state.text, state.cursor, state.folds)),
  "ctrl-d": (state) => (state.text === "" ? wishes("leave")(state) : (actions.delete?.(state) ?? state)),
  "ctrl-w": (state) =>
    cut(state, state.cursor - tail(/\S*\s*$/u, state.text.slice(0, state.cursor)), state.cursor),
  "alt-backspace": (state) => cut(state, wordStart(state), state.cursor),
  "alt-d": (state) => cut(state, state.cursor, wordEnd(state)),
  "ctrl-u": (state) => cut(state, lineStart(state), state.cursor),
  "ctrl-k": (state) => cut(state, state.cursor, lineEnd(state)),
  "ctrl-y": (state) => inserted(state, unfolded(state.deleted, state.folds)),
  "ctrl-c": (state) => (state.text === "" ? wishes("interrupt")(state) : cut(state, 0, state.text.length)),
  "ctrl-_": (state) => undone(state),
  "ctrl-z": wishes("suspend"),
  "ctrl-g": wishes("edit"),
  "ctrl-l": wishes("redraw"),
  tab: wishes("complete"),
  escape: wishes("escape"),
};

const otherNames: Readonly<Record<string, readonly string[]>> = {
  "ctrl-j": ["shift-enter", "ctrl-enter"],
  left: ["ctrl-b"],
  right: ["ctrl-f"],
  "alt-b": ["ctrl-left", "alt-left"],
  "alt-f": ["ctrl-right", "alt-right"],
  home: ["ctrl-a"],
  end: ["ctrl-e"],
  "ctrl-_": ["ctrl-/", "ctrl-7"],
  "alt-backspace": ["ctrl-backspace"],
};
const keyOf = new Map(Object.entries(otherNames).flatMap(([key, names]) => names.map((name) => [name, key])));

function inserted(state: EditorState, given: string): EditorState {
  const sign = isFolded(given) ? freeSign(state.folds) : undefined;
  const text = sign ?? given;
  const folds = sign === undefined ? state.folds : new Map([...state.folds, [sign, given]]);
  const whole = state.text.slice(0, state.cursor) + text + state.text.slice(state.cursor);
  const cursor = state.cursor + text.length;
  return { ...state, text: whole, folds, cursor: snapped(whole, cursor, folds) };
}

/** What is put in may join with what stands behind it. */
function snapped(text: string, cursor: number, folds: Folds): number {
  if (cursor === 0 || text[cursor - 1] === "\n") return cursor;
  return unitEnd(text, cursor - 1, folds);
}

/** The text without a stretch, which Ctrl-Y puts back. */
export function cut(state: EditorState, from: number, to: number): EditorState {
  const { text } = state;
  const whole = text.slice(0, from) + text.slice(to);
  const deleted = from < to ? text.slice(from, to) : state.deleted;
  return { ...state, text: whole, cursor: snapped(whole, from, state.folds), deleted };
}

/** The same text with the cursor elsewhere. */
export function moved(state: EditorState, cursor: number): EditorState {
  return { ...state, cursor };
}

function sent(state: EditorState, kind: "send" | "queue"): EditorState {
  const text = textOf(state);
  if (text.trim() === "" && !state.maySendNothing) return state;
  const history = state.history.at(-1) === text ? state.history : [...state.history, text];
  const { maySendNothing, isSecret, isBusy, vi } = state;
  const next = emptyEditor(history, {
    maySendNothing,
    isSecret,
    ...(vi && { vi: { ...vi, mode: "insert" } }),
  });
  return { ...next, isBusy, wish: { kind, text } };
}

/** Where the line of the cursor begins. */
export function lineStart({ text, cursor }: EditorState): number {
  return lineStartAt(text, cursor);
}

/** Where the line of the cursor ends. */
export function lineEnd({ text, cursor }: EditorState): number {
  const at = text.indexOf("\n", cursor);
  return at < 0 ? text.length : at;
}

function wordStart({ text, cursor }: EditorState): number {
  return cursor - tail(/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u, text.slice(0, cursor));
}

function wordEnd({ text, cursor }: EditorState): number {
  return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

function tail(form: RegExp, text: string): number {
  return form.exec(text)?.[0].length ?? 0;
}

/** A line up or down at the same column; undefined where there is none. */
export function vertical(state: EditorState, by: -1 | 1): EditorState | undefined {
  const { text, cursor } = state;
  const edge = by < 0 ? lineStart(state) - 1 : lineEnd(state) + 1;
  if (edge < 0 || edge > text.length) return undefined;
  const start = lineStartAt(text, edge);
  const stop = lineEnd({ ...state, cursor: start });
  const wanted = Math.min(stop, start + cursor - lineStart(state));
  const isInside = wanted > start && wanted < stop;
  return moved(state, isInside ? snapped(text, wanted, state.folds) : wanted);
}

function recalled(state: EditorState, at: number): EditorState {
  if (at < 0 || at > state.history.length || at === state.recalled) return state;
  const draft = state.recalled === state.history.length ? state.text : state.draft;
  const entry = state.history[at];
  const shown =
    entry === undefined ? { ...state, text: draft, cursor: draft.length } : withText(state, entry);
  return { ...shown, recalled: at, draft };
}

/** A key within a search of the history: Ctrl-R goes on, Ctrl-C and Ctrl-G give up, any other key takes what is found. */
function searching(state: EditorState, search: NonNullable<EditorState["search"]>, key: Key): EditorState {
  const { search: _, ...bare } = state;
  if (key.kind !== "chord") return searched(state, { ...search, words: search.words + key.text });
  switch (key.chord) {
    case "ctrl-r":
      return searched(state, search, -1);
    case "backspace":
      return searched(state, { words: search.words.slice(0, -1), at: state.history.length });
    case "ctrl-c":
    case "ctrl-g":
      return bare;
    case "enter":
      return foundEntry(state) === undefined ? bare : pressed(recalled(bare, search.at), key);
    case "escape":
    case "tab":
      return recalled(bare, search.at);
    default:
      return pressed(recalled(bare, search.at), key);
  }
}

/** @param by how far from the entry that is shown it begins; with 0 that one may stay. */
function searched(
  state: EditorState,
  { words, at }: NonNullable<EditorState["search"]>,
  by: -1 | 0 = 0,
): EditorState {
  // Without a capital it finds capitals, too.
  const hasCapital = words !== words.toLowerCase();
  const holds = (entry: string) => (hasCapital ? entry : entry.toLowerCase()).includes(words);
  const found = state.history.findLastIndex((entry, index) => index <= at + by && holds(entry));
  return { ...state, search: { words, at: found < 0 || (words === "" && by === 0) ? at : found } };
}
