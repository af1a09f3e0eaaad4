import { type Chunk, type ChunkState, noChunk, openChunk, takeText } from "./chunks.js";
import { blocksOf, type MarkdownBlock } from "./parse.js";

/** A Markdown text that is still being written. A value: more text makes another one of it. */
export interface MarkdownState {
  readonly chunks: ChunkState;
  /** Whether something was finished: what follows has a gap above. */
  readonly hasBegun: boolean;
}

/** Before a text. */
export function emptyMarkdown(): MarkdownState {
  return { chunks: noChunk, hasBegun: false };
}

/** Takes more of the text. @returns the blocks that nothing that follows can change, in their order. Pure. */
export function appendMarkdown(
  state: MarkdownState,
  text: string,
): { readonly state: MarkdownState; readonly finished: readonly MarkdownBlock[] } {
  const { state: chunks, chunks: ended } = takeText(state.chunks, text);
  let { hasBegun } = state;
  const finished = ended.flatMap((chunk) => {
    const blocks = shownBlocks(chunk, hasBegun);
    hasBegun = true;
    return blocks;
  });
  return { state: { chunks, hasBegun }, finished };
}

/** What stands of the text behind its finished blocks. */
export function openBlocks({ chunks, hasBegun }: MarkdownState): readonly MarkdownBlock[] {
  const chunk = openChunk(chunks);
  return chunk === undefined ? [] : shownBlocks(chunk, hasBegun);
}

/** The last blocks, of a text that is whole. */
export function endMarkdown(state: MarkdownState): readonly MarkdownBlock[] {
  return openBlocks(state);
}

function shownBlocks(chunk: Chunk, hasBegun: boolean): readonly MarkdownBlock[] {
  const blocks = blocksOf(chunk);
  const hasGap = hasBegun && !chunk.goesOn;
  return hasGap && blocks.length > 0 ? [{ kind: "prose", lines: [[]] }, ...blocks] : blocks;
}
