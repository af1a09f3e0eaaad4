import { allOf, isRefusal, refuse, type ShownLines } from "@holdfast/core";
import type { CompatArguments } from "./arguments.js";
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
    return fail(refuse("invalid_arguments", "Give head or tail, not both."));
  if (head !== undefined) return readHead(call, path, head);
  return tail !== undefined ? readTail(call, path, tail) : readAll(call, path);
}

async function readAll(call: CompatCall, path: string): Promise<CompatAnswer> {
  const read = await readWhole(call, path);
  return isRefusal(read) ? fail(read) : answerText(read.state.content, allOf(read.state));
}

/** The first lines, without the terminator of the last one. */
async function readHead(
  { workspace, knowledge }: CompatCall,
  path: string,
  lines: number,
): Promise<CompatAnswer> {
  const outcome = await workspace.run({ kind: "read", path, limit: lines }, { knowledge });
  if (isRefusal(outcome)) return fail(outcome);
  const { state } = outcome;
  return answerText(state.content.replace(/\r?\n$/, ""), allOf(state));
}

/** The last lines; what follows a final newline counts as one, empty, as the official server counts. */
async function readTail(call: CompatCall, path: string, lines: number, tries = 5): Promise<CompatAnswer> {
  const { workspace, knowledge } = call;
  const probe = await workspace.run({ kind: "read", path, limit: 1 }, { knowledge });
  if (isRefusal(probe)) return fail(probe);
  const { totalLines = 0, finalNewline = false } = probe.state.facts ?? {};
  const wanted = finalNewline ? lines - 1 : lines;
  if (wanted < 1 || totalLines === 0) return answerText("");
  const offset = Math.max(1, totalLines - wanted + 1);
  const outcome = await workspace.run({ kind: "read", path, offset, limit: wanted }, { knowledge });
  if (isRefusal(outcome)) return fail(outcome);
  const { state } = outcome;
  if (state.sha256 !== probe.state.sha256 && tries > 1) return readTail(call, path, lines, tries - 1);
  return answerText(state.content, allOf(state));
}

/** `read_multiple_files`: each file under its path; one that cannot be read says why. */
export async function readMultipleFiles(
  call: CompatCall,
  { paths }: CompatArguments<"read_multiple_files">,
): Promise<CompatAnswer> {
  const parts: string[] = [];
  const shown: ShownLines[] = [];
  for (const path of paths) {
    const read = await readWhole(call, path);
    if (isRefusal(read)) {
      parts.push(`${path}: Error - ${read.message}`);
    } else {
      parts.push(`${path}:\n${read.state.content}\n`);
      shown.push(...allOf(read.state));
    }
  }
  return answerText(parts.join("\n---\n"), shown);
}

/** `read_media_file`: an image, sound or other bytes, in base64. */
export async function readMediaFile(
  { workspace }: CompatCall,
  { path }: CompatArguments<"read_media_file">,
): Promise<CompatAnswer> {
  const outcome = await workspace.readBytes({ path });
  if (isRefusal(outcome)) return fail(outcome);
  const data = Buffer.from(outcome.bytes).toString("base64");
  return { kind: "media", item: mediaItem(absolute(workspace.roots, path), data) };
}

function mediaItem(path: string, data: string): MediaItem {
  const extension = /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? "";
  const mimeType = mimeTypes[extension] ?? "application/octet-stream";
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  const uri = new URL("file:///");
  uri.pathname = path;
  return { type: "resource", resource: { uri: uri.href, mimeType, blob: data } };
}

/** The absolute path of one that counts from the first root. */
export function absolute(roots: readonly string[], path: string): string {
  if (path.startsWith("/")) return path;
  return path === "." || path === "" ? (roots[0] ?? "") : `${roots[0] ?? ""}/${path.replace(/^(\.\/)+/, "")}`;
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
