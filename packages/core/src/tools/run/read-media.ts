import type { Workspace } from "../../files/index.js";
import { isRefusal } from "../../files/values/index.js";
import { escapeForPeople, escapeInJson, sha256Of, toBase64 } from "../../text/index.js";
import { withIgnored } from "../tool/tool.js";
import type { WireAnswer } from "../wire/answers.js";
import type { WireOptions } from "../wire/options.js";
import type { ToolReply, ToolResult } from "../wire/result.js";

/** What a model can be shown of a file that is no text. */
export type MediaKind = "image" | "pdf";

/** An image or a PDF that `read_file` was asked for. */
export interface ReadMedia {
  readonly kind: MediaKind;
  readonly path: string;
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
  readonly sizeBytes: number;
  /** Of the very bytes in `data`: others may have written since the read was refused. */
  readonly sha256: string;
}

/**
 * The bytes that a read of an image or a PDF was refused, for hosts whose model can be shown such. What it is
 * stands in its first bytes; what a name says proves nothing. It shows no line, and is no licence to write.
 *
 * @param kinds those that the host's model takes.
 * @returns undefined where it was no such read, or where the file is larger than the providers take in one
 *   message (3 MiB): the refusal of the read then says what the file is.
 */
export async function mediaOfRead(
  result: ToolResult | undefined,
  workspace: Partial<Pick<Workspace, "readBytes">>,
  kinds: readonly MediaKind[],
): Promise<ReadMedia | undefined> {
  if (kinds.length === 0 || result?.kind !== "read" || !isRefusal(result.outcome)) return undefined;
  const { code, path } = result.outcome;
  if ((code !== "binary" && code !== "too_large") || workspace.readBytes === undefined) return undefined;
  const read = await workspace.readBytes({ path });
  if (isRefusal(read) || read.bytes.length > mostBytes) return undefined;
  const { bytes } = read;
  const type = types.find(({ marks }) => marks.every(([at, mark]) => isAt(bytes, at, mark)));
  if (type === undefined || !kinds.includes(type.kind)) return undefined;
  const { kind, mimeType } = type;
  return { kind, path, mimeType, data: toBase64(bytes), sizeBytes: bytes.length, sha256: sha256Of(bytes) };
}

/** What is said beside the medium, in the text form or in JSON. @param ignored as `ToolRun.ignored`. */
export function mediaReply(media: ReadMedia, wire: WireOptions["wire"], ignored: string): ToolReply {
  const { path: file_path, mimeType: mime_type, sizeBytes: size_bytes, sha256 } = media;
  const says = `"${escapeForPeople(file_path)}" follows as it is (${mime_type}, ${size_bytes} bytes, sha256 ${sha256}).`;
  const message = withIgnored(`${says} It is no text: it can be moved and deleted, not edited.`, ignored);
  const json: WireAnswer<"read_file"> = { file_path, sha256, media: { mime_type, size_bytes }, message };
  const text = wire === "json" ? escapeInJson(JSON.stringify(json)) : `OK (ok): ${message}`;
  return { success: true, code: "ok", text, json, shows: [], bearsContent: true, shown: [], refers: [] };
}

const types: readonly {
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly marks: readonly (readonly [at: number, mark: string])[];
}[] = [
  { kind: "image", mimeType: "image/png", marks: [[0, "\u0089PNG\r\n\u001a\n"]] },
  { kind: "image", mimeType: "image/jpeg", marks: [[0, "\u00ff\u00d8\u00ff"]] },
  { kind: "image", mimeType: "image/gif", marks: [[0, "GIF8"]] },
  {
    kind: "image",
    mimeType: "image/webp",
    marks: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  },
  { kind: "pdf", mimeType: "application/pdf", marks: [[0, "%PDF-"]] },
];

function isAt(bytes: Uint8Array, at: number, mark: string): boolean {
  return [...mark].every((char, index) => bytes[at + index] === char.charCodeAt(0));
}

const mostBytes = 3 * 1024 * 1024;
