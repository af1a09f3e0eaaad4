import { fromBase64, isBase64, toBase64 } from "../../text/index.js";
import { countIn, recordIn, textIn } from "./fields.js";
import type { OpenAISignature } from "./openai-shared.js";
import type { DraftedAnswerPart } from "./received-answer.js";

/**
 * An answer in sound while its pieces come: what was said, and the bytes. In a stream each piece is Base64 of its own, or
 * all of them are slices of one.
 */
export class SpokenAnswer {
  #id = "";
  #transcript = "";
  #expiresAtSeconds: number | undefined;
  readonly #pieces: string[] = [];

  take(said: unknown): void {
    const audio = recordIn(said, "audio");
    this.#id = textIn(audio, "id") ?? this.#id;
    this.#transcript += textIn(audio, "transcript") ?? "";
    this.#expiresAtSeconds = countIn(audio, "expires_at") ?? this.#expiresAtSeconds;
    const data = textIn(audio, "data") ?? "";
    if (data !== "") this.#pieces.push(data);
  }

  /** Its transcript as a text, and the sound; the API knows both by an id, for some time. */
  drafts(whole: boolean): readonly DraftedAnswerPart[] {
    const signature = this.#signature();
    const text = { kind: "text", text: this.#transcript, whole, signature } as const;
    const words = this.#transcript === "" ? [] : [text];
    if (this.#pieces.length === 0) return words;
    const bytes = bytesOf(this.#pieces);
    const mimeType = soundType(bytes ?? fromBase64(this.#pieces[0] ?? "") ?? new Uint8Array());
    if (!whole || bytes === undefined)
      return [...words, { kind: "unknown", type: `${mimeType} that is not whole` }];
    return [...words, { kind: "media", mimeType, data: toBase64(bytes), signature }];
  }

  #signature(): string | undefined {
    if (this.#id === "") return undefined;
    const audio = { id: this.#id, expiresAtSeconds: this.#expiresAtSeconds ?? 0 };
    return JSON.stringify({ audio } satisfies OpenAISignature);
  }
}

/** A part of an answer's content, or of its `images`, as servers send them that speak to other models. */
export function imageDraft(part: unknown): DraftedAnswerPart {
  const url = textIn(recordIn(part, "image_url"), "url") ?? textIn(part, "image_url") ?? "";
  const [head = "", data = ""] = url.split(",", 2);
  const [, mimeType] = /^data:([^;,]+)(?:;[^;,]+)*;base64$/iu.exec(head) ?? [];
  if (mimeType !== undefined && data !== "" && isBase64(data)) return { kind: "media", mimeType, data };
  const type = textIn(part, "type") ?? "image";
  return { kind: "unknown", type: url === "" || url.startsWith("data:") ? type : `${type} at ${url}` };
}

/** Undefined where neither each piece is Base64 nor all of them are together. */
function bytesOf(pieces: readonly string[]): Uint8Array | undefined {
  const bytes = pieces.flatMap((piece) => fromBase64(piece) ?? []);
  return bytes.length === pieces.length ? joined(bytes) : fromBase64(pieces.join(""));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The answer does not say its format, which the request chose: the first bytes do. Without any it is pcm16. */
function soundType(bytes: Uint8Array): string {
  const head = String.fromCharCode(...bytes.subarray(0, 4));
  if (head === "RIFF") return "audio/wav";
  if (head === "fLaC") return "audio/flac";
  if (head === "OggS") return "audio/ogg";
  if (head.startsWith("ID3")) return "audio/mpeg";
  const [first = 0, second = 0] = bytes;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return "audio/pcm";
  // Frames of MPEG: the layer is 0 in AAC.
  return (second & 0x06) === 0 ? "audio/aac" : "audio/mpeg";
}
