import type { ConversationRefusal } from "../../conversation/values/index.js";
import { defined, toBase64 } from "../../text/index.js";
import type { Content, MediaPart, Part } from "../layout/content.js";

/** Contents whose media are there, to be given a provider's form. */
export interface ResolvedMedia {
  readonly kind: "resolved";
  readonly contents: readonly Content[];
  /** SHA-256 of media that are lost; the provider's form says so in their place. */
  readonly missing: readonly string[];
}

/**
 * Puts in the bytes of media that a prompt names: the one step between a rendering and a provider's form that
 * asks somebody. Contents without such media stay the same objects.
 *
 * @param read the bytes of this SHA-256, as `OpenSession.readBlob` gives them; each is asked for once.
 * @returns the refusal of `read`, where it cannot be asked now.
 */
export async function resolveMedia(
  contents: readonly Content[],
  read: (sha256: string) => Promise<Uint8Array | ConversationRefusal | undefined>,
): Promise<ResolvedMedia | ConversationRefusal> {
  const found = new Map<string, string>();
  const missing: string[] = [];
  for (const sha256 of namesIn(contents)) {
    const bytes = await read(sha256);
    if (bytes === undefined) missing.push(sha256);
    else if ("code" in bytes) return bytes;
    else found.set(sha256, toBase64(bytes));
  }
  const filled = found.size === 0 ? contents : contents.map((content) => withParts(content, found));
  return { kind: "resolved", contents: filled, missing };
}

function namesIn(contents: readonly Content[]): ReadonlySet<string> {
  const media = contents.flatMap(({ parts }) => parts.flatMap(mediaIn));
  return new Set(media.flatMap((part) => ("blobData" in part ? [part.blobData.sha256] : [])));
}

function mediaIn(part: Part): readonly MediaPart[] {
  if ("functionResponse" in part) return part.functionResponse.parts ?? [];
  return "blobData" in part ? [part] : [];
}

function withParts(content: Content, found: ReadonlyMap<string, string>): Content {
  const parts = content.parts.map((part) => filledPart(part, found));
  return parts.every((part, at) => part === content.parts[at]) ? content : { ...content, parts };
}

function filledPart(part: Part, found: ReadonlyMap<string, string>): Part {
  if ("blobData" in part) return filled(part, found);
  if (!("functionResponse" in part) || part.functionResponse.parts === undefined) return part;
  const parts = part.functionResponse.parts.map((one) => filled(one, found));
  if (parts.every((one, at) => one === part.functionResponse.parts?.[at])) return part;
  return { ...part, functionResponse: { ...part.functionResponse, parts } };
}

function filled(part: MediaPart, found: ReadonlyMap<string, string>): MediaPart {
  const data = "blobData" in part ? found.get(part.blobData.sha256) : undefined;
  if (data === undefined || !("blobData" in part)) return part;
  const { blobData, thoughtSignature } = part;
  return { inlineData: { mimeType: blobData.mimeType, data }, ...defined({ thoughtSignature }) };
}
