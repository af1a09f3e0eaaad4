/** One line of input without its line feed, or the news that a line was longer than the limit. */
export type InputLine =
  | { readonly kind: "line"; readonly bytes: Buffer }
  | { readonly kind: "too_long"; readonly bytes: number };

/**
 * Cuts a stream of bytes into lines, in memory that the limit bounds. The lines of one chunk come
 * together, so that who answers them may answer in one go, and a caller who waits for an answer to each
 * line gets it.
 */
export async function* linesOf(
  stream: AsyncIterable<Buffer>,
  limitBytes: number,
): AsyncGenerator<readonly InputLine[]> {
  let kept: Buffer[] = [];
  let size = 0;
  const ended = (last: Buffer): InputLine => {
    const [parts, bytes] = [[...kept, last], size + last.length];
    [kept, size] = [[], 0];
    if (bytes > limitBytes) return { kind: "too_long", bytes };
    return { kind: "line", bytes: parts.length === 1 ? last : Buffer.concat(parts) };
  };
  for await (const chunk of stream) {
    const lines: InputLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      lines.push(ended(chunk.subarray(from, end)));
      from = end + 1;
    }
    size += chunk.length - from;
    if (size > limitBytes) kept = [];
    else if (from < chunk.length) kept.push(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }
  if (size > 0) yield [ended(Buffer.alloc(0))];
}

const lineFeed = 10;
