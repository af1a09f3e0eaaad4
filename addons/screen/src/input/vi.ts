import {
  cut,
  type EditorState,
  edited,
  lineEnd,
  lineStart,
  moved,
  remembered,
  replaced,
  undone,
  type ViMode,
  vertical,
} from "./editor.js";
import type { Key } from "./keys.js";
import { lineStartAt, unitBefore, unitEnd } from "./units.js";

/** The modes of vi at the beginning: letters are typed. */
export const startVi: ViMode = {
  mode: "insert",
  keys: "",
  anchor: 0,
  find: "",
  repeats: { keys: "", typed: "" },
  typedFrom: 0,
};

/** What a key makes of the text: by the modes of vi where the person wants them, else as it is pressed. Pure. */
export function update(state: EditorState, key: Key): EditorState {
  const { vi, search } = state;
  if (vi === undefined || search !== undefined) return edited(state, key);
  const { wish: _, ...bare } = state;
  if (vi.mode === "insert") return isEscape(key) ? leaveInsert(bare, vi) : edited(bare, key);
  if (key.kind === "text") return Array.from(key.text).reduce(letter, bare);
  if (key.kind === "chord" && key.chord === "ctrl-r") return undone(bare, "future");
  if (isEscape(key) && (vi.keys !== "" || vi.mode === "visual"))
    return inMode(bare, { mode: "normal", keys: "" });
  return edited(bare, key);
}

/** The mode, for the status; nothing where letters are typed. */
export function viWords({ vi }: EditorState): string {
  if (vi === undefined || vi.mode === "insert") return "";
  return `${vi.mode.toUpperCase()}${vi.keys === "" ? "" : ` ${vi.keys}`}`;
}

/** A command as it was typed. `count` is 1 unless given. */
interface ViCommand {
  readonly operator: string;
  readonly count: number;
  readonly action: string;
}

/** Where a motion leads; a linewise one takes whole lines with it. */
interface Reach {
  readonly from: number;
  readonly to: number;
  readonly isLinewise?: true;
}

/** Counts, an operator, and what it is about; a selection is what its operator is about. */
const forms = {
  normal: /^([1-9]\d*)?([dcy]?)([1-9]\d*)?(.*)$/su,
  visual: /^([1-9]\d*)?()()(.*)$/su,
} as const;

function letter(state: EditorState, char: string): EditorState {
  const { vi = startVi } = state;
  if (vi.mode === "insert") return edited(state, { kind: "text", text: char });
  const keys = vi.keys + char;
  const [, first, operator = "", second, action = ""] = forms[vi.mode].exec(keys) ?? [];
  const isObject = operator !== "" || vi.mode === "visual";
  if (action === "" || /^[gfFtTr]$/u.test(action) || (isObject && /^[ia]$/u.test(action)))
    return inMode(state, { keys });
  const count = Math.min(mostCount, Number(first || 1) * Number(second || 1));
  return carried(inMode(state, { keys: "" }), { operator, count, action }, keys);
}

const mostCount = 1_000;

function carried(state: EditorState, command: ViCommand, keys: string): EditorState {
  const found = /^[fFtT]./su.test(command.action) ? inMode(state, { find: command.action }) : state;
  return acted(found, command, keys);
}

function acted(state: EditorState, command: ViCommand, keys: string): EditorState {
  const { vi = startVi } = state;
  if (command.action === "." && command.operator === "") return repeated(state, vi);
  if (command.action === "u" && command.operator === "" && vi.mode === "normal") return undone(state);
  const next = vi.mode === "visual" ? inVisual(state, command, vi) : inNormal(state, command);
  const after = remembered(state, next);
  const changes = after.text !== state.text || after.vi?.mode === "insert";
  if (!changes || after.vi === undefined) return settled(after);
  return settled({ ...after, vi: { ...after.vi, repeats: { keys, typed: "" }, typedFrom: after.cursor } });
}

/** In normal mode the cursor stands on a letter, never behind the last one of a line. */
function settled(state: EditorState): EditorState {
  const { text, cursor, vi } = state;
  if (vi?.mode !== "normal") return state;
  const isEnd = cursor > lineStart(state) && (cursor === text.length || text[cursor] === "\n");
  return isEnd ? moved(state, unitBefore(text, cursor, state.folds)) : state;
}

function leaveInsert(state: EditorState, vi: ViMode): EditorState {
  const typed = state.text.slice(vi.typedFrom, Math.max(vi.typedFrom, state.cursor));
  const repeats = { keys: vi.repeats.keys, typed };
  const back =
    state.cursor > lineStart(state) ? unitBefore(state.text, state.cursor, state.folds) : state.cursor;
  return { ...moved(state, back), isTyping: false, vi: { ...vi, mode: "normal", keys: "", repeats } };
}

function repeated(state: EditorState, { repeats }: ViMode): EditorState {
  const again = Array.from(repeats.keys).reduce(letter, state);
  if (again.vi?.mode !== "insert") return again;
  const typed = repeats.typed === "" ? again : edited(again, { kind: "paste", text: repeats.typed });
  return leaveInsert(typed, again.vi);
}

function inNormal(state: EditorState, command: ViCommand): EditorState {
  const { operator, action } = command;
  if (operator !== "") {
    const reach = reachOf(state, command);
    return reach === undefined ? state : operated(state, operator, reach);
  }
  const reach = motion(state, command);
  if (reach !== undefined) return moved(state, reach.to === state.cursor ? reach.from : reach.to);
  return simple(state, command, action);
}

function inVisual(state: EditorState, command: ViCommand, vi: ViMode): EditorState {
  const { action } = command;
  const { text, cursor, folds } = state;
  const from = Math.min(vi.anchor, cursor);
  const to = unitEnd(text, Math.max(vi.anchor, cursor), folds);
  const operator = action === "x" ? "d" : action === "s" ? "c" : action;
  if (/^[dcy]$/u.test(operator)) return operated(inMode(state, { mode: "normal" }), operator, { from, to });
  if (action === "v") return inMode(state, { mode: "normal" });
  const object = /^[ia]./u.test(action) ? textObject(state, action) : undefined;
  if (object !== undefined)
    return inMode(moved(state, Math.max(object.from, unitBefore(text, object.to, folds))), {
      anchor: object.from,
    });
  const reach = motion(state, command);
  return reach === undefined ? state : moved(state, reach.to === cursor ? reach.from : reach.to);
}

function reachOf(state: EditorState, command: ViCommand): Reach | undefined {
  const { operator, action, count } = command;
  if (action === operator) {
    let to = lineEnd(state);
    for (let left = count - 1; left > 0 && to < state.text.length; left -= 1)
      to = lineEnd({ ...state, cursor: to + 1 });
    return { from: lineStart(state), to, isLinewise: true };
  }
  if (/^[ia]./u.test(action)) return textObject(state, action);
  // A word that is changed keeps the blank behind it.
  return operator === "c" && /^[wW]$/u.test(action)
    ? changedWords(state, command)
    : motion(state, command, true);
}

function changedWords({ text, cursor }: EditorState, { action, count }: ViCommand): Reach {
  const run = action === "W" ? /^(?:\S+|\s+)/u : /^(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+|\s+)/u;
  const end = wordMotions[action === "W" ? "E" : "e"] ?? ((_, at) => at);
  const last = cursor + Math.max(1, startOf(run, text.slice(cursor))) - 1;
  return { from: cursor, to: Math.min(text.length, timesOf(count - 1, last, (at) => end(text, at)) + 1) };
}

function operated(state: EditorState, operator: string, reach: Reach): EditorState {
  const { text } = state;
  const isLine = reach.isLinewise === true && operator !== "c";
  const to = isLine && text[reach.to] === "\n" ? reach.to + 1 : reach.to;
  const from = isLine && to === reach.to && reach.from > 0 ? reach.from - 1 : reach.from;
  const taken = text.slice(reach.from, reach.to) + (reach.isLinewise === true ? "\n" : "");
  if (operator === "y") return { ...moved(state, reach.from), deleted: taken };
  const left = { ...cut(state, from, to), deleted: taken };
  return operator === "c" ? inMode(left, { mode: "insert" }) : moved(left, Math.min(from, left.text.length));
}

function simple(state: EditorState, { count }: ViCommand, action: string): EditorState {
  const { text, cursor, folds } = state;
  const [from, to] = [lineStart(state), lineEnd(state)];
  const insert = (at: number) => inMode(moved(state, at), { mode: "insert" });
  const ahead = { from: cursor, to: timesOf(count, cursor, (at) => Math.min(to, unitEnd(text, at, folds))) };
  switch (action) {
    case "i":
      return insert(cursor);
    case "a":
      return insert(ahead.from === to ? cursor : unitEnd(text, cursor, folds));
    case "I":
      return insert(firstWord(text, from));
    case "A":
      return insert(to);
    case "o":
      return replaced(insert(to), to, "\n");
    case "O":
      return moved(replaced(insert(from), from, "\n"), from);
    case "x":
      return operated(state, "d", ahead);
    case "s":
      return operated(state, "c", ahead);
    case "S":
      return operated(state, "c", { from, to });
    case "D":
      return operated(state, "d", { from: cursor, to });
    case "C":
      return operated(state, "c", { from: cursor, to });
    case "Y":
      return moved(operated(state, "y", { from, to, isLinewise: true }), cursor);
    case "p":
    case "P":
      return put(state, action === "p");
    case "v":
      return inMode(state, { mode: "visual", anchor: cursor });
    case "J":
      return to === text.length ? state : moved(replaced(moved(state, to + 1), to, " "), to);
    case "~":
      return replaced(moved(state, ahead.to), cursor, swapCase(text.slice(ahead.from, ahead.to)));
    default:
      if (!action.startsWith("r") || action.length === 1 || ahead.to === cursor) return state;
      return moved(replaced(moved(state, ahead.to), cursor, action.slice(1)), cursor);
  }
}

function put(state: EditorState, isBehind: boolean): EditorState {
  const { text, cursor, deleted, folds } = state;
  if (deleted.endsWith("\n")) {
    const at = isBehind ? lineEnd(state) : lineStart(state);
    const lines = isBehind ? `\n${deleted.slice(0, -1)}` : deleted;
    return moved(replaced(moved(state, at), at, lines), isBehind ? at + 1 : at);
  }
  const at = isBehind && cursor < lineEnd(state) ? unitEnd(text, cursor, folds) : cursor;
  const next = replaced(moved(state, at), at, deleted);
  return moved(next, deleted === "" ? cursor : unitBefore(next.text, next.cursor, next.folds));
}

/** Where a motion leads from the cursor. @param isForOperator what is reached belongs to it, as vi has it. */
function motion(state: EditorState, command: ViCommand, isForOperator = false): Reach | undefined {
  const { text, cursor, folds } = state;
  const { action, count } = command;
  const [start, end] = [lineStart(state), lineEnd(state)];
  const span = (target: number, isInclusive = false): Reach => {
    const to = isInclusive && isForOperator ? Math.min(text.length, unitEnd(text, target, folds)) : target;
    return to < cursor ? { from: to, to: cursor } : { from: cursor, to };
  };
  const lines = (target: number): Reach => {
    if (!isForOperator) return span(target);
    const [low, high] = [Math.min(target, cursor), Math.max(target, cursor)];
    return { from: lineStartAt(text, low), to: lineEnd({ ...state, cursor: high }), isLinewise: true };
  };
  const word = wordMotions[action];
  if (word !== undefined)
    return span(
      timesOf(count, cursor, (at) => word(text, at)),
      /^[eE]$/u.test(action),
    );
  switch (action) {
    case "h":
      return span(timesOf(count, cursor, (at) => (at > start ? unitBefore(text, at, folds) : at)));
    case "l":
      return span(timesOf(count, cursor, (at) => Math.min(end, unitEnd(text, at, folds))));
    case "j":
    case "k":
      return lines(
        timesOf(count, cursor, (at) => vertical(moved(state, at), action === "j" ? 1 : -1)?.cursor ?? at),
      );
    case "0":
      return span(start);
    case "^":
      return span(firstWord(text, start));
    case "$":
      return span(end);
    case "gg":
      return lines(0);
    case "G":
      return lines(lineStartAt(text, text.length));
    case ";":
      return found(state, state.vi?.find ?? "", count, span);
    default:
      return /^[fFtT]./su.test(action) ? found(state, action, count, span) : undefined;
  }
}

function found(
  state: EditorState,
  find: string,
  count: number,
  span: (target: number, isInclusive: boolean) => Reach,
): Reach | undefined {
  const [way = "f", char = ""] = Array.from(find);
  const { text, cursor } = state;
  const isBack = way === "F" || way === "T";
  const line = { from: lineStart(state), to: lineEnd(state) };
  let at = cursor;
  for (let left = count; left > 0; left -= 1) {
    at = isBack ? text.lastIndexOf(char, at - 1) : text.indexOf(char, at + 1);
    if (char === "" || at < line.from || at >= line.to) return undefined;
  }
  const before = way === "t" ? at - 1 : way === "T" ? at + 1 : at;
  return span(before, !isBack);
}

const wordMotions: Readonly<Record<string, (text: string, at: number) => number>> = {
  w: (text, at) => at + startOf(/^(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?\s*/u, text.slice(at)),
  W: (text, at) => at + startOf(/^\S*\s*/u, text.slice(at)),
  e: (text, at) =>
    at + Math.max(0, startOf(/^.\s*(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?/su, text.slice(at)) - 1),
  E: (text, at) => at + Math.max(0, startOf(/^.\s*\S*/su, text.slice(at)) - 1),
  b: (text, at) => at - startOf(/(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?\s*$/u, text.slice(0, at)),
  B: (text, at) => at - startOf(/\S*\s*$/u, text.slice(0, at)),
};

/** What `iw`, `a"` or `i(` stands for around the cursor. */
function textObject({ text, cursor }: EditorState, [inner = "i", sign = "w"]: string): Reach | undefined {
  if (sign === "w" || sign === "W") {
    const kind =
      sign === "W"
        ? /\S/u
        : /[\p{L}\p{N}_]/u.test(text[cursor] ?? "")
          ? /[\p{L}\p{N}_]/u
          : /[^\p{L}\p{N}_\s]/u;
    let [from, to] = [cursor, cursor];
    while (from > 0 && kind.test(text[from - 1] ?? "")) from -= 1;
    while (to < text.length && kind.test(text[to] ?? "")) to += 1;
    const blanks = inner === "a" ? startOf(/^[ \t]*/u, text.slice(to)) : 0;
    return { from, to: to + blanks };
  }
  const [open, close] = pairs.find((pair) => pair.includes(sign)) ?? [sign, sign];
  const isQuote = open === close;
  const from = isQuote ? text.lastIndexOf(open, cursor - 1) : openBefore(text, cursor, open, close);
  const to =
    from < 0
      ? -1
      : isQuote
        ? text.indexOf(close, Math.max(cursor, from + 1))
        : closeAfter(text, from, open, close);
  if (from < 0 || to < 0) return undefined;
  return inner === "i" ? { from: from + 1, to } : { from, to: to + 1 };
}

const pairs: readonly (readonly [string, string])[] = [
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
];

function openBefore(text: string, cursor: number, open: string, close: string): number {
  let depth = 0;
  for (let at = cursor; at >= 0; at -= 1) {
    if (text[at] === close && at !== cursor) depth += 1;
    if (text[at] === open && depth === 0) return at;
    if (text[at] === open) depth -= 1;
  }
  return -1;
}

function closeAfter(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === open) depth += 1;
    if (text[at] === close) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function timesOf(count: number, start: number, step: (at: number) => number): number {
  let at = start;
  for (let left = count; left > 0; left -= 1) at = step(at);
  return at;
}

function firstWord(text: string, from: number): number {
  return from + startOf(/^[ \t]*/u, text.slice(from));
}

function startOf(form: RegExp, text: string): number {
  return form.exec(text)?.[0].length ?? 0;
}

function swapCase(text: string): string {
  return Array.from(text, (char) =>
    char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase(),
  ).join("");
}

function inMode(state: EditorState, changes: Partial<ViMode>): EditorState {
  return { ...state, vi: { ...(state.vi ?? startVi), ...changes } };
}

function isEscape(key: Key): boolean {
  return key.kind === "chord" && (key.chord === "escape" || key.chord === "ctrl-[");
}
