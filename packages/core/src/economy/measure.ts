import { type Content, lengthOf, type Part, type Provenance, type Rendering } from "../context/index.js";
import type { CountedRequest } from "./types.js";

/** A part of a prompt with its size and its place. */
export interface MeasuredPart {
  /** Index of the content, and of the part in it. */
  readonly content: number;
  readonly part: number;
  readonly role: Content["role"];
  readonly value: Part;
  readonly origin: Provenance;
  /** UTF-16 units of it, and of all before it. Media count as what they commonly cost. */
  readonly chars: number;
  readonly before: number;
}

/** A prompt, part by part. */
export interface MeasuredPrompt {
  readonly parts: readonly MeasuredPart[];
  readonly chars: number;
}

/** What a character is taken for before a provider has counted anything: four make a token. */
export const defaultCharsPerToken = 4;

/** An image costs about 1,600 tokens, however many bytes it has. */
const mediaChars = 6_400;

/** Measures a prompt; of what was measured before, nothing again. */
export function measure({ contents, provenance }: Rendering): MeasuredPrompt {
  const parts: MeasuredPart[] = [];
  let before = 0;
  for (const [content, { role, parts: values }] of contents.entries())
    for (const [part, value] of values.entries()) {
      const origin = provenance[content]?.[part];
      if (origin === undefined) continue;
      const chars = charsOf(value, origin);
      parts.push({ content, part, role, value, origin, chars, before });
      before += chars;
    }
  return { parts, chars: before };
}

const known = new WeakMap<Part, number>();

function charsOf(part: Part, origin: Provenance): number {
  const found = known.get(part);
  if (found !== undefined) return found;
  const chars = sizeOf(part, origin);
  known.set(part, chars);
  return chars;
}

/** Bytes behind an address cost what they would cost without it. */
function sizeOf(part: Part, { holds }: Provenance): number {
  if ("fileData" in part) return holds ?? mediaChars;
  if ("inlineData" in part || "blobData" in part) return mediaChars;
  if (!("functionResponse" in part) || part.functionResponse.parts === undefined) return lengthOf(part);
  const { parts, ...text } = part.functionResponse;
  return lengthOf({ functionResponse: text }) + parts.length * mediaChars;
}

/** Characters per token, calibrated by what the provider counted for the last request. */
export function charsPerToken(last: CountedRequest | undefined): number {
  if (last === undefined || last.inputTokens <= 0 || last.chars <= 0) return defaultCharsPerToken;
  return Math.min(8, Math.max(1.5, last.chars / last.inputTokens));
}

/** Tokens of a prompt of so many characters: what was counted last, and what is new since. */
export function estimateTokens(chars: number, last: CountedRequest | undefined): number {
  const perToken = charsPerToken(last);
  if (last === undefined || last.inputTokens <= 0) return Math.ceil(chars / perToken);
  return Math.max(Math.ceil(chars / 8), Math.ceil(last.inputTokens + (chars - last.chars) / perToken));
}
