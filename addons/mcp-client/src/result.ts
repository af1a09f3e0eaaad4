import { type SpillFiles, safeText } from "@holdfast/agent/host";
import type { Media } from "@holdfast/core/conversation/values";
import type { HostToolResult } from "@holdfast/core/tools";
import type { CallToolResult, ReadResourceResult } from "@modelcontextprotocol/client";

/** How much of one result reaches the model. */
export interface ResultBudget {
  /** Characters of its text; the rest is in a file. */
  readonly textChars: number;
  /** Characters of its media in Base64, together; the others are in files. */
  readonly mediaChars: number;
}

/** The budget unless given. */
export const resultBudget: ResultBudget = { textChars: 30_000, mediaChars: 8 << 20 };

/** What a tool of a server answered, as a result of ours. */
export function resultOf(result: CallToolResult, budget: ResultBudget, files: SpillFiles): HostToolResult {
  const taken: Taken = { texts: [], media: [], mediaChars: 0 };
  for (const block of result.content) takeBlock(block, taken, budget, files);
  // Servers repeat what is structured as text; who does not has no other way to be read.
  if (result.content.length === 0 && result.structuredContent !== undefined)
    taken.texts.push(safeText(JSON.stringify(result.structuredContent)));
  const text = taken.texts.filter((one) => one !== "").join("\n\n");
  const failed = result.isError === true;
  const words = files.within(text === "" ? "It answered nothing." : text, budget.textChars);
  return {
    code: failed ? "failed" : "ok",
    text: failed ? `FAILED (failed): ${words}` : words,
    ...(taken.media.length === 0 ? {} : { media: taken.media }),
  };
}

interface Taken {
  readonly texts: string[];
  readonly media: Media[];
  mediaChars: number;
}

type Block = CallToolResult["content"][number];
type Resource = ReadResourceResult["contents"][number];

function takeBlock(block: Block, taken: Taken, budget: ResultBudget, files: SpillFiles): void {
  switch (block.type) {
    case "text":
      taken.texts.push(safeText(block.text));
      return;
    case "image":
    case "audio":
      takeBytes(block, taken, budget, files);
      return;
    case "resource_link":
      taken.texts.push(safeText(`Resource ${block.name}: ${block.uri}`));
      return;
    case "resource":
      takeResource(block.resource, taken, budget, files);
      return;
    default:
      block satisfies never;
  }
}

function takeResource(resource: Resource, taken: Taken, budget: ResultBudget, files: SpillFiles): void {
  const { uri, mimeType = "application/octet-stream" } = resource;
  taken.texts.push(safeText(`Resource ${uri}:`));
  if ("text" in resource) taken.texts.push(safeText(resource.text));
  else takeBytes({ mimeType, data: resource.blob }, taken, budget, files);
}

/** Kinds that models take; everything else is put into a file. */
const shownKinds = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/;

function takeBytes(
  { mimeType, data }: { readonly mimeType: string; readonly data: string },
  taken: Taken,
  budget: ResultBudget,
  files: SpillFiles,
): void {
  const bytes = Buffer.from(data, "base64");
  if (shownKinds.test(mimeType) && taken.mediaChars + data.length <= budget.mediaChars) {
    taken.mediaChars += data.length;
    // What a provider is sent has to be plain Base64, whatever the server wrote.
    taken.media.push({ mimeType, data: bytes.toString("base64") });
    return;
  }
  const path = files.keep(bytes, ".bin");
  const where = path === undefined ? "it could not be kept" : `it is in ${path}`;
  taken.texts.push(safeText(`[${mimeType}, ${bytes.length} bytes: ${where}]`));
}
