import { isUtf8 } from "node:buffer";
import { closeSync, constants, createReadStream, openSync, readSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { isatty, ReadStream } from "node:tty";
import { TextDecoder } from "node:util";
import { type Refusal, refuse } from "@holdfast/core/files/values";
import { openForeign } from "@holdfast/core/node";
import { linesOf } from "./input-lines.js";

/** How much of an input is taken; what is longer is `too_large` as soon as it is known to be. */
interface InputLimits {
  readonly bytes: number;
  /** The file is named by an option: nothing is read in its place. */
  readonly isOption?: boolean;
}

/** The limits of a text that is read line by line. */
export interface LineLimits {
  readonly bytes: number;
  readonly lineBytes: number;
}

/**
 * The bytes of a named file, or of standard input for `-` and for no name at all.
 *
 * @param limits as much as a change may hold, unless given.
 */
export async function readInput(
  name: string | undefined,
  limits: InputLimits = changeLimits,
): Promise<Uint8Array | Refusal> {
  const { bytes, isOption } = limits;
  const fromStdin = name === undefined || name === "-";
  if (fromStdin && process.stdin.isTTY) {
    process.stderr.write("Reading from the terminal; end with Ctrl-D.\n");
  }
  const parts: Buffer[] = [];
  let size = 0;
  try {
    const stream = streamOf(name);
    if ("kind" in stream) return stream;
    for await (const part of stream) {
      parts.push(part);
      size += part.length;
      if (size > bytes) return refuse("too_large", `The input is larger than ${bytes} bytes.`);
    }
  } catch (error) {
    return unreadable(name ?? "-", error, isOption);
  }
  return Buffer.concat(parts);
}

/** What is read by its name may be a pipe as well: `<(command)`. Throws the system's error. */
function streamOf(name: string | undefined): AsyncIterable<Buffer> | Refusal {
  // Casts, since a stream's type knows nothing of its missing encoding: these are buffers.
  if (name === undefined || name === "-") return process.stdin as AsyncIterable<Buffer>;
  const stat = statSync(name);
  if (stat.isDirectory()) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
  const file = stat.isFile() ? openForeign(name, { links: "followed" }) : undefined;
  if (file !== undefined && file.kind !== "opened") {
    const why = file.kind === "absent" ? "it is gone" : file.why;
    return refuse("permission_denied", `The input ${JSON.stringify(name)} cannot be read: ${why}.`);
  }
  // Read in a thread, a pipe that gives nothing would keep the program from ending.
  const fd = file?.fd ?? openSync(name, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const isEndless = stat.isCharacterDevice() && !isatty(fd) && stat.rdev !== statSync("/dev/null").rdev;
  const begun = stat.isFIFO() && !ofShell.test(name) ? firstOf(fd) : Buffer.alloc(0);
  if (isEndless || begun === undefined) {
    closeSync(fd);
    const why = isEndless ? "is a device, which has no end" : "is a pipe, and nobody writes into it";
    return refuse("not_a_file", `The input ${JSON.stringify(name)} ${why}.`);
  }
  const stream = isatty(fd)
    ? new ReadStream(fd)
    : stat.isFIFO()
      ? new Socket({ fd })
      : createReadStream("", { fd });
  if (begun.length > 0) stream.unshift(begun);
  return stream as AsyncIterable<Buffer>;
}

/** Pipes of a shell, which have a writer already or their end. */
const ofShell = /^\/(?:dev|proc)\//u;

/** What a pipe holds already; undefined where nobody writes into it: that is not waited for. */
function firstOf(fd: number): Buffer | undefined {
  const bytes = Buffer.alloc(1 << 16);
  try {
    const size = readSync(fd, bytes);
    return size === 0 ? undefined : bytes.subarray(0, size);
  } catch {
    return Buffer.alloc(0);
  }
}

/**
 * Waits until standard input gives a first byte, or its end. A program that is started by another one often inherits a
 * pipe that nobody writes to and nobody closes.
 *
 * @returns false where neither came in time: standard input then holds the process no longer.
 */
export async function inputBegins(withinMs: number): Promise<boolean> {
  const { stdin } = process;
  const begun = await new Promise<boolean>((resolve) => {
    const finish = (hasBegun: boolean) => {
      clearTimeout(timer);
      for (const event of inputEvents) stdin.off(event, begin);
      resolve(hasBegun);
    };
    const begin = () => finish(true);
    const timer = setTimeout(() => finish(false), withinMs);
    for (const event of inputEvents) stdin.on(event, begin);
  });
  // A pipe is a socket. The types say so of files, too, which have no such method.
  if (!begun) stdin.unref?.();
  return begun;
}

const inputEvents = ["readable", "end", "error", "close"] as const;

/** A text of lines, and those of them that are too long to be held: an empty one stands in their place. */
export interface InputLines {
  readonly text: string;
  readonly unread: readonly { /** 1-based. */ readonly line: number; readonly bytes: number }[];
  /** What else is not as it was in the file. */
  readonly problems: readonly InputProblem[];
}

/** Something that is not as it was in a file, in a sentence. */
export interface InputProblem {
  /** 1-based; where it is about one line. */
  readonly line?: number;
  readonly message: string;
}

/**
 * Reads lines of UTF-8, or of UTF-16 where a mark at the beginning says so. A line that is too long is passed over in
 * memory that the limit bounds, and told; in one that is no UTF-8, U+FFFD stands for what cannot be read, and it is told.
 *
 * @returns `too_large` where all others together are too long, or what keeps the file from being read.
 */
export async function readInputLines(
  name: string | undefined,
  { bytes, lineBytes }: LineLimits,
): Promise<InputLines | Refusal> {
  const [texts, unread, mended]: [string[], { line: number; bytes: number }[], number[]] = [[], [], []];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let [size, last] = [0, 0];
  const noted = async function* (stream: AsyncIterable<Buffer>) {
    for await (const part of inUtf8(stream)) {
      last = part.at(-1) ?? last;
      yield part;
    }
  };
  try {
    const stream = streamOf(name);
    if ("kind" in stream) return stream;
    for await (const lines of linesOf(noted(stream), lineBytes)) {
      for (const line of lines) {
        const whole = line.kind === "line" ? line.bytes : Buffer.alloc(0);
        size += whole.length + 1;
        texts.push(decoder.decode(whole));
        if (line.kind === "too_long") unread.push({ line: texts.length, bytes: line.bytes });
        else if (!isUtf8(whole)) mended.push(texts.length);
      }
      if (size > bytes) return refuse("too_large", `The input is larger than ${bytes} bytes.`);
    }
  } catch (error) {
    return unreadable(name ?? "-", error);
  }
  const problems = mended.slice(0, 1).map((line) => ({
    line,
    message: `Line ${line} is not valid UTF-8 (${mended.length} such in all); U+FFFD stands for the bytes that cannot be read.`,
  }));
  return { text: texts.join("\n") + (last === 10 ? "\n" : ""), unread, problems };
}

/** The same bytes, or those of the same text where they are UTF-16 with its mark. */
async function* inUtf8(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  let isKnown = false;
  let decoder: TextDecoder | undefined;
  for await (const part of stream) {
    head = isKnown ? part : Buffer.concat([head, part]);
    // The mark is two bytes long, and a pipe may give them one by one.
    if (head.length < 2 && !isKnown) continue;
    if (!isKnown) decoder = utf16Decoder(head);
    isKnown = true;
    yield decoder === undefined ? head : Buffer.from(decoder.decode(head, { stream: true }));
  }
  if (!isKnown) yield head;
  else if (decoder !== undefined) yield Buffer.from(decoder.decode());
}

function utf16Decoder(head: Buffer): TextDecoder | undefined {
  const mark = head.readUInt16BE(0);
  if (mark === 0xfffe) return new TextDecoder("utf-16le");
  return mark === 0xfeff ? new TextDecoder("utf-16be") : undefined;
}

/** A diff in UTF-8, or UTF-16 with its mark. Any other is taken byte by byte, for files that are taken in the same way. */
export async function readInputDiff(
  name: string | undefined,
): Promise<{ readonly diff: string; readonly isBytes: boolean } | Refusal> {
  const read = await readInput(name);
  if (!(read instanceof Uint8Array)) return read;
  const marked = read.length < 2 ? undefined : utf16Decoder(Buffer.from(read.subarray(0, 2)));
  if (marked !== undefined) return { diff: marked.decode(read), isBytes: false };
  const bytes = Buffer.from(read);
  const isBytes = !isUtf8(bytes);
  return { diff: bytes.toString(isBytes ? "latin1" : "utf8"), isBytes };
}

/** The same as text, which must be valid UTF-8: a guess would change what is written. */
export async function readInputText(
  name: string | undefined,
  limits?: InputLimits,
): Promise<string | Refusal> {
  const bytes = await readInput(name, limits);
  if (!(bytes instanceof Uint8Array)) return bytes;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const again = Buffer.from(Buffer.from(bytes).toString());
    const at = again.findIndex((byte, index) => byte !== bytes[index]);
    const line = again.subarray(0, at).toString().split("\n").length;
    const message = `The input is not valid UTF-8: line ${line} has the byte 0x${bytes[at]?.toString(16)}. Convert it (such as with \`iconv -f ISO-8859-1 -t UTF-8\`), or write bytes with \`--exact\`.`;
    return refuse("undecodable", message);
  }
}

/** More than this no file may have that is changed, and no diff. */
const changeLimits: InputLimits = { bytes: 64 * 1024 * 1024 };

function unreadable(name: string, error: unknown, isOption = false): Refusal {
  const errno = error instanceof Error && "code" in error ? String(error.code) : "";
  const [, code, says] = unreadables.find(([codes]) => codes.split(" ").includes(errno)) ?? [];
  if (code === undefined || says === undefined) throw error;
  return refuse(code, says(JSON.stringify(name), isOption));
}

const otherwise = ": this is the name of a file; without one standard input is read";

/** By the codes of the system. */
const unreadables: readonly (readonly [
  codes: string,
  Refusal["code"],
  says: (name: string, isOption: boolean) => string,
])[] = [
  ["ENOENT ENOTDIR", "file_missing", (name, is) => `There is no input file ${name}${is ? "" : otherwise}.`],
  ["EISDIR", "is_directory", (name) => `The input ${name} is a folder.`],
  ["EACCES EPERM", "permission_denied", (name) => `The input ${name} may not be read.`],
  ["ENAMETOOLONG", "invalid_arguments", (name) => `The name of the input ${name} is too long.`],
  ["ENXIO", "not_a_file", (name) => `The input ${name} is a socket.`],
  ["ELOOP", "not_a_file", (name) => `The input ${name} is links in a circle.`],
];
