import type { Workspace } from "@holdfast/core/files";
import { type MediaKind, mediaOfRead, mediaReply, type ToolResult } from "@holdfast/core/tools";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { pathToFileUri } from "./file-uri.js";

/** What a read of an image or a PDF was answered with, and how. */
interface MediaRead {
  readonly result: ToolResult | undefined;
  readonly ignored: string;
  readonly wire: "text" | "json";
  /** The kinds that the client hands to its model. */
  readonly kinds: readonly MediaKind[];
}

/**
 * The answer to a read of an image or a PDF, where the client hands such blocks to its model: the block, and a
 * sentence with what it is, or in the JSON form an object.
 *
 * @returns undefined where it was no such read, or the client shows its model no such block; the refusal of the read
 *   then says what the file is.
 */
export async function mediaAnswer(
  { result, ignored, wire, kinds }: MediaRead,
  workspace: Pick<Workspace, "readBytes" | "roots">,
): Promise<CallToolResult | undefined> {
  const media = await mediaOfRead(result, workspace, kinds);
  if (media === undefined) return undefined;
  const { kind, path, mimeType, data } = media;
  const { text } = mediaReply(media, wire, ignored);
  const block =
    kind === "image"
      ? ({ type: "image", data, mimeType } as const)
      : ({
          type: "resource",
          resource: { uri: pathToFileUri(workspace.roots, path), mimeType, blob: data },
        } as const);
  return { content: [{ type: "text", text }, block], isError: false };
}
