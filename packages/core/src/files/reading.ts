import { escapeForDisplay, joinLines, splitLines } from "../text/index.js";
import { type CurrentFile, keepState, readCurrent } from "./current.js";
import { decodeFile, type FileText, textFacts } from "./file-text.js";
import type { LineSpan } from "./line-spans.js";
import { isRefusal, type Refusal, refuse } from "./outcome.js";
import type { FileWindow, Place } from "./ports.js";
import { isStillShown } from "./rereads.js";
import type { Session } from "./session.js";
import type { ReadOutcome, ReadRequest, ReadState, TextFacts } from "./workspace-types.js";

/** Reads a file, whole or a window of its lines, and gives the state its version. */
export async function readPlace(
  session: Session,
  place: Place,
  path: string,
  request: ReadRequest,
): Promise<ReadOutcome> {
  const read: Reading = { session, place, path, encoding: request.encoding };
  const windowed = request.offset !== undefined || request.limit !== undefined;
  const served = windowed ? await readWindow(read, request) : await readWhole(read);
  return isRefusal(served) ? { ...served, path } : served;
}

/** What one read is about. */
interface Reading {
  readonly session: Session;
  readonly place: Place;
  readonly path: string;
  readonly encoding: string | undefined;
}

async function readWhole(read: Reading): Promise<Served | Refusal> {
  const limit = read.session.limits.fullReadBytes;
  const current = await readCurrent(read.place, read.session, limit);
  if (isRefusal(current)) {
    return current.code === "too_large" ? tooLargeToRead(current.message, limit) : current;
  }
  return current.kind === "absent" ? missing(read.path) : serve(read, current, undefined);
}

/**
 * A window: small files are read whole, so that every encoding can be cut into lines; above the limit the
 * disk streams the lines, which is exact for UTF-8 and the charsets that contain ASCII.
 */
async function readWindow(read: Reading, request: ReadRequest): Promise<Served | Refusal> {
  const range = windowRange(request);
  if (isRefusal(range)) return range;
  const { place, session } = read;
  const entry = await place.look();
  if (isRefusal(entry)) return entry;
  if (entry.kind === "file" && entry.size > session.limits.fullReadBytes) return streamWindow(read, range);
  const current = await readCurrent(place, session, session.limits.fullReadBytes);
  if (isRefusal(current)) return current;
  return current.kind === "absent" ? missing(read.path) : serve(read, current, range);
}

interface Range {
  readonly kind: "range";
  readonly first: number;
  readonly count: number;
}

function windowRange(request: ReadRequest): Range | Refusal {
  const { offset = 1, limit = Number.MAX_SAFE_INTEGER } = request;
  if (!Number.isSafeInteger(offset) || offset < 1 || !Number.isSafeInteger(limit) || limit < 1) {
    return refuse(
      "invalid_arguments",
      "offset is the first line, counted from 1; limit is a number of lines, at least 1.",
    );
  }
  return { kind: "range", first: offset, count: limit };
}

/** Serves a file that was read whole: all of it, or the lines of a range. */
async function serve(
  read: Reading,
  current: CurrentFile,
  range: Range | undefined,
): Promise<Served | Refusal> {
  const { session, place, path } = read;
  const decoded = decodeFile(current.bytes, session.ports.codec, read.encoding);
  if (isRefusal(decoded)) return decoded;
  const cut = range === undefined ? undefined : cutLines(decoded.text, range);
  if (cut !== undefined && isRefusal(cut)) return cut;
  await keepState(session, place, current);
  const { sha256 } = current;
  const facts = textFacts(decoded.text, decoded.format, current.bytes.length);
  const lines = cut?.lines ?? { from: 1, to: facts.totalLines };
  const unchanged = await isStill(read, sha256, lines);
  const version = session.versions.getNextVersion();
  const shown = cut === undefined || cut.whole ? "whole" : "window";
  session.ledger.record({ kind: "read", realPath: place.realPath, sha256, version, shown, lines: [lines] });
  const state = { path, version, sha256, content: cut?.content ?? decoded.text, facts };
  return served(cut === undefined ? state : { ...state, lines }, unchanged);
}

type Served = Extract<ReadOutcome, { readonly kind: "read" }>;

function served(state: ReadState, unchanged: boolean): Served {
  return unchanged ? { kind: "read", state, unchanged: true } : { kind: "read", state };
}

/** Whether these very lines are before the caller's eyes already. */
function isStill({ session, place, path }: Reading, sha256: string, lines: LineSpan): Promise<boolean> {
  const latest = session.ledger.latestOf(place.realPath);
  return isStillShown(session.rereads, path, latest, { ...lines, sha256 });
}

interface CutLines {
  readonly kind: "cut";
  readonly content: string;
  readonly lines: { readonly from: number; readonly to: number };
  readonly whole: boolean;
}

function cutLines(text: string, range: Range): CutLines | Refusal {
  const lines = splitLines(text);
  const total = lines.contents.length;
  if (range.first > Math.max(total, 1)) return pastTheEnd(range.first, total);
  const to = Math.min(total, range.first - 1 + range.count);
  const content = joinLines(lines, range.first - 1, to);
  return { kind: "cut", content, lines: { from: range.first, to }, whole: range.first === 1 && to === total };
}

async function streamWindow(read: Reading, range: Range): Promise<Served | Refusal> {
  const { session, place, path } = read;
  const window = await place.window(range.first, range.count, session.limits.windowBytes);
  if (isRefusal(window)) return window;
  if (window.lineCount === 0) return pastTheEnd(range.first, window.totalLines);
  if (window.clipped) return tooLargeToRead("The window itself is too large.", session.limits.windowBytes);
  if (isUtf16(window.head)) {
    return refuse("too_large", "A UTF-16 file of this size cannot be cut into lines; convert it first.");
  }
  const decoded = decodeFile(window.bytes, session.ports.codec, read.encoding);
  if (isRefusal(decoded)) return decoded;
  const { sha256, firstLine, lineCount } = window;
  const facts = windowFacts(window, decoded);
  const lines = { from: firstLine, to: firstLine + lineCount - 1 };
  const unchanged = await isStill(read, sha256, lines);
  const version = session.versions.getNextVersion();
  const { realPath } = place;
  session.ledger.record({ kind: "read", realPath, sha256, version, shown: "window", lines: [lines] });
  return served({ path, version, sha256, content: decoded.text, facts, lines }, unchanged);
}

/** What the pass knows is told of the whole file; encoding and endings are those of the window. */
function windowFacts(window: FileWindow, decoded: FileText): TextFacts {
  const facts = textFacts(decoded.text, decoded.format, window.totalBytes);
  const { totalLines, finalNewline } = window;
  return {
    ...facts,
    bom: facts.bom || startsWith(window.head, [0xef, 0xbb, 0xbf]),
    totalLines,
    finalNewline,
  };
}

function isUtf16(head: Uint8Array | undefined): boolean {
  return startsWith(head, [0xff, 0xfe]) || startsWith(head, [0xfe, 0xff]);
}

function startsWith(bytes: Uint8Array | undefined, mark: readonly number[]): boolean {
  return bytes !== undefined && mark.every((byte, at) => bytes[at] === byte);
}

function missing(path: string): Refusal {
  return refuse(
    "file_missing",
    `There is no file ${escapeForDisplay(path)}. To create it, write it without a base hash.`,
  );
}

function pastTheEnd(first: number, total: number): Refusal {
  const lines = total === 1 ? "1 line" : `${total} lines`;
  return refuse("out_of_range", `The window begins at line ${first}, but the file has ${lines}.`);
}

function tooLargeToRead(message: string, limitBytes: number): Refusal {
  const kib = Math.round(limitBytes / 1024);
  return refuse(
    "too_large",
    `${message} At most ${kib} KiB are read at once: use offset and limit to read a window of lines.`,
  );
}
