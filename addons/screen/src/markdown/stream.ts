import { type Chunk, type ChunkState, noChunk, openChunk, takeText } from "./chunks.js";
import { type MarkdownBlock, partsOf } from "./parse.js";

export { linesOf } from "./lines.js";
export type { MarkdownBlock } from "./parse.js";

/** A Markdown text that is still being written. A value: more text makes another one of it. */
export interface MarkdownState {
  readonly chunks: ChunkState;
  /** Whether something was finished: what follows has a gap above. */
  readonly hasBegun: boolean;
  /** All of it as it came, for a look at the whole. */
  readonly text: string;
}

/** Before a text. */
export function emptyMarkdown(): MarkdownState {
  return { chunks: noChunk, hasBegun: false, text: "" };
}

/** Takes more of the text. @returns the blocks that nothing that follows can change, in their order. Pure. */
export function appendMarkdown(
  state: MarkdownState,
  more: string,
): { readonly state: MarkdownState; readonly finished: readonly MarkdownBlock[] } {
  const { state: chunks, chunks: ended } = takeText(state.chunks, more.replaceAll("\t", "    "));
  let { hasBegun } = state;
  const finished: MarkdownBlock[] = [];
  for (const chunk of ended) {
    const block = blockOf(chunk, hasBegun);
    if (block === undefined) continue;
    finished.push(block);
    hasBegun = true;
  }
  return { state: { chunks, hasBegun, text: state.text + more }, finished };
}

/** What the text behind its finished blocks is until now; undefined where there is none. Pure. */
export function openBlock({ chunks, hasBegun }: MarkdownState): MarkdownBlock | undefined {
  const chunk = openChunk(chunks);
  return chunk === undefined ? undefined : blockOf(chunk, hasBegun);
}

/** The last blocks, of a text that is whole. Pure. */
export function endMarkdown(state: MarkdownState): readonly MarkdownBlock[] {
  const block = openBlock(state);
  return block === undefined ? [] : [block];
}

function blockOf(chunk: Chunk, hasBegun: boolean): MarkdownBlock | undefined {
  const parts = partsOf(chunk);
  if (parts.length === 0) return undefined;
  return hasBegun && !chunk.goesOn ? [{ kind: "lines", lines: [[]] }, ...parts] : parts;
}
