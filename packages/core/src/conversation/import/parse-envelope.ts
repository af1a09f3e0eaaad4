import { changeHeading } from "../../files/index.js";

/** A reply in the text form, taken apart. */
export interface Envelope {
  /** The first line of a reply that has one; absent where the reply begins with a frame. */
  readonly status?: { readonly success: boolean; readonly code: string; readonly message: string };
  /** Of a state mismatch: what changed, where it stands before the frames. */
  readonly change?: string;
  readonly files: readonly EnvelopeFile[];
  /** What follows the frames, for reading only: nothing in it is a header. */
  readonly details: string;
}

/** One frame of a reply: a state of a file, and what is shown of it. */
export interface EnvelopeFile {
  readonly path: string;
  readonly version: number;
  readonly sha256: string | null;
  /** The raw text; `null` where it is not shown. */
  readonly content: string | null;
  /** Where `content` begins in the reply, in UTF-16 units. */
  readonly start: number;
  /** Every attribute of the header by its name, as written. */
  readonly attributes: ReadonlyMap<string, string>;
  /** 1-based, both included, where `content` is a window. */
  readonly lines?: { readonly from: number; readonly to: number };
  /** The changed lines that stand in place of the content. */
  readonly windows: readonly EnvelopeWindow[];
}

/** Lines of the new state that a write's answer shows. */
interface EnvelopeWindow {
  /** 1-based, both included. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Where `text` begins in the reply, in UTF-16 units. */
  readonly start: number;
}

/**
 * Takes a reply in the text form apart: the inverse of the renderer, for scripted clients and tests. Frames
 * stand at the beginning, right after the status line, or after a difference that follows it, and follow each
 * other line by line; what looks like a frame anywhere else is text.
 *
 * @returns undefined where the text is not such a reply.
 */
export function parseEnvelope(text: string): Envelope | undefined {
  const status = readStatus(text);
  const change = status === undefined ? undefined : readChange(text, status.end);
  let at = change?.end ?? status?.end ?? 0;
  const files: EnvelopeFile[] = [];
  for (;;) {
    const file = readFile(text, at);
    if (file === undefined) break;
    files.push(file.file);
    at = file.end;
    if (text[at] !== "\n" || text[at + 1] === "\n") break;
    at += 1;
  }
  if (status === undefined && files.length === 0) return undefined;
  const details = text.slice(at).replace(/^\n{1,2}/, "");
  return {
    ...(status === undefined ? {} : { status: status.status }),
    ...(change === undefined ? {} : { change: change.text }),
    files,
    details,
  };
}

/** A difference: each of its lines begins with a sign, so that no line of a file in it can open a frame. */
function readChange(text: string, from: number) {
  if (!text.startsWith(`${changeHeading}\n`, from)) return undefined;
  let end = from + changeHeading.length + 1;
  while (signs.includes(text.charAt(end))) {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
  }
  return { text: text.slice(from, end).trimEnd(), end };
}

const signs: readonly string[] = [" ", "+", "-", "@", "…"];

const statusLine = /(OK|FAILED) \(([a-z_]+)\): ([^\n]*)(?:\n|$)/y;
const headerLine = /<(file|lines)((?:-\d+)?)((?: [a-z0-9_]+="(?:[^"\\\n]|\\.)*")*)(\/?)>/y;
const attribute = / ([a-z0-9_]+)="((?:[^"\\\n]|\\.)*)"/g;

function readStatus(text: string) {
  const [line, word, code, message] = matchAt(statusLine, text, 0) ?? [];
  if (line === undefined || code === undefined || message === undefined) return undefined;
  return { status: { success: word === "OK", code, message }, end: line.length };
}

function readFile(text: string, from: number): { file: EnvelopeFile; end: number } | undefined {
  const header = readHeader(text, from, "file");
  if (header === undefined) return undefined;
  const { attributes, suffix } = header;
  const path = attributes.get("path");
  const version = Number(attributes.get("version"));
  if (path === undefined || !Number.isInteger(version)) return undefined;
  const body = header.closed
    ? { text: null, start: header.end, end: header.end }
    : readBody(text, header.end, `</file${suffix}>`);
  if (body === undefined) return undefined;
  const sha256 = attributes.get("sha256");
  const { windows, end } = readWindows(text, body.end, suffix);
  const lines = /^(\d+)-(\d+)$/.exec(attributes.get("lines") ?? "");
  const file: EnvelopeFile = {
    path,
    version,
    sha256: sha256 === undefined || sha256 === "none" ? null : sha256,
    content: body.text,
    start: body.start,
    attributes,
    ...(lines === null ? {} : { lines: { from: Number(lines[1]), to: Number(lines[2]) } }),
    windows,
  };
  return { file, end };
}

function readWindows(text: string, from: number, suffix: string) {
  const windows: EnvelopeWindow[] = [];
  let end = from;
  while (text[end] === "\n") {
    const header = readHeader(text, end + 1, "lines");
    if (header === undefined || header.suffix !== suffix || header.closed) break;
    const body = readBody(text, header.end, `</lines${suffix}>`);
    if (body === undefined) break;
    const { attributes } = header;
    const [first, last] = [Number(attributes.get("from")), Number(attributes.get("to"))];
    windows.push({ from: first, to: last, text: body.text, start: body.start });
    end = body.end;
  }
  return { windows, end };
}

/** The raw text after a header line and the position after its closing marker. */
function readBody(text: string, from: number, closing: string) {
  if (text[from] !== "\n") return undefined;
  const end = text.indexOf(closing, from + 1);
  if (end < 0) return undefined;
  return { text: text.slice(from + 1, end), start: from + 1, end: end + closing.length };
}

function readHeader(text: string, at: number, kind: "file" | "lines") {
  const [whole, name, suffix, inner, slash] = matchAt(headerLine, text, at) ?? [];
  if (whole === undefined || name !== kind || suffix === undefined || inner === undefined) return undefined;
  const attributes = new Map<string, string>();
  for (const [, key, value] of inner.matchAll(attribute)) {
    if (key !== undefined && value !== undefined) attributes.set(key, unquote(value));
  }
  return { suffix, attributes, closed: slash === "/", end: at + whole.length };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The inverse of `quoteForDisplay`, without the quotes. */
function unquote(value: string): string {
  return value.replace(
    /\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{5,6})\}|(.))/g,
    (_, unit?: string, point?: string, char?: string) => {
      const hex = unit ?? point;
      return hex === undefined ? (char ?? "") : String.fromCodePoint(Number.parseInt(hex, 16));
    },
  );
}
