import {
  beginsAsPdf,
  countCodePoints,
  counted,
  defined,
  escapeForDisplay,
  joinLines,
  splitLines,
  unitOfCodePoint,
} from "../../text/index.js";
import { maySee } from "../access/answers.js";
import { type Call, handOut } from "../access/call.js";
import { decodeFile, type FileText, textFacts } from "../access/file-text.js";
import {
  type CurrentFile,
  isLarge,
  keepState,
  learnState,
  readCurrent,
  textOfState,
} from "../access/kept-states.js";
import { recordRead } from "../access/landing.js";
import { leadsTo } from "../access/path-names.js";
import type { Session } from "../access/session.js";
import { type LineSpan, outsideSpans } from "../lines/line-spans.js";
import type { FileWindow, Target } from "../values/disk.js";
import type { FileName, KnownState } from "../values/knowledge.js";
import type { FileState, ReadOutcome, ReadState, TextFacts } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import type { Asked, ReadRequest } from "../values/requests.js";

/** Reads a file, whole or a window of its lines, and gives the state its version. */
export async function readTarget(
  call: Call,
  target: Target,
  path: string,
  request: Asked<ReadRequest>,
): Promise<ReadOutcome> {
  const file = { path, realPath: target.realPath };
  const read: Reading = {
    call,
    session: call.session,
    target,
    file,
    encoding: request.encoding,
    isFull: request.full === true,
  };
  const { offset, limit, charOffset } = request;
  const windowed = offset !== undefined || limit !== undefined || charOffset !== undefined;
  const served = windowed ? await readWindow(read, request) : await readWhole(read);
  return isRefusal(served) ? { ...served, path } : served;
}

/** What one read is about. */
interface Reading {
  readonly call: Call;
  readonly session: Session;
  readonly target: Target;
  readonly file: FileName;
  readonly encoding: string | undefined;
  /** The lines are sent whatever the caller has before it. */
  readonly isFull: boolean;
}

async function readWhole(read: Reading): Promise<Served | Refusal> {
  const limit = read.session.limits.fullReadBytes;
  const current = await readCurrent(read.target, read.session, limit);
  if (isRefusal(current)) {
    return current.code === "too_large" ? tooLargeToRead(current.message, limit) : current;
  }
  return current.kind === "absent" ? missing(read) : serve(read, current, undefined);
}

/**
 * A window: small files are read whole, so that every encoding can be cut into lines; above the limit the
 * disk streams the lines, which is exact for UTF-8 and the charsets that contain ASCII.
 */
async function readWindow(read: Reading, request: Asked<ReadRequest>): Promise<Served | Refusal> {
  const range = windowRange(request);
  if (isRefusal(range)) return range;
  const { target, session } = read;
  const entry = await target.look();
  if (isRefusal(entry)) return entry;
  if (entry.kind === "file" && entry.size > session.limits.fullReadBytes) return streamWindow(read, range);
  const current = await readCurrent(target, session, session.limits.fullReadBytes);
  if (isRefusal(current)) return current;
  return current.kind === "absent" ? missing(read) : serve(read, current, range);
}

interface Range {
  readonly kind: "range";
  readonly first: number;
  readonly count: number;
  /** Of a window within one line: the code point at which it begins. */
  readonly char?: number;
}

function windowRange({ charOffset, ...request }: Asked<ReadRequest>): Range | Refusal {
  const { offset = 1, limit = Number.MAX_SAFE_INTEGER } = request;
  if (charOffset !== undefined && (!Number.isSafeInteger(charOffset) || charOffset < 0))
    return refuse("invalid_arguments", "A part of a line begins at a character, counted from 0.");
  if (!Number.isSafeInteger(offset) || offset < 1 || !Number.isSafeInteger(limit) || limit < 1) {
    return refuse(
      "invalid_arguments",
      "A window begins at a line, counted from 1, and has a number of lines, at least 1.",
    );
  }
  return charOffset === undefined
    ? { kind: "range", first: offset, count: limit }
    : { kind: "range", first: offset, count: 1, char: charOffset };
}

/** Serves a file that was read whole: all of it, or the lines of a range. */
async function serve(
  read: Reading,
  current: CurrentFile,
  range: Range | undefined,
): Promise<Served | Refusal> {
  const { session, target } = read;
  if (isLarge(current)) await learnState(session, current, read.encoding);
  await keepState(session, target, current);
  const { sha256 } = current;
  await recordRead(session, target, current);
  const decoded = textOfState(session, current, read.encoding);
  if (isRefusal(decoded)) return decoded.code === "binary" ? withHash(decoded, current) : decoded;
  const cut = range === undefined ? undefined : cutLines(decoded.text, range);
  if (cut !== undefined && isRefusal(cut)) return cut;
  const facts = textFacts(decoded, current.bytes.length);
  const { call, file } = read;
  if (call.isUnasked === true && !maySee({ call, file }, current)) {
    const version = handOut(call, file, sha256, facts.totalLines);
    return {
      kind: "read",
      state: { ...nameOf(call, file), version, sha256, facts, content: "", lines: noLines },
    };
  }
  const lines = cut?.lines ?? { from: 1, to: facts.totalLines };
  const content = cut?.content ?? decoded.text;
  const window = { sha256, content, facts };
  if (range?.char !== undefined) return handPart(read, window, lines.from, range.char);
  return handOver(read, window, lines, cut !== undefined);
}

/** Serves one line from a character on. */
function handPart(
  read: Reading,
  line: Omit<Parameters<typeof handOver>[1], "chars">,
  at: number,
  from: number,
): Served | Refusal {
  const [text = ""] = splitLines(line.content).contents;
  const of = countCodePoints(text);
  if (from >= Math.max(of, 1)) {
    const has = counted(of, "character");
    return refuse("out_of_range", `The part begins at character ${from}, but line ${at} has ${has}.`);
  }
  const part = { content: text.slice(unitOfCodePoint(text, from)), chars: { from, to: of, of } };
  return handOver(read, { ...line, ...part }, { from: at, to: at }, true);
}

const noLines: LineSpan = { from: 1, to: 0 };

type Served = Extract<ReadOutcome, { readonly kind: "read" }>;

function nameOf({ session }: Call, file: FileName): Pick<FileState, "path" | "leadsTo"> {
  return { path: file.path, ...defined({ leadsTo: leadsTo(session.ports.disk, file) }) };
}

/** Gives lines of a state their version; the reply that shows them is yet to be sent. */
function handOver(
  { call, file, encoding, isFull }: Reading,
  state: Pick<ReadState, "sha256" | "content" | "chars"> & { readonly facts: TextFacts },
  lines: LineSpan,
  isWindow: boolean,
): Served {
  const { sha256, facts, chars } = state;
  const total = facts.totalLines;
  const latest = call.knowledge.latest(file);
  const unchanged = !isFull && latest?.encoding === encoding && isInPrompt(latest, lines, sha256);
  const version = handOut(call, file, sha256, total);
  const told =
    chars === undefined ? { lines: [lines] } : { lines: [], parts: [{ line: lines.from, ...chars }] };
  const shown = { kind: "shown", file, sha256, ...told, total } as const;
  call.knowledge.learn(encoding === undefined ? shown : { ...shown, encoding });
  const handed = { ...state, ...nameOf(call, file), version, ...(isWindow ? { lines } : {}) };
  return { kind: "read", state: handed, ...(unchanged ? { unchanged } : {}) };
}

/** Whether these very lines, of the state that the caller was told of last, will stand in its next prompt. */
function isInPrompt(latest: KnownState | undefined, lines: LineSpan, sha256: string): boolean {
  if (latest === undefined || latest.sha256 !== sha256) return false;
  if (lines.to < lines.from) return latest.inPrompt.length > 0;
  return outsideSpans(lines, latest.inPrompt).length === 0;
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
  const { session, target } = read;
  const { windowBytes } = session.limits;
  const limitBytes = range.char === undefined ? windowBytes : longestLineBytes;
  const window = await target.window(range.first, range.count, limitBytes);
  if (isRefusal(window)) return window;
  if (window.lineCount === 0) return pastTheEnd(range.first, window.totalLines);
  if (window.clipped) return tooLargeToRead("The window itself is too large.", limitBytes);
  if (window.head !== undefined && beginsAsPdf(window.head)) return pdf(window);
  if (isUtf16(window.head)) {
    return refuse("too_large", "A UTF-16 file of this size cannot be cut into lines; convert it first.");
  }
  const decoded = decodeFile(window.bytes, session.ports.codec, read.encoding);
  if (isRefusal(decoded)) return decoded;
  const { sha256, firstLine, lineCount } = window;
  const facts = windowFacts(window, decoded);
  const lines = { from: firstLine, to: firstLine + lineCount - 1 };
  const state = { sha256, content: decoded.text, facts };
  return range.char === undefined
    ? handOver(read, state, lines, true)
    : handPart(read, state, firstLine, range.char);
}

function pdf({ totalBytes, sha256 }: FileWindow): Refusal {
  const message = `The file is not text (a PDF document, ${totalBytes} bytes). Its sha256 is ${sha256}.`;
  return refuse("binary", message);
}

/** A line of which a part is read is looked through as a whole, at once. */
const longestLineBytes = 8 * 1024 * 1024;

/** What is no text can still be moved and deleted, and that needs its hash. */
function withHash(refusal: Refusal, { sha256 }: CurrentFile): Refusal {
  return { ...refusal, message: `${refusal.message} Its sha256 is ${sha256}.` };
}

/** What the pass knows is told of the whole file; encoding and endings are those of the window. */
function windowFacts(window: FileWindow, decoded: FileText): TextFacts {
  const facts = textFacts(decoded, window.totalBytes);
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

function missing({ file, session }: Reading): Refusal {
  const [path, to] = [escapeForDisplay(file.path), leadsTo(session.ports.disk, file)];
  if (to === undefined)
    return refuseIn("file_missing", "There is no file $path.[ {write} creates it.]", { path });
  const words = "$path is a link to $to, which is not there.[ {write} creates that.]";
  return refuseIn("file_missing", words, { path, to: escapeForDisplay(to) });
}

function pastTheEnd(first: number, total: number): Refusal {
  const lines = counted(total, "line");
  return refuse("out_of_range", `The window begins at line ${first}, but the file has ${lines}.`);
}

function tooLargeToRead(message: string, limitBytes: number): Refusal {
  const kib = Math.round(limitBytes / 1024);
  const template =
    "$message At most $kib KiB are read at once[: use {window} to read a window of lines][, {partOfLine} for a part of a long line].";
  return refuseIn("too_large", template, { message, kib });
}
