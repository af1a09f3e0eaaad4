import type { ShownText } from "../conversation/index.js";

/** Those that name lines within the text; the others are a tool's mistake and show nothing. */
export function withinText(text: string, shows: readonly ShownText[]): readonly ShownText[] {
  return shows.filter(
    ({ start, end, from, to }) => 0 <= start && start <= end && end <= text.length && 0 < from && from <= to,
  );
}
