/** What a person did at the keyboard. */
export type Key =
  /** Letters that were typed, at least one. */
  | { readonly kind: "text"; readonly text: string }
  /** What the terminal says was pasted, as it stood. */
  | { readonly kind: "paste"; readonly text: string }
  /** A key that is no letter, or one with modifiers in this order: `enter`, `ctrl-c`, `alt-enter`, `ctrl-alt-shift-left`. */
  | { readonly kind: "chord"; readonly chord: string };

/** The key that a person's settings put in the place of another one; undefined where they take it away. Pure. */
export function remapped(key: Key, keys: Readonly<Record<string, string>>): Key | undefined {
  const name = key.kind === "chord" ? keys[key.chord] : undefined;
  if (name === undefined) return key;
  return name === "" ? undefined : { kind: "chord", chord: name };
}

/**
 * Reads keys from the bytes of a terminal: legacy sequences, those of kitty (`CSI u`) and of xterm's modifyOtherKeys, and
 * bracketed paste. A sequence may be cut anywhere between two chunks. Bytes that are no UTF-8 become U+FFFD; answers of
 * the terminal and sequences that nobody knows are dropped. No I/O.
 */
export class KeyReader {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The beginning of a sequence, or of the mark that ends a paste. */
  #rest = "";
  #pasted: string[] | undefined;

  /** After so many milliseconds without a byte `flush` is to be called; undefined where nothing is begun. */
  get waitsMs(): number | undefined {
    if (this.#pasted !== undefined) return 2_000;
    return this.#rest === "" ? undefined : 100;
  }

  /** The keys that these bytes end. */
  take(bytes: Uint8Array): readonly Key[] {
    const keys: Key[] = [];
    let text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    this.#rest = "";
    while (text !== "") {
      const length = this.#pasted === undefined ? this.#key(text, keys) : this.#paste(text, keys);
      if (length === 0) break;
      text = text.slice(length);
    }
    this.#rest = text;
    return keys;
  }

  /** Nothing more came: an escape that was begun is the key itself, and a paste without an end has ended. */
  flush(): readonly Key[] {
    const rest = this.#rest;
    const pasted = this.#pasted;
    this.#rest = "";
    this.#pasted = undefined;
    if (pasted !== undefined) return [{ kind: "paste", text: pasted.join("") + rest }];
    return rest === "\u001b" ? [{ kind: "chord", chord: "escape" }] : [];
  }

  /** Reads one key. @returns how much of the text it took; 0 where more has to come. */
  #key(text: string, keys: Key[]): number {
    const letters = startOf(text, /^[^\p{Cc}]+/u);
    if (letters !== "") {
      keys.push({ kind: "text", text: letters });
      return letters.length;
    }
    if (!text.startsWith("\u001b")) {
      keys.push({ kind: "chord", chord: controlName(text) });
      return 1;
    }
    if (begunSequences.test(text) && text.length < mostSequence) return 0;
    const sequence = sequences.map((form) => startOf(text, form)).find((found) => found !== "");
    if (sequence !== undefined) {
      if (sequence === pasteBegins) this.#pasted = [];
      const key = keyOfSequence(sequence);
      if (key !== undefined) keys.push(key);
      return sequence.length;
    }
    return altKey(text, keys);
  }

  #paste(text: string, keys: Key[]): number {
    const end = text.indexOf(pasteEnds);
    if (end >= 0) {
      keys.push({ kind: "paste", text: [...(this.#pasted ?? []), text.slice(0, end)].join("") });
      this.#pasted = undefined;
      return end + pasteEnds.length;
    }
    // The mark may be cut in two.
    const safe = Math.max(0, text.length - pasteEnds.length + 1);
    this.#pasted?.push(text.slice(0, safe));
    return safe;
  }
}

const pasteBegins = "\u001b[200~";
const pasteEnds = "\u001b[201~";
/** No sequence is longer: what goes on is none. */
const mostSequence = 4_096;

/* biome-ignore-start lint/suspicious/noControlCharactersInRegex: sequences of a terminal are made of controls */
/** `CSI`, `SS3`, and the strings with which a terminal answers. */
const sequences: readonly RegExp[] = [
  /^\u001b\[[0-?]*[ -/]*[@-~]/,
  /^\u001bO[ -~]/,
  /^\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)/,
];
const begunSequences = /^\u001b(?:\[[0-?]*[ -/]*|O|[\]PX^_][^\u0007\u001b]*\u001b?)?$/;
const csi = /^\u001b[[O](\d*)(?::\d*)?(?::(\d*))?(?:;(\d*)(?::(\d*))?)?(?:;(\d*))?[^;]*?([A-Za-z~])$/;
/* biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above */

function startOf(text: string, form: RegExp): string {
  return form.exec(text)?.[0] ?? "";
}

function altKey(text: string, keys: Key[]): number {
  const [, char = ""] = text;
  if (char === "\u001b") {
    keys.push({ kind: "chord", chord: "escape" });
    return 1;
  }
  const name = /\p{Cc}/u.test(char) ? controlName(char) : atPosition(char.toLowerCase());
  keys.push({ kind: "chord", chord: `alt-${name}` });
  return 1 + char.length;
}

/** The key that sends a control: of `\r` it is Enter, of `\n` Ctrl-J. */
function controlName(text: string): string {
  const code = text.charCodeAt(0);
  return namesOfCodes.get(String(code)) ?? `ctrl-${String.fromCharCode(code + 64).toLowerCase()}`;
}

/** @param words a code and its name, by turns. */
function table(words: string): ReadonlyMap<string, string> {
  return new Map([...words.matchAll(/(\S+) (\S+)/g)].map(([, code = "", name = ""]) => [code, name]));
}

/** By their codes; those of five digits are the keypad's, as kitty reports it. */
const namesOfCodes = table(
  "8 backspace 9 tab 13 enter 27 escape 127 backspace 57414 enter 57417 left 57418 right 57419 up 57420 down " +
    "57421 pageup 57422 pagedown 57423 home 57424 end 57426 delete",
);
/** By the letter, or the number before `~`, that ends their sequence. */
const namesOfEnds = table(
  "A up B down C right D left F end H home M enter Z shift-tab 1~ home 3~ delete 4~ end 5~ pageup 6~ pagedown 7~ home 8~ end",
);

function keyOfSequence(sequence: string): Key | undefined {
  const [, first = "", base = "", second = "", event = "", third = "", final = ""] = csi.exec(sequence) ?? [];
  // A key that is let go.
  if (event === "3") return undefined;
  if (final === "u") return keyOfCode(Number(first), second, Number(base));
  if (final === "~" && first === "27") return keyOfCode(Number(third), second);
  const name = namesOfEnds.get(final === "~" ? `${first}~` : final);
  return name === undefined ? undefined : chordOf(name, second);
}

/** A key by the code of its letter, as kitty and modifyOtherKeys report it. @param base where it is on an English keyboard. */
function keyOfCode(code: number, modifiers: string, base = 0): Key | undefined {
  const name = namesOfCodes.get(String(code));
  if (name !== undefined) return chordOf(name, modifiers);
  if (code < 32 || code >= 0xe000) return undefined;
  const letter = String.fromCodePoint(code);
  const bits = bitsOf(modifiers);
  if ((bits & ~1) === 0) return { kind: "text", text: bits === 1 ? letter.toUpperCase() : letter };
  // Of a layout with other letters the position counts; one with Latin letters has its own places for them.
  const isOther = code > 127 && base > 32 && base < 127;
  return chordOf(isOther ? String.fromCodePoint(base) : atPosition(letter.toLowerCase()), modifiers);
}

/** The key of an English keyboard where another layout has this letter. */
function atPosition(letter: string): string {
  return letters.get(letter) ?? letter;
}

/** Cyrillic (also of Ukraine and Belarus), Greek, Hebrew, Arabic, Korean: row by row, as on an English keyboard. */
const english = "qwertyuiop[]asdfghjkl;'zxcvbnm,./";
const layouts = [
  "йцукенгшщзхъфывапролджэячсмитьбю.",
  "йцукенгшўзхїфівапролджєячсмитьбю.",
  ";ςερτυθιοπ[]ασδφγηξκλ΄'ζχψωβνμ,./",
  "/'קראטוןםפ][שדגכעיחלךף,זסבהנמצתץ.",
  "ضصثقفغعهخحجدشسيبلاتنمكطئءؤرﻻىةوزظ",
  "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ[]ㅁㄴㅇㄹㅎㅗㅓㅏㅣ;'ㅋㅌㅊㅍㅠㅜㅡ,./",
];
const letters = new Map(
  layouts.flatMap((row) =>
    Array.from(row).flatMap((letter, at) => (letter > "\u007f" ? [[letter, english[at] ?? ""]] : [])),
  ),
);

function chordOf(name: string, modifiers: string): Key | undefined {
  const bits = bitsOf(modifiers);
  // Of Super, Hyper and Meta nothing here makes use.
  if (bits > 7) return undefined;
  const parts = [bits & 4 ? "ctrl-" : "", bits & 2 ? "alt-" : "", bits & 1 ? "shift-" : "", name];
  return { kind: "chord", chord: parts.join("") };
}

/** 1 Shift, 2 Alt, 4 Ctrl; the locks of capitals and digits are let go. */
function bitsOf(modifiers: string): number {
  return (modifiers === "" ? 0 : Number(modifiers) - 1) & ~(64 | 128);
}
