import type { ShownLines } from "@holdfast/core/files/seen";
import { inWords, isRefusal, type ReadState, refuse } from "@holdfast/core/files/values";
import { escapeForPeople } from "@holdfast/core/text";
import { absolute, pathToFileUri } from "@holdfast/mcp";
import type { CompatArguments } from "./arguments.js";
import { fitLines } from "./fit.js";
import {
  answerText,
  type CompatAnswer,
  type CompatCall,
  fail,
  type MediaItem,
  readWhole,
} from "./session.js";

/** `read_text_file` and `read_file`: the text, all of it or its first or last lines. */
export async function readTextFile(
  call: CompatCall,
  { path, head, tail }: CompatArguments<"read_text_file">,
): Promise<CompatAnswer> {
  if (head !== undefined && tail !== undefined)
    return fail(call, refuse("invalid_arguments", "Give head or tail, not both."));
  if (head !== undefined) return readHead(call, path, head);
  return tail !== undefined ? readTail(call, path, tail) : readAll(call, path);
}

async function readAll(call: CompatCall, path: string): Promise<CompatAnswer> {
  const read = await readWhole(call, path);
  return isRefusal(read) ? fail(call, read) : sayLines(call, read.state);
}

/** The first lines, without the terminator of the last one. */
async function readHead(call: CompatCall, path: string, lines: number): Promise<CompatAnswer> {
  const { workspace, knowledge } = call;
  const outcome = await workspace.run({ kind: "read", path, limit: lines }, { knowledge, isSilent: true });
  if (isRefusal(outcome)) return fail(call, outcome);
  const { state } = outcome;
  return sayLines(call, state, state.content.replace(/\r?\n$/, ""));
}

/** The last lines; what follows a final newline counts as one, empty, as the official server counts. */
async function readTail(call: CompatCall, path: string, lines: number, tries = 5): Promise<CompatAnswer> {
  const { workspace, knowledge } = call;
  const probe = await workspace.run({ kind: "read", path, limit: 1 }, { knowledge, isSilent: true });
  if (isRefusal(probe)) return fail(call, probe);
  const { totalLines = 0, finalNewline = false } = probe.state.facts ?? {};
  const wanted = finalNewline ? lines - 1 : lines;
  if (wanted < 1 || totalLines === 0) return answerText("");
  const offset = Math.max(1, totalLines - wanted + 1);
  const outcome = await workspace.run(
    { kind: "read", path, offset, limit: wanted },
    { knowledge, isSilent: true },
  );
  if (isRefusal(outcome)) return fail(call, outcome);
  const { state } = outcome;
  if (state.sha256 !== probe.state.sha256 && tries > 1) return readTail(call, path, lines, tries - 1);
  return sayLines(call, state);
}

/** The text, as far as one answer holds it. */
function sayLines(call: CompatCall, state: ReadState, content = state.content): CompatAnswer {
  return { kind: "text", ...fitLines("", { state, content }, call) };
}

/** `read_multiple_files`: each file under its path; one that cannot be read says why. */
export async function readMultipleFiles(
  call: CompatCall,
  { paths }: CompatArguments<"read_multiple_files">,
): Promise<CompatAnswer> {
  const parts: string[] = [];
  const shown: ShownLines[] = [];
  const { room, words } = call;
  let left = room.size;
  const put = (part: string) => {
    parts.push(part);
    left -= room.sizeOf(`${part}\n---\n`);
  };
  for (const path of paths) {
    const name = escapeForPeople(path);
    const read = left < Math.min(leastChars, room.size / 2) ? undefined : await readWhole(call, path);
    if (read === undefined) put(`${name}: Left out - more than one answer holds; read it on its own`);
    else if (isRefusal(read)) put(`${name}: Error - ${inWords(read, words)}`);
    else {
      const { state } = read;
      const page = { state, content: state.content };
      const fitted = fitLines(`${name}:\n`, page, { room: { ...room, size: left }, words });
      put(`${fitted.text}\n`);
      shown.push(...fitted.shown);
    }
  }
  return answerText(parts.join("\n---\n"), shown);
}

/** With less room than this, or than half an answer, no further file is begun. */
const leastChars = 4_000;

/** `read_media_file`: an image, sound or other bytes, in base64. */
export async function readMediaFile(
  call: CompatCall,
  { path }: CompatArguments<"read_media_file">,
): Promise<CompatAnswer> {
  const { workspace } = call;
  const outcome = await workspace.readBytes({ path });
  if (isRefusal(outcome)) return fail(call, outcome);
  const data = Buffer.from(outcome.bytes).toString("base64");
  const item = mediaItem(absolute(workspace.roots, path), data);
  // An image or a sound is no text; of anything else the characters count.
  const { size } = call.room;
  if (item.type === "resource" && data.length > size)
    return fail(
      call,
      refuse("too_large", `The file has ${data.length} characters as base64; one answer holds ${size}.`),
    );
  return { kind: "media", item };
}

function mediaItem(path: string, data: string): MediaItem {
  const extension = /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? "";
  const mimeType = mimeTypes[extension] ?? "application/octet-stream";
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: { uri: pathToFileUri([], path), mimeType, blob: data } };
}

const mimeTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".bmp": "image/bmp",
  ".svg": "image/svg+xml",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".ogg": "audio/ogg",
  ".flac": "audio/flac",
};
