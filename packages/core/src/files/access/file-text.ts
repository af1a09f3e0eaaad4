import {
  changedLines,
  differenceOf,
  type EditStep,
  spliceSteps,
  type TextSplice,
} from "../../patch/index.js";
import {
  bytesAlike,
  type CharsetCodec,
  type DecodedText,
  decodeBeside,
  decodeBytes,
  encodeText,
  type NotText,
  normaliseName,
  type Steps,
  type TextFormat,
  utf8,
} from "../../text/index.js";
import type { TextFacts } from "../values/outcomes.js";
import { type Refusal, refuse, refuseIn } from "../values/refusal.js";
import { largeSize } from "../values/time-budget.js";

/** The text of a file and the format in which it goes back to the disk. */
export interface FileText {
  readonly kind: "file_text";
  readonly text: string;
  readonly format: TextFormat;
  /** Where they are known already. */
  readonly facts?: TextFacts;
}

/**
 * The text of these bytes, or `binary` / `undecodable` with the sentence that says so. That of large bytes is remembered,
 * with what its lines are, for as long as somebody holds them.
 */
export function decodeFile(bytes: Uint8Array, codec: CharsetCodec, named?: string): FileText | Refusal {
  const known = knownText(bytes, named);
  return known ?? remembered(bytes, named, asFileText(decodeBytes(bytes, codec, named), bytes));
}

/**
 * Cuts the text of a large state out of the text of the present one, as far as the two are alike: so that there are no
 * two copies of it. Where that cannot be done, its text is decoded when it is asked for.
 *
 * @param present bytes that were decoded; undefined where there is no file.
 * @returns the same bytes: a part of the present ones where these only add to them, so that one copy can go.
 */
export function sharePast(past: Uint8Array, present: Uint8Array | undefined): Uint8Array {
  if (present === undefined || past.length <= largeSize) return past;
  const alike = bytesAlike(past, present);
  const { head, tail } = alike;
  const begins = head === past.length ? present.subarray(0, head) : undefined;
  const bytes = begins ?? (tail === past.length ? present.subarray(present.length - tail) : past);
  const known = knownText(present, undefined);
  const made =
    known?.kind === "file_text" ? decodeBeside(bytes, { ...known, bytes: present }, alike) : undefined;
  if (made !== undefined) remembered(bytes, undefined, { kind: "file_text", ...made });
  return bytes;
}

/** The same of large bytes that were made of this text: they are not decoded to a second copy of it. */
function rememberText(bytes: Uint8Array, text: string, format: TextFormat): void {
  // Another encoding is found out by looking at the bytes, and a mark in the text is one of the file to a reader.
  const isCertain =
    format.encoding === "utf-8" && format.certainty === "proven" && !text.startsWith("\ufeff");
  if (isCertain) remembered(bytes, undefined, { kind: "file_text", text, format });
}

function remembered(
  bytes: Uint8Array,
  named: string | undefined,
  text: FileText | Refusal,
): FileText | Refusal {
  if (bytes.length <= largeSize) return text;
  const known = text.kind === "refusal" ? text : { ...text, facts: textFacts(text, bytes.length) };
  const texts = knownTexts.get(bytes) ?? new Map<string | undefined, FileText | Refusal>();
  knownTexts.set(bytes, texts.set(named, known));
  return known;
}

/** The text of large bytes, if somebody had it decoded. */
export function knownText(bytes: Uint8Array, named: string | undefined): FileText | Refusal | undefined {
  return knownTexts.get(bytes)?.get(named);
}

/** By the encoding that the caller insists on. Nobody changes bytes that were read or planned. */
const knownTexts = new WeakMap<Uint8Array, Map<string | undefined, FileText | Refusal>>();

function asFileText(decoded: DecodedText | NotText, bytes: Uint8Array): FileText | Refusal {
  switch (decoded.kind) {
    case "text":
      return { kind: "file_text", text: decoded.text, format: decoded.format };
    case "binary":
      return refuse(
        "binary",
        `The file is not text (${kindOfBytes(bytes)}, ${bytes.length} bytes): ${decoded.reason}.`,
      );
    case "undecodable":
      return refuse(
        "undecodable",
        `The file cannot be read as text: ${decoded.reason}. Name its encoding if you know it.`,
      );
  }
}

/** The format of a file that is yet to be made. */
export function newFormat(codec: CharsetCodec, named?: string): TextFormat | Refusal {
  if (named === undefined) return utf8;
  const encoding = normaliseName(named);
  const unicode = ["utf-8", "utf-16le", "utf-16be"].includes(encoding);
  if (!unicode && !codec.knows(encoding)) {
    return refuse("invalid_arguments", `No encoding of the name ${named} is known.`);
  }
  return {
    encoding,
    // Without its mark a UTF-16 file is taken for binary by the next reader.
    bom: encoding.startsWith("utf-16"),
    certainty: "named",
  };
}

/**
 * The bytes of a new text in the format of its file. What stays of the old text keeps its bytes, whatever
 * they mean. What is new has to be certain: where the charset is only guessed it is ASCII, or letters that the change
 * takes away, which come back as the same bytes.
 *
 * @param before the text that this one takes the place of, and its format.
 * @param steps how the one became the other, where that is known.
 * @returns `unencodable` or `invalid_arguments`, with the characters in question.
 */
export function* encodeFile(
  text: string,
  before: Pick<FileText, "text" | "format">,
  codec: CharsetCodec,
  steps?: readonly EditStep[],
): Steps<Uint8Array | Refusal<"unencodable" | "invalid_arguments">> {
  if (text.includes("\0")) {
    return refuse(
      "invalid_arguments",
      "The new text holds a NUL character, which no text file can. Nothing was written.",
    );
  }
  const format = yield* keptFormat(text, before, steps);
  if ("kind" in format) return format;
  const bytes = encodeText(text, format, codec);
  if (bytes !== undefined) {
    rememberText(bytes, text, format);
    return bytes;
  }
  const reason = text.isWellFormed()
    ? `${format.encoding} cannot hold every character of it`
    : "it holds half of a surrogate pair";
  return refuse("unencodable", `The new text cannot be written: ${reason}. Nothing was written.`);
}

/** The format with the stray bytes of the new text: a new U+FFFD is one where all that the change takes away are alike. */
function* keptFormat(
  text: string,
  { text: old, format }: Pick<FileText, "text" | "format">,
  steps?: readonly EditStep[],
): Steps<TextFormat | Refusal<"unencodable">> {
  const { certainty, encoding, escaped } = format;
  if ((certainty !== "guessed" && escaped === undefined) || !text.isWellFormed()) return format;
  let [next, gone, fresh] = [escaped ?? old, "", ""];
  const made = steps ?? [{ before: old, splices: yield* changedLines(old, text) }];
  for (const { before, splices } of made) {
    const cut: TextSplice[] = [];
    for (const splice of splices) {
      const part = differenceOf(before.slice(splice.from, splice.to), splice.text);
      const [from, to] = [splice.from + part.from, splice.from + part.to];
      // Where a stray byte goes on is only told by text around it that stays.
      const isMarked = part.text.includes("\ufffd");
      gone += `${isMarked ? next.slice(splice.from, splice.to) : next.slice(from, to)}\n`;
      fresh += `${part.text}\n`;
      cut.push({ from, to, text: part.text.replaceAll("\ufffd", newMark) });
    }
    next = yield* spliceSteps(next, cut);
  }
  const known = new Set(gone.toWellFormed().match(beyondAscii));
  if (certainty === "guessed" && fresh.match(beyondAscii)?.some((run) => !known.has(run)))
    return refuseIn(
      "unencodable",
      "The file's encoding is only a guess ($encoding), so that new text may hold nothing but ASCII." +
        '[ Say {encoding}: "$encoding" (or the right one) to insist.]',
      { encoding },
    );
  if (escaped === undefined) return format;
  const [mark = "", ...others] = new Set(gone.match(/[\ufffd\udc80-\udcff]/gu));
  if (next.includes(newMark) && (mark === "" || others.length > 0)) return unknownStray;
  return { ...format, escaped: next.replaceAll(newMark, mark) };
}

/** Letters that are no ASCII, next to each other: the same letters are the same bytes in one charset. */
const beyondAscii = /[^\0-\x7f]+/g;
/** For a U+FFFD of new text, until it is known what it stands for; in no text by itself. */
const newMark = "\udc00";

const unknownStray = refuse(
  "unencodable",
  "The new text holds U+FFFD, which stands in this file for a byte that is not UTF-8, and which byte is meant cannot be told. Leave that character out, or change less text around it at once. Nothing was written.",
);

/** What there is to tell about a text, found in one pass without splitting it. */
export function textFacts({ text, format, facts }: FileText, totalBytes: number): TextFacts {
  if (facts !== undefined) return facts;
  let lf = 0;
  let crlf = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) crlf++;
    else lf++;
  }
  let cr = 0;
  for (let at = lf + crlf === 0 ? text.indexOf("\r") : -1; at >= 0; at = text.indexOf("\r", at + 1)) cr++;
  const ended = text.endsWith("\n") || (cr > 0 && text.endsWith("\r"));
  const kinds = [lf > 0, crlf > 0, cr > 0].filter(Boolean).length;
  return {
    encoding: format.encoding,
    bom: format.bom,
    guessed: format.certainty === "guessed",
    ...(format.escaped === undefined
      ? {}
      : { strays: format.escaped.match(/[\udc80-\udcff]/gu)?.length ?? 0 }),
    endings: kinds > 1 ? "mixed" : crlf > 0 ? "crlf" : cr > 0 ? "cr" : lf > 0 ? "lf" : "none",
    totalLines: lf + crlf + cr + (text === "" || ended ? 0 : 1),
    finalNewline: ended,
    totalBytes,
  };
}

const signatures: readonly (readonly [string, readonly number[]])[] = [
  ["a PNG image", [0x89, 0x50, 0x4e, 0x47]],
  ["a JPEG image", [0xff, 0xd8, 0xff]],
  ["a GIF image", [0x47, 0x49, 0x46, 0x38]],
  ["a PDF document", [0x25, 0x50, 0x44, 0x46]],
  ["a ZIP archive", [0x50, 0x4b, 0x03, 0x04]],
  ["a gzip archive", [0x1f, 0x8b]],
  ["an ELF program", [0x7f, 0x45, 0x4c, 0x46]],
];

function kindOfBytes(bytes: Uint8Array): string {
  const found = signatures.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  return found?.[0] ?? "binary data";
}
