import { escapeForPeople, isRefusal, type ToolResult, type Workspace } from "@holdfast/core";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { pathToFileUri } from "./file-uri.js";
import type { Host } from "./hosts.js";

/**
 * The answer to a read of an image or a PDF, where the client hands such blocks to its model: the block, and a
 * sentence with what it is. It shows no line, and is no licence to write.
 *
 * @returns undefined where it was no such read, or the client shows its model no such block; the refusal of the read
 *   then says what the file is.
 */
export async function mediaAnswer(
  result: ToolResult | undefined,
  workspace: Pick<Workspace, "readBytes" | "roots">,
  { media }: Pick<Host, "media">,
): Promise<CallToolResult | undefined> {
  if (media.length === 0 || result?.kind !== "read" || !isRefusal(result.outcome)) return undefined;
  const { code, path } = result.outcome;
  if (code !== "binary") return undefined;
  const read = await workspace.readBytes({ path });
  if (isRefusal(read) || read.bytes.length > mostBytes) return undefined;
  const kind = kinds.find(({ marks }) => marks.every(([at, mark]) => isAt(read.bytes, at, mark)));
  if (kind === undefined || !media.includes(kind.kind)) return undefined;
  const { mimeType } = kind;
  const sha256 = await sha256Of(read.bytes);
  const text = `OK (ok): "${escapeForPeople(path)}" follows as it is (${mimeType}, ${read.bytes.length} bytes, sha256 ${sha256}). It is no text: it can be moved and deleted, not edited.`;
  const data = Buffer.from(read.bytes).toString("base64");
  const block =
    kind.kind === "image"
      ? ({ type: "image", data, mimeType } as const)
      : ({
          type: "resource",
          resource: { uri: pathToFileUri(workspace.roots, path), mimeType, blob: data },
        } as const);
  return { content: [{ type: "text", text }, block], isError: false };
}

/** What a model can be shown, by its first bytes; what a name says proves nothing. */
const kinds: readonly {
  readonly kind: Host["media"][number];
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

/** Of the very bytes that are sent: others may have written since the read was refused. */
async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.slice()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function isAt(bytes: Uint8Array, at: number, mark: string): boolean {
  return [...mark].every((char, index) => bytes[at + index] === char.charCodeAt(0));
}

/** A larger block is more than the providers behind the clients take in one message. */
const mostBytes = 3 * 1024 * 1024;
