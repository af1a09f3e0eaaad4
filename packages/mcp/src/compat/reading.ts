import { isRefusal, type Refusal, refuse } from "@holdfast/core";
import type { CompatArguments } from "./arguments.js";
import { type CompatAnswer, type CompatSession, fail, type MediaItem, readWhole, say } from "./session.js";

export async function readTextFile(
  session: CompatSession,
  { path, head, tail }: CompatArguments<"read_text_file">,
): Promise<CompatAnswer> {
  if (head !== undefined && tail !== undefined)
    return fail(refuse("invalid_arguments", "Give head or tail, not both."));
  const read =
    head !== undefined
      ? await readHead(session, path, head)
      : tail !== undefined
        ? await readTail(session, path, tail)
        : await readWhole(session, path);
  return isRefusal(read) ? fail(read) : say(read.content);
}

type Part = { readonly kind: "part"; readonly content: string } | Refusal;

/** The first lines, without the terminator of the last one. */
async function readHead({ workspace, known }: CompatSession, path: string, lines: number): Promise<Part> {
  const outcome = await workspace.read({ path, limit: lines });
  if (isRefusal(outcome)) return outcome;
  const { content, sha256, facts, lines: window } = outcome.state;
  const whole = window?.to === facts?.totalLines;
  known.learn(path, sha256, whole);
  return { kind: "part", content: content.replace(/\r?\n$/, "") };
}

/** The last lines; what follows a final newline counts as one, empty, as the official server counts. */
async function readTail(
  { workspace, known }: CompatSession,
  path: string,
  lines: number,
  tries = 5,
): Promise<Part> {
  const probe = await workspace.read({ path, limit: 1 });
  if (isRefusal(probe)) return probe;
  const { totalLines = 0, finalNewline = false } = probe.state.facts ?? {};
  const wanted = finalNewline ? lines - 1 : lines;
  if (wanted < 1 || totalLines === 0) return { kind: "part", content: "" };
  const outcome = await workspace.read({ path, offset: Math.max(1, totalLines - wanted + 1), limit: wanted });
  if (isRefusal(outcome)) return outcome;
  const { sha256, content, facts, lines: window } = outcome.state;
  if (sha256 !== probe.state.sha256 && tries > 1)
    return readTail({ workspace, known }, path, lines, tries - 1);
  known.learn(path, sha256, window === undefined || (window.from === 1 && window.to === facts?.totalLines));
  return { kind: "part", content };
}

export async function readMultipleFiles(
  session: CompatSession,
  { paths }: CompatArguments<"read_multiple_files">,
): Promise<CompatAnswer> {
  const parts: string[] = [];
  for (const path of paths) {
    const read = await readWhole(session, path);
    parts.push(isRefusal(read) ? `${path}: Error - ${read.message}` : `${path}:\n${read.content}\n`);
  }
  return say(parts.join("\n---\n"));
}

export async function readMediaFile(
  { workspace }: CompatSession,
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
