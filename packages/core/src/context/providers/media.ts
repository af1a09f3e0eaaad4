import type { ConversationRefusal } from "../../conversation/values/index.js";
import { defined, fromBase64, sha256Of, shortHash, toBase64 } from "../../text/index.js";
import type {
  BlobDataPart,
  Content,
  FileDataPart,
  InlineDataPart,
  MediaPart,
  Part,
} from "../layout/content.js";
import { wireText } from "./provider-request.js";

/** The media that Anthropic and OpenAI document for a message of the user: images of four types, PDF. */
const shownTypes = ["image/jpeg", "image/png", "image/gif", "image/webp", "application/pdf"] as const;

/** Media whose bytes are there, of a type that Anthropic and OpenAI show their models. */
export interface ShownPart extends InlineDataPart {
  readonly inlineData: InlineDataPart["inlineData"] & { readonly mimeType: (typeof shownTypes)[number] };
}

/** Whether Anthropic and OpenAI show it to their models. */
export function isShown(part: MediaPart): part is ShownPart {
  return "inlineData" in part && shownTypes.some((type) => type === part.inlineData.mimeType);
}

/**
 * A part as Anthropic and OpenAI can be given it: a sentence stands for a file at Google, and for media that the model
 * made, since an answer holds none there.
 */
export function withoutForeign(part: Part, role: Content["role"]): Exclude<Part, FileDataPart> {
  if ("fileData" in part)
    return { text: `[The file ${wireText(part.fileData.fileUri)} is not available here.]` };
  return role === "model" && isMedia(part) ? { text: mediaText(part) } : part;
}

/** Whether a part is media, with its bytes or without. */
export function isMedia(part: Part): part is MediaPart {
  return "inlineData" in part || "blobData" in part;
}

/** Stands for media that cannot be sent as such: of a type that the API does not take, or that nobody has read. */
export function mediaText(part: MediaPart): string {
  return "blobData" in part ? unresolvedText(part) : unsupportedMediaText(part);
}

/** Stands for media whose bytes nobody has read, or that are lost. */
function unresolvedText({ blobData }: BlobDataPart): string {
  const { mimeType, sizeBytes, sha256 } = blobData;
  return `[Media of type ${wireText(mimeType)} are not available here${named(sizeBytes, sha256)}.]`;
}

/** Stands for media of a type that an API does not take. */
function unsupportedMediaText(part: InlineDataPart): string {
  return `[Media of type ${wireText(part.inlineData.mimeType)} cannot be shown here${facts(part)}.]`;
}

/** Stands in a result for media that follow it, since it holds text only. */
export function followingText(part: InlineDataPart): string {
  return `[Media of type ${wireText(part.inlineData.mimeType)} follow in the next message of the user${facts(part)}.]`;
}

/** Size and hash, as the journal names the bytes: nothing where they are no Base64. */
function facts(part: InlineDataPart): string {
  const known = knownFacts.get(part);
  if (known !== undefined) return known;
  const bytes = fromBase64(part.inlineData.data);
  const written = bytes === undefined ? "" : named(bytes.length, sha256Of(bytes));
  knownFacts.set(part, written);
  return written;
}

/** A prompt is sent again and again, and its parts stay the same objects. */
const knownFacts = new WeakMap<InlineDataPart, string>();

function named(sizeBytes: number, sha256: string): string {
  return `: ${sizeBytes} bytes, sha256 ${wireText(shortHash(sha256))}`;
}

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
