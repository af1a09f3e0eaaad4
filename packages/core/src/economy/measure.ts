import {
  type Content,
  lengthOf,
  type Part,
  type Provenance,
  type Rendering,
  replacedFrom,
} from "../context/index.js";
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

/**
 * A prompt, part by part. A part is the same object as in the prompt that was measured before only where everything up to
 * it is the same: what was found out about it from what stands above it still holds.
 */
export interface MeasuredPrompt {
  readonly parts: readonly MeasuredPart[];
  /** How many parts stand up to the end of each content. */
  readonly ends: readonly number[];
  /** Those of them that are notes to the model. */
  readonly notes: readonly MeasuredPart[];
  readonly chars: number;
}

/** What a character is taken for before a provider has counted anything: four make a token. */
const defaultCharsPerToken = 4;

/** An image costs about 1,600 tokens, however many bytes it has. */
const mediaChars = 6_400;

/** Measures a prompt; of what was measured before, nothing again. */
export function measure({ contents, provenance }: Rendering): MeasuredPrompt {
  const first = contents[0]?.parts[0];
  const last = first === undefined ? undefined : lasts.get(first);
  // A request is measured by several who need its sizes.
  if (last?.contents === contents && last.provenance === provenance) return last;
  const made = measureAll(contents, provenance, last);
  if (first !== undefined) lasts.set(first, made);
  return made;
}

/** A prompt that was measured, with what it was made of. */
interface LastMeasured extends MeasuredPrompt {
  readonly contents: Rendering["contents"];
  readonly provenance: Rendering["provenance"];
}

/**
 * The prompt that was measured last, by its first part: the next one of a session begins as it does. Only the last: a
 * collection of young objects takes all that a weak map holds for alive, and each prompt has lists as long as itself.
 */
const lasts = new WeakMap<Part, LastMeasured>();

function measureAll(
  contents: Rendering["contents"],
  provenance: Rendering["provenance"],
  last: LastMeasured | undefined,
): LastMeasured {
  // Contents that nothing was added to are the same objects. What they were measured to be is copied as a whole: a look
  // at each part, once a request, was most of what a long session cost.
  const same = last === undefined ? 0 : sameContents(last, contents, provenance);
  const from = last?.ends[same - 1] ?? 0;
  const parts: MeasuredPart[] = [];
  const ends: number[] = [];
  let before = last?.parts[from]?.before ?? last?.chars ?? 0;
  let isSame = true;
  for (let content = same; content < contents.length; content += 1) {
    const { role, parts: values = [] } = contents[content] ?? {};
    const origins = provenance[content] ?? [];
    for (let part = 0; part < values.length; part += 1) {
      const [value, origin] = [values[part], origins[part]];
      if (value === undefined || origin === undefined || role === undefined) continue;
      const chars = charsOf(value, origin);
      const next = { content, part, role, value, origin, chars, before };
      const known: MeasuredPart | undefined = isSame ? last?.parts[from + parts.length] : undefined;
      isSame = known !== undefined && isSamePart(known, next);
      parts.push(isSame && known !== undefined ? known : next);
      before += chars;
    }
    ends.push(from + parts.length);
  }
  const notes = parts.filter(({ origin }) => origin.rule === "note");
  return {
    parts: replacedFrom(last?.parts ?? [], from, parts),
    notes: [...(last?.notes ?? []).filter((note) => note.content < same), ...notes],
    ends: replacedFrom(last?.ends ?? [], same, ends),
    chars: before,
    contents,
    provenance,
  };
}

/** How many contents two renderings have in common from the first one on. */
function sameContents(
  last: LastMeasured,
  contents: Rendering["contents"],
  provenance: Rendering["provenance"],
): number {
  const most = Math.min(last.ends.length, contents.length);
  let at = 0;
  while (at < most && contents[at] === last.contents[at] && provenance[at] === last.provenance[at]) at += 1;
  return at;
}

/** Of the content that was added to, the parts that were there. */
function isSamePart(last: MeasuredPart, next: MeasuredPart): boolean {
  return (
    last.value === next.value &&
    last.origin === next.origin &&
    last.content === next.content &&
    last.part === next.part &&
    last.role === next.role
  );
}

/** The part at a place of the rendering; undefined where there is none. */
export function partAt(
  { parts, ends }: MeasuredPrompt,
  { content, part }: Pick<MeasuredPart, "content" | "part">,
): MeasuredPart | undefined {
  const found = parts[(ends[content - 1] ?? 0) + part];
  return found?.content === content && found.part === part ? found : undefined;
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
